"""Table of NumPy's functions: how elements of results depend on elements of arguments.

Folded arrays take their implementations of functions from the table, too. A function that fits no other row stands in
the row `Dependence.OWN`, and has code of its own: an implementation for folded arrays
(`pysmpi.simulation.compute.folded.array_functions.answers`), or a rule for traced arrays
(`pysmpi.estimates.rules.rule`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import numpy as np

from pysmpi.simulation.compute.numpy_functions.contractions import CONTRACTIONS, Contraction
from pysmpi.simulation.compute.numpy_functions.matrices import MATRIX_FUNCTIONS, Operation

__all__ = ["FUNCTIONS", "Dependence", "Function", "named_functions"]


class Dependence(Enum):
    """Kinds of dependence of a result's elements on those of the arguments."""

    VIEW = auto()
    """Elements of the first argument in another order or shape, in the same memory if possible."""
    MOVE = auto()
    """Copies of elements of the arguments, and constants."""
    ELEMENTWISE = auto()
    """Each element depends on the elements at its position in all arguments, which are broadcast."""
    SUM = auto()
    """Each element sums a line of the first argument along an axis, or takes its largest element, …"""
    SCAN = auto()
    """Each element is the sum (or product) of the elements of the first argument up to its position along an axis."""
    LINES = auto()
    """Each element depends on a whole line of the first argument."""
    WHOLE = auto()
    """Each element depends on all elements of all arguments."""
    PRODUCTS = auto()
    """Each element is a sum of products, which the function's `Contraction` describes."""
    NOTHING = auto()
    """The result depends on shapes and types, or on where arrays are, and not on elements."""
    OWN = auto()
    """The function has its own rule, or no rule."""


@dataclass(frozen=True)
class Function:
    """Description of a NumPy function: how its result depends on its arguments, and what a call costs.

    Attributes:
        name: name in NumPy, such as "linalg.solve".
        dependence: how elements of the result depend on those of arguments.
        axis: for `Dependence.LINES`, the default axis or axes of the lines; None for all axes.
        axis_at: for `Dependence.LINES`, the position of the argument that names the axis.
        is_composed: whether NumPy implements the function by functions of this table, universal functions, views and
            methods of arrays only, so that its implementation can run with folded arrays.
        contraction: for products, the function that returns the `Contraction` of a call.
        operation: for functions of matrices and transforms, the function that returns the `Operation` of a call.
    """

    name: str
    dependence: Dependence
    axis: Any = None
    axis_at: int = 0
    is_composed: bool = False
    contraction: Callable[..., Contraction | None] | None = None
    operation: Callable[..., Operation] | None = None


# A row: dependence; functions that are composed of others; functions that are not.
_ROWS: tuple[tuple[Dependence, str, str], ...] = (
    (
        Dependence.VIEW,
        """atleast_1d atleast_2d atleast_3d array_split diagonal dsplit expand_dims flip fliplr flipud hsplit moveaxis
        permute_dims ravel real reshape rollaxis rot90 split squeeze swapaxes transpose vsplit""",
        "broadcast_to",
    ),
    (
        Dependence.MOVE,
        "column_stack dstack hstack repeat roll stack take vstack",
        """block concat concatenate copy delete diag diagflat fft.fftshift fft.ifftshift pad resize take_along_axis tile
        tril triu""",
    ),
    (
        Dependence.ELEMENTWISE,
        "around clip imag isclose round",
        "angle fix i0 iscomplex isneginf isposinf isreal nan_to_num real_if_close select sinc",
    ),
    (
        Dependence.SUM,
        "all amax amin any argmax argmin max mean min prod ptp sum",
        "count_nonzero nanargmax nanargmin nanmax nanmean nanmin nanprod nansum",
    ),
    (Dependence.SCAN, "cumprod cumsum", "nancumprod nancumsum"),
    (
        Dependence.WHOLE,
        "percentile quantile",
        """argwhere flatnonzero intersect1d isin lexsort linalg.cond linalg.det linalg.eigh linalg.eigvalsh linalg.lstsq
        linalg.matrix_rank linalg.qr linalg.slogdet linalg.svd linalg.svdvals linalg.tensorinv linalg.tensorsolve
        nanpercentile nanquantile nonzero polyfit polyval setdiff1d setxor1d sort_complex trim_zeros union1d unique""",
    ),
    (
        Dependence.PRODUCTS,
        "",
        """dot einsum inner linalg.matmul linalg.outer linalg.tensordot linalg.vecdot matmul matvec outer tensordot vdot
        vecdot vecmat""",
    ),
    (
        Dependence.NOTHING,
        """can_cast common_type iscomplexobj isrealobj may_share_memory min_scalar_type ndim result_type shape
        shares_memory size""",
        """array2string array_repr array_str diag_indices_from ravel_multi_index tril_indices_from triu_indices_from
        unravel_index""",
    ),
    (
        Dependence.OWN,
        """allclose append astype average choose compress cumulative_prod cumulative_sum diff gradient matrix_transpose
        meshgrid put searchsorted std trace trapezoid unstack var""",
        """apply_along_axis array_equal array_equiv bincount broadcast_arrays convolve copyto corrcoef correlate cov
        cross digitize empty_like extract fill_diagonal full_like histogram histogram2d histogram_bin_edges insert
        interp ix_ kron lib.stride_tricks.sliding_window_view linalg.cholesky linalg.cross linalg.diagonal linalg.eig
        linalg.eigvals linalg.matrix_norm linalg.matrix_transpose linalg.multi_dot linalg.norm linalg.solve linalg.trace
        linalg.vector_norm nanstd nanvar ones_like piecewise place put_along_axis putmask trapz unique_all
        unique_counts unique_inverse unique_values unwrap where zeros_like""",
    ),
)

# Functions whose result needs whole lines: the usual axis or axes, the position of the argument that names them, the
# functions that are composed of others, and those that are not.
_LINES: tuple[tuple[Any, int, str, str], ...] = (
    (-1, 1, "argsort sort", ""),
    (-1, 2, "argpartition partition", "fft.fft fft.hfft fft.ifft fft.ihfft fft.irfft fft.rfft"),
    ((-2, -1), 2, "", "fft.fft2 fft.ifft2 fft.irfft2 fft.rfft2"),
    (None, 2, "", "fft.fftn fft.ifftn fft.irfftn fft.rfftn"),
    (None, 1, "median", "nanmedian"),
    ((-2, -1), 9, "", "linalg.inv linalg.matrix_power linalg.pinv"),
)


def _found(name: str) -> Any:
    home: Any = np
    for part in name.split("."):
        home = getattr(home, part, None)
    return home


def _described() -> Iterator[Function]:
    rows = [(dependence, None, 0, composed, others) for dependence, composed, others in _ROWS]
    lines = [(Dependence.LINES, *row) for row in _LINES]
    for dependence, axis, axis_at, composed, others in [*rows, *lines]:
        for names, is_composed in ((composed, True), (others, False)):
            for name in names.split():
                described = CONTRACTIONS.get(name), MATRIX_FUNCTIONS.get(name)
                yield Function(name, dependence, axis, axis_at, is_composed, *described)


_BY_NAME = {each.name: (_found(each.name), each) for each in _described()}

FUNCTIONS: Mapping[Any, Function] = {found: each for found, each in _BY_NAME.values() if found is not None}
"""Descriptions by function; those that the installed version of NumPy lacks are left out."""


def named_functions(names: Iterable[str]) -> list[Any]:
    """Return NumPy's functions with these names, without those that the installed version of NumPy lacks.

    Raises:
        KeyError: a name has no row in the table.
    """
    return [found for found, _ in map(_BY_NAME.__getitem__, names) if found is not None]
