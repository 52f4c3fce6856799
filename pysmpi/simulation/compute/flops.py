"""Numbers of floating-point operations: of elements, products, factorisations and transforms.

Folded arrays' times and the counts of a run's requirements come from these functions. Counts for matrices are from
G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th edition, 2013, for real numbers; complex numbers take four times
as many. A transform of n complex numbers counts as 5 n log2 n (M. Frigo, S. G. Johnson, "The Design and Implementation
of FFTW3", Proceedings of the IEEE 93(2), 2005), from or to real numbers as half of that.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = [
    "PER_CUBE",
    "Weight",
    "compiled_flops",
    "correlate_flops",
    "lstsq_flops",
    "matrix_flops",
    "multiply_flops",
    "qr_flops",
    "routine_amount",
    "routine_flops",
    "solve_flops",
    "svd_flops",
    "transform_flops",
    "weight_of",
    "weight_of_kind",
]

_SPECIAL = """
    sqrt cbrt exp exp2 expm1 log log2 log10 log1p logaddexp logaddexp2 power float_power hypot
    sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh
"""
_LIKE_PRODUCTS = frozenset({"multiply", "divide", "square", "reciprocal"})

# Floating-point operations of functions of square matrices of order n, divided by n³.
PER_CUBE: Mapping[str, float] = {
    "inv": 2.0,
    "cholesky": 1 / 3,
    "det": 2 / 3,
    "slogdet": 2 / 3,
    "eigvalsh": 4 / 3,
    "eigh": 9.0,
    "eigvals": 10.0,
    "eig": 26.0,
}


class Weight(NamedTuple):
    """Floating-point operations that a universal function makes for an element, by the kind of its numbers.

    Attributes:
        real: operations for a real number.
        complex: operations for a complex number.
        special: whether the function is a root, power, exponential, logarithm, trigonometric or hyperbolic function;
            these are also counted separately.
    """

    real: float
    complex: float
    special: bool


def weight_of(name: str) -> Weight:
    """Return the floating-point operations that NumPy's universal function `name` makes for one element."""
    if name in _SPECIAL.split():
        return Weight(1.0, 1.0, True)
    return Weight(1.0, 6.0 if name in _LIKE_PRODUCTS else 2.0, False)


def weight_of_kind(kind: str) -> float:
    """Return the ratio of the operations on matrices of this kind of numbers ("f", "c" …) to those on real ones."""
    return 4.0 if kind == "c" else 1.0


def multiply_flops(shape: Sequence[int], inner: int, kind: str) -> float:
    """Return the flops of a product of arrays.

    Args:
        shape: shape of the result.
        inner: number of products that each element of the result sums.
        kind: kind of the numbers, such as "f" or "c".
    """
    return 2.0 * math.prod(shape) * inner * weight_of_kind(kind)


def solve_flops(n: int, columns: int) -> float:
    """Return the flops of solving a system of order n with `columns` right-hand sides."""
    return 2 / 3 * n**3 + 2.0 * n**2 * columns


def lstsq_flops(m: int, n: int, columns: int) -> float:
    """Return the flops of a least-squares solution of an m × n system with `columns` right-hand sides.

    The count is that of LAPACK's gelsd, which uses singular values.
    """
    longer, k = max(m, n), min(m, n)
    return 4.0 * longer * k**2 + 8.0 * k**3 + 4.0 * m * n * columns


def qr_flops(m: int, n: int, *, makes_q: bool) -> float:
    """Return the flops of a QR factorisation of an m × n matrix, with or without the computation of Q."""
    k = min(m, n)
    return (2.0 * max(m, n) * k**2 - 2 / 3 * k**3) * (2 if makes_q else 1)


def svd_flops(m: int, n: int, *, makes_vectors: bool) -> float:
    """Return the flops of a singular value decomposition of an m × n matrix, with or without singular vectors."""
    k = min(m, n)
    return (6.0 if makes_vectors else 4.0) * max(m, n) * k**2 + (16.0 * k**3 if makes_vectors else -4 / 3 * k**3)


def transform_flops(elements: int, points: int, *, is_complex: bool) -> float:
    """Return the flops of Fourier transforms of `points` numbers each, `elements` numbers in all."""
    return 5.0 * elements * math.log2(max(points, 2)) * (1.0 if is_complex else 0.5)


def matrix_flops(name: str, m: int, n: int, columns: int = 0, *, makes_vectors: bool = True) -> float:
    """Return the flops of a function of `numpy.linalg` for one matrix of m × n real numbers; 0 for an unknown function.

    Args:
        name: name of the function, such as "solve".
        m, n: numbers of rows and columns.
        columns: number of right-hand sides.
        makes_vectors: False for singular values without vectors, and for a QR factorisation without Q.
    """
    if name in PER_CUBE:
        return PER_CUBE[name] * n**3
    match name:
        case "solve":
            return solve_flops(n, columns)
        case "lstsq":
            return lstsq_flops(m, n, columns)
        case "qr":
            return qr_flops(m, n, makes_q=makes_vectors)
        case "svd":
            return svd_flops(m, n, makes_vectors=makes_vectors)
    return 0.0


def compiled_flops(name: str, shapes: Sequence[Sequence[int]], kind: Any) -> float:
    """Return the flops of a function of NumPy's compiled module of linear algebra, such as "svd_f" or "solve1".

    A QR factorisation calls two of them, ``qr_r_raw`` and ``qr_reduced``, which take half of its operations each.
    `shapes` are the shapes of the operands, and `kind` the kind of their numbers, such as "f" or "c".
    """
    *batch, m, n = shapes[0]
    plain, _, form = name.partition("_")
    columns = shapes[1][-1] if len(shapes) > 1 and name != "solve1" else 1
    makes_vectors = plain != "qr" and form not in {"", "m", "n"}
    flops = matrix_flops(plain.removesuffix("1"), m, n, columns, makes_vectors=makes_vectors)
    return flops * math.prod(batch) * weight_of_kind(kind)


def correlate_flops(lengths: Sequence[int], shape: Sequence[int], kind: str) -> float:
    """Return the flops of `numpy.correlate` or `numpy.convolve` of vectors of these lengths, with this result shape."""
    shorter, longer = sorted(lengths)
    whole = longer - shorter + 1  # results to which all elements of the shorter vector contribute
    rim = math.prod(shape) - whole
    pairs = shorter * whole + sum(shorter - i for part in ((rim + 1) // 2, rim // 2) for i in range(1, part + 1))
    return multiply_flops([pairs], 1, kind)


_Sizes = Mapping[str, int]
_ROUTINES: Mapping[str, Callable[[_Sizes], float]] = {
    **dict.fromkeys(["dot", "dotu", "dotc", "axpy", "nrm2"], lambda s: 2.0 * s["n"]),
    **dict.fromkeys(["scal", "asum"], lambda s: 1.0 * s["n"]),
    **dict.fromkeys(["gemv", "ger", "geru", "gerc"], lambda s: 2.0 * s["m"] * s["n"]),
    **dict.fromkeys(["trmv", "trsv"], lambda s: 1.0 * s["n"] ** 2),
    **dict.fromkeys(["symv", "hemv"], lambda s: 2.0 * s["n"] ** 2),
    **dict.fromkeys(["gemm", "symm", "hemm"], lambda s: multiply_flops([s["m"], s["n"]], s["k"], "f")),
    **dict.fromkeys(["trmm", "trsm"], lambda s: 1.0 * s["m"] * s["n"] * s["k"]),
    **dict.fromkeys(["syrk", "herk"], lambda s: 1.0 * s["n"] ** 2 * s["k"]),
    **dict.fromkeys(["syr2k", "her2k"], lambda s: 2.0 * s["n"] ** 2 * s["k"]),
    "getrf": lambda s: max(s["m"], s["n"]) * min(s["m"], s["n"]) ** 2 - min(s["m"], s["n"]) ** 3 / 3,
    **dict.fromkeys(["geqrf", "geqp3"], lambda s: qr_flops(s["m"], s["n"], makes_q=False)),
    **dict.fromkeys(["orgqr", "ungqr"], lambda s: qr_flops(s["m"], s["n"], makes_q=False)),
    **dict.fromkeys(["gesdd", "gesvd"], lambda s: svd_flops(s["m"], s["n"], makes_vectors=True)),
    "getri": lambda s: 4 / 3 * s["n"] ** 3,
    **dict.fromkeys(["potrf", "trtri", "lauum"], lambda s: s["n"] ** 3 / 3),
    "potri": lambda s: 2 / 3 * s["n"] ** 3,
    **dict.fromkeys(["getrs", "potrs"], lambda s: 2.0 * s["n"] ** 2 * s["nrhs"]),
    "trtrs": lambda s: 1.0 * s["n"] ** 2 * s["nrhs"],
    "gesv": lambda s: solve_flops(s["n"], s["nrhs"]),
    "posv": lambda s: s["n"] ** 3 / 3 + 2.0 * s["n"] ** 2 * s["nrhs"],
    **dict.fromkeys(["gels", "gelsd"], lambda s: lstsq_flops(s["m"], s["n"], s["nrhs"])),
    "geev": lambda s: PER_CUBE["eig"] * s["n"] ** 3,
    "gees": lambda s: 25.0 * s["n"] ** 3,
    "gehrd": lambda s: 10 / 3 * s["n"] ** 3,
    "gelqf": lambda s: qr_flops(s["m"], s["n"], makes_q=False),
    "gebrd": lambda s: 2 * qr_flops(s["m"], s["n"], makes_q=False),
    **dict.fromkeys(["sytrf", "hetrf"], lambda s: s["n"] ** 3 / 3),
    **dict.fromkeys(["sytrs", "hetrs"], lambda s: 2.0 * s["n"] ** 2 * s["nrhs"]),
    **dict.fromkeys(["sysv", "hesv"], lambda s: s["n"] ** 3 / 3 + 2.0 * s["n"] ** 2 * s["nrhs"]),
    **dict.fromkeys(["syev", "heev", "syevd", "heevd", "syevr", "heevr"], lambda s: PER_CUBE["eigh"] * s["n"] ** 3),
}


def routine_flops(precision: str, family: str, sizes: _Sizes) -> float:
    """Return the flops of a routine of BLAS or LAPACK; 0 for a routine that only moves numbers, or is unknown.

    Args:
        precision: first letter of its name, such as "d".
        family: the rest of its name, such as "gemm".
        sizes: sizes of the call by their names in `pysmpi.simulation.compute.blas.routines.ROUTINES`.
    """
    count = _ROUTINES.get(family)
    return 0.0 if count is None else count(sizes) * weight_of_kind("c" if precision in "cz" else "f")


_WITHOUT_VECTORS: Mapping[str, Callable[[_Sizes], float]] = {
    **dict.fromkeys(["gesdd", "gesvd"], lambda s: svd_flops(s["m"], s["n"], makes_vectors=False)),
    "geev": lambda s: PER_CUBE["eigvals"] * s["n"] ** 3,
    "gees": lambda s: PER_CUBE["eigvals"] * s["n"] ** 3,
    **dict.fromkeys(["syev", "heev", "syevd", "heevd", "syevr", "heevr"], lambda s: PER_CUBE["eigvalsh"] * s["n"] ** 3),
}

# Numbers in the operands and results of a routine, each counted once. For routines that are not listed, they are those
# of the matrix (m × n, or n × n if the routine has no m) and of the right-hand sides.
_NUMBERS: Mapping[str, Callable[[_Sizes], int]] = {
    **dict.fromkeys(["dot", "dotu", "dotc", "axpy", "copy", "swap"], lambda s: 2 * s["n"]),
    **dict.fromkeys(["nrm2", "asum", "amax", "scal"], lambda s: s["n"]),
    **dict.fromkeys(["gemv", "ger", "geru", "gerc"], lambda s: s["m"] * s["n"] + s["m"] + s["n"]),
    **dict.fromkeys(["trmv", "trsv", "symv", "hemv"], lambda s: s["n"] ** 2 + 2 * s["n"]),
    **dict.fromkeys(["gemm"], lambda s: s["m"] * s["k"] + s["k"] * s["n"] + s["m"] * s["n"]),
    **dict.fromkeys(["symm", "hemm", "trmm", "trsm"], lambda s: s["k"] ** 2 + 2 * s["m"] * s["n"]),
    **dict.fromkeys(["syrk", "herk"], lambda s: s["n"] * s["k"] + s["n"] ** 2),
    **dict.fromkeys(["syr2k", "her2k"], lambda s: 2 * s["n"] * s["k"] + s["n"] ** 2),
    "laswp": lambda s: 2 * s["k"] * s["n"],
}
_BYTES = {"s": 4, "d": 8, "c": 8, "z": 16}


def routine_amount(precision: str, family: str, sizes: _Sizes, *, makes_vectors: bool) -> tuple[float, float]:
    """Return the flops of a call of a routine, or 0 if they are unknown, and the bytes of its operands.

    Args:
        precision: first letter of its name, such as "d".
        family: the rest of its name, such as "gemm".
        sizes: m, n, k and nrhs; 0 for those that the routine lacks.
        makes_vectors: False for eigenvalues or singular values without their vectors.
    """
    table = _ROUTINES if makes_vectors else _WITHOUT_VECTORS
    flops = table[family](sizes) * weight_of_kind("c" if precision in "cz" else "f") if family in table else 0.0
    count = _NUMBERS.get(family)
    rows = sizes["m"] or sizes["n"]
    numbers = count(sizes) if count is not None else rows * sizes["n"] + sizes["n"] * sizes["nrhs"]
    return flops, float(numbers * _BYTES[precision])
