"""The routines that models may know: by name in BLAS and LAPACK, the sizes that their times depend on.

m, n and k are those of the reference documentation, but for these: of the routines that multiply by, or solve with, a
symmetric or triangular matrix from either side, k is its order (m or n, as the side has it); of laswp, which exchanges
rows, n counts columns and k exchanges; nrhs counts right-hand sides. Routines that find eigenvalues or singular values
are meant with their vectors.
"""

from collections.abc import Iterator

__all__ = ["ROUTINES", "precision_of", "split_name"]

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


def _names() -> Iterator[tuple[str, tuple[str, ...]]]:
    for precisions, sizes, families in _FAMILIES:
        for family in families.split():
            for precision in precisions:
                yield precision + family, sizes
    for precision in _ALL:
        yield f"i{precision}amax", ("n",)


ROUTINES: dict[str, tuple[str, ...]] = dict(_names())
"""By name, the sizes that the routine's time depends on."""

_PRECISIONS = {"f": "s", "d": "d", "F": "c", "D": "z"}


def precision_of(kind: str) -> str | None:
    """The letter with which the names of routines for such numbers begin; None when there are none.

    Args:
        kind: the character of a NumPy dtype.
    """
    return _PRECISIONS.get(kind)


def split_name(routine: str) -> tuple[str, str]:
    """Its precision and the rest of its name: "d" and "gemm", "d" and "amax" of idamax."""
    name = routine[1:] if routine.startswith("i") else routine
    return name[0], name[1:]
