"""Calls of SciPy's BLAS and LAPACK functions on operands of given sizes.

The timed call includes SciPy's wrapper, because a model replaces the whole call of a Python program.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["KERNELS", "Call", "Kernel"]

Sizes = dict[str, int]
New = Callable[..., Any]  # creates an array of the routine's type, column-major


@dataclass(frozen=True, slots=True)
class Call:
    """Repeatable call of a BLAS or LAPACK function on fixed operands.

    Attributes:
        run: the call.
        renew: function that restores the operands before each call, or None if they need not be restored.
    """

    run: Callable[[], Any]
    renew: Callable[[], Any] | None = None


@dataclass(frozen=True, slots=True)
class Kernel:
    """Description of a BLAS or LAPACK routine that can be measured.

    Attributes:
        leading: leading term of the operation count.
        numbers: function that returns the number of elements of all operands for given sizes.
        call: function that creates operands and returns a `Call` of SciPy's function on them.
        settle: function that changes randomly drawn sizes to valid ones, or None if all sizes are valid.
    """

    leading: str
    numbers: Callable[[Sizes], int]
    call: Callable[[Any, Sizes, New], Call]
    settle: Callable[[Sizes, Any], Sizes] | None = None


def _gemm(function: Any, s: Sizes, new: New) -> Call:
    a, b, c = new(s["m"], s["k"]), new(s["k"], s["n"]), new(s["m"], s["n"])
    return Call(lambda: function(1.0, a, b, beta=1.0, c=c, overwrite_c=1))


def _trsm(function: Any, s: Sizes, new: New) -> Call:
    triangle, b = new(s["k"], s["k"]), new(s["m"], s["n"])
    side = int(s["k"] != s["m"])
    return Call(lambda: function(1.0, triangle, b, side=side, lower=1, diag=1, overwrite_b=1))


def _one_side(s: Sizes, rng: Any) -> Sizes:
    """Choose at random whether the triangular matrix multiplies from the left or from the right."""
    return {**s, "k": s["m"] if rng.random() < 0.5 else s["n"]}


def _syrk(function: Any, s: Sizes, new: New) -> Call:
    a, c = new(s["n"], s["k"]), new(s["n"], s["n"])
    return Call(lambda: function(1.0, a, beta=1.0, c=c, lower=1, overwrite_c=1))


def _gemv(function: Any, s: Sizes, new: New) -> Call:
    a, x, y = new(s["m"], s["n"]), new(s["n"]), new(s["m"])
    return Call(lambda: function(1.0, a, x, beta=1.0, y=y, overwrite_y=1))


def _ger(function: Any, s: Sizes, new: New) -> Call:
    a, x, y = new(s["m"], s["n"]), new(s["m"]), new(s["n"])
    return Call(lambda: function(1.0, x, y, a=a, overwrite_a=1))


def _trsv(function: Any, s: Sizes, new: New) -> Call:
    triangle, x = new(s["n"], s["n"]), new(s["n"])
    return Call(lambda: function(triangle, x, lower=1, diag=1, overwrite_x=1))


def _potrf(function: Any, s: Sizes, new: New) -> Call:
    matrix = new(s["n"], s["n"])
    matrix[np.diag_indices(s["n"])] += 1.0  # the other elements are so small that the matrix is positive definite
    work = matrix.copy(order="F")
    return Call(lambda: function(work, lower=1, clean=0, overwrite_a=1), lambda: np.copyto(work, matrix))


def _getrf(function: Any, s: Sizes, new: New) -> Call:
    matrix = new(s["m"], s["n"])
    work = matrix.copy(order="F")
    return Call(lambda: function(work, overwrite_a=1), lambda: np.copyto(work, matrix))


def _tall(s: Sizes, _: Any) -> Sizes:
    return {"m": max(s["m"], s["n"]), "n": min(s["m"], s["n"])}


def _laswp(function: Any, s: Sizes, new: New) -> Call:
    rows = 2 * s["k"]
    matrix = new(rows, s["n"])
    pivots = np.random.default_rng(s["k"]).integers(np.arange(s["k"]), rows).astype(np.intc)
    return Call(lambda: function(matrix, pivots, overwrite_a=1))


def _one_vector(*before: float) -> Callable[[Any, Sizes, New], Call]:
    def call(function: Any, s: Sizes, new: New) -> Call:
        x = new(s["n"])
        return Call(lambda: function(*before, x))

    return call


def _two_vectors(*after: float) -> Callable[[Any, Sizes, New], Call]:
    def call(function: Any, s: Sizes, new: New) -> Call:
        x, y = new(s["n"]), new(s["n"])
        return Call(lambda: function(x, y, s["n"], *after))

    return call


def _square(s: Sizes) -> int:
    return 2 * s["n"] ** 2


def _matrix(s: Sizes) -> int:
    return (s["m"] + 1) * (s["n"] + 1)


def _vectors(s: Sizes) -> int:
    return 2 * s["n"]


_FAMILIES = {
    "gemm": Kernel("m*n*k", lambda s: s["m"] * s["k"] + s["k"] * s["n"] + s["m"] * s["n"], _gemm),
    "trsm": Kernel("m*n*k", lambda s: s["k"] ** 2 + s["m"] * s["n"], _trsm, _one_side),
    "syrk": Kernel("n^2*k", lambda s: s["n"] * (s["n"] + s["k"]), _syrk),
    "gemv": Kernel("m*n", _matrix, _gemv),
    "ger": Kernel("m*n", _matrix, _ger),
    "trsv": Kernel("n^2", _square, _trsv),
    "potrf": Kernel("n^3", _square, _potrf),
    "getrf": Kernel("m*n^2", lambda s: 2 * s["m"] * s["n"], _getrf, _tall),
    "laswp": Kernel("n*k", lambda s: 2 * s["n"] * s["k"], _laswp),
    "axpy": Kernel("n", _vectors, _two_vectors(1e-3)),
    "copy": Kernel("n", _vectors, _two_vectors()),
    "swap": Kernel("n", _vectors, _two_vectors()),
    "scal": Kernel("n", _vectors, _one_vector(0.999)),
}

KERNELS: dict[str, Kernel] = {
    **{precision + family: kernel for precision in "ds" for family, kernel in _FAMILIES.items()},
    **{f"i{precision}amax": Kernel("n", _vectors, _one_vector()) for precision in "ds"},
}
"""Routines that can be measured, by name."""
