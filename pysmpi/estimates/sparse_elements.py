"""Stored elements of sparse matrices that are computed from those of other matrices.

Example: in `kron(eye(n), t) + kron(t, eye(n))`, the Laplace operator of a square grid, each stored element of a
Kronecker product is a product of two elements. In the sum, elements at a position that both matrices store are added;
the others are copied.
"""

from typing import Any, NamedTuple

import numpy as np

from pysmpi.estimates.record import Array

__all__ = ["Stored", "diagonal", "kronecker", "stacked", "total"]


class Stored(NamedTuple):
    """Stored elements of a matrix, with their positions.

    Attributes:
        row, col: (elements) row and column of each element.
        elements: (elements) traced array.
    """

    row: Array
    col: Array
    elements: Any


def is_unique(stored: Stored, columns: int) -> bool:
    """Return whether a matrix stores each position at most once; SciPy's format COO may store one several times.

    Args:
        stored: elements of the matrix.
        columns: number of its columns.
    """
    keys = _keys(stored, columns)
    return len(np.unique(keys)) == len(keys)


def total(first: Stored, second: Stored, columns: int) -> Stored:
    """Return the stored elements of the sum of two matrices that store no position twice.

    Args:
        first, second: elements of the matrices.
        columns: number of columns of each matrix.
    """
    one, other = _keys(first, columns), _keys(second, columns)
    _, in_one, in_other = np.intersect1d(one, other, assume_unique=True, return_indices=True)
    only_one, only_other = ~np.isin(one, other), ~np.isin(other, one)
    elements = (
        first.elements[in_one] + second.elements[in_other],
        first.elements[only_one],
        second.elements[only_other],
    )
    places = np.concatenate([one[in_one], one[only_one], other[only_other]])
    return Stored(places // columns, places % columns, np.concatenate(elements))


def kronecker(first: Stored, second: Stored, shape: tuple[int, int]) -> Stored:
    """Return the stored elements of the Kronecker product of two matrices; `shape` is that of the second one."""
    row = first.row[:, None] * shape[0] + second.row
    col = first.col[:, None] * shape[1] + second.col
    elements = first.elements[:, None] * second.elements
    return Stored(row.reshape(-1), col.reshape(-1), elements.reshape(-1))


def stacked(parts: list[Stored], shapes: list[tuple[int, int]], along: tuple[bool, bool]) -> Stored:
    """Return the stored elements of a matrix that consists of other matrices, as vstack, hstack and block_diag make.

    Args:
        parts: elements of the matrices.
        shapes: shapes of the matrices.
        along: whether each matrix begins below the last row, and right of the last column, of the one before:
            (True, False) for vstack, (False, True) for hstack, (True, True) for block_diag.
    """
    rows, columns = (np.cumsum([0, *(shape[axis] * along[axis] for shape in shapes)]) for axis in (0, 1))
    return Stored(
        np.concatenate([part.row + row for part, row in zip(parts, rows, strict=False)]),
        np.concatenate([part.col + column for part, column in zip(parts, columns, strict=False)]),
        np.concatenate([part.elements for part in parts]),
    )


def diagonal(stored: Stored, size: int, zero: Any) -> Any:
    """Return the traced main diagonal of a matrix that stores no position twice.

    Args:
        stored: elements of the matrix.
        size: number of elements of the diagonal.
        zero: traced array with one zero, which stands for elements that are not stored.
    """
    on = np.flatnonzero(stored.row == stored.col)
    place = np.full(size, len(stored.row))
    place[stored.row[on]] = on
    return np.concatenate([stored.elements, zero])[place]


def _keys(stored: Stored, columns: int) -> Array:
    return np.asarray(stored.row, np.int64) * columns + np.asarray(stored.col, np.int64)
