"""Routines that a model may describe: their BLAS and LAPACK names, and the sizes that their times depend on.

m, n and k have the meaning of the reference documentation, with two exceptions:

- Some routines multiply by, or solve with, a symmetric or triangular matrix from either side. For these, k is the order
  of that matrix (m or n, depending on the side).
- For laswp, which exchanges rows, n is the number of columns and k the number of exchanges.

nrhs is the number of right-hand sides. Routines that find eigenvalues or singular values are assumed to compute the
vectors too.
"""

from collections.abc import Iterator

__all__ = ["INJECTED", "ROUTINES", "precision_of", "split_name"]

_ALL, _REAL, _COMPLEX = "sdcz", "sd", "cz"
_FAMILIES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    # BLAS 1
    (_REAL, ("n",), "dot nrm2 asum"),
    (_COMPLEX, ("n",), "dotu dotc"),
    (_ALL, ("n",), "axpy scal copy swap"),
    # BLAS 2
    (_ALL, ("m", "n"), "gemv"),
    (_REAL, ("m", "n"), "ger"),
    (_COMPLEX, ("m", "n"), "geru gerc"),
    (_ALL, ("n",), "trmv trsv symv"),
    (_COMPLEX, ("n",), "hemv"),
    # BLAS 3
    (_ALL, ("m", "n", "k"), "gemm symm trmm trsm"),
    (_COMPLEX, ("m", "n", "k"), "hemm"),
    (_ALL, ("n", "k"), "syrk syr2k"),
    (_COMPLEX, ("n", "k"), "herk her2k"),
    # LAPACK
    (_ALL, ("m", "n"), "getrf geqrf geqp3 gesdd gesvd"),
    (_ALL, ("n",), "getri potrf potri trtri lauum geev"),
    (_ALL, ("n", "k"), "laswp"),
    (_ALL, ("n", "nrhs"), "getrs gesv potrs posv trtrs"),
    (_ALL, ("m", "n", "nrhs"), "gels gelsd"),
    (_REAL, ("m", "n", "k"), "orgqr"),
    (_COMPLEX, ("m", "n", "k"), "ungqr"),
    (_REAL, ("n",), "syev syevd syevr"),
    (_COMPLEX, ("n",), "heev heevd heevr"),
)


INJECTED = frozenset(
    ("dlacpy", "dlatcpy", "dlaswp01t", "dlaswp02n", "dlaswp03t", "dlaswp04t", "dlaswp05t", "dlaswp06t", "dlaswp10n")
)
"""Routines of Linpack (HPL_dlaswp01T …), by which it copies m rows of n numbers. Programs inject their time; NumPy and
SciPy have no such functions."""


def _names() -> Iterator[tuple[str, tuple[str, ...]]]:
    for precisions, sizes, families in _FAMILIES:
        for family in families.split():
            for precision in precisions:
                yield precision + family, sizes
    for precision in _ALL:
        yield f"i{precision}amax", ("n",)
    for name in sorted(INJECTED):
        yield name, ("m", "n")


ROUTINES: dict[str, tuple[str, ...]] = dict(_names())
"""Sizes that a routine's time depends on, by routine name."""

_PRECISIONS = {"f": "s", "d": "d", "F": "c", "D": "z"}


def precision_of(kind: str) -> str | None:
    """Return the first letter of routine names for this number type ("d" for double), or None if BLAS lacks the type.

    Args:
        kind: type character of a NumPy dtype, such as "f" or "D".
    """
    return _PRECISIONS.get(kind)


def split_name(routine: str) -> tuple[str, str]:
    """Split a routine name into its precision and the rest: "d" and "gemm" for dgemm, "d" and "amax" for idamax."""
    name = routine[1:] if routine.startswith("i") else routine
    return name[0], name[1:]
