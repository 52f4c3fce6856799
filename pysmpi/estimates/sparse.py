"""Sparse matrices of SciPy in a traced program: products with arrays, transposes, and changes of the format.

Example: `y = a @ x` with CSR, CSC, COO, DIA or BSR has the flow of the same product by NumPy: a product of each stored
element with an element of x, and a sum for each row.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.recorder import SUM, Array
from pysmpi.estimates.traced import TracedArray, current, is_traced, leaves, named, plain, result

__all__ = ["SPARSE", "TracedSparse"]

_FORMATS = ("csr", "csc", "coo", "dia", "bsr")
_MAKING = ("diags", "diags_array", "eye", "eye_array", "identity", "random", "random_array", "rand", "spdiags")
_KEPT = {"shape", "ndim", "nnz", "dtype", "format", "size", "indices", "indptr", "getnnz"}


class TracedSparse:
    """Sparse matrix of a traced program.

    Attributes:
        matrix: the matrix of SciPy.
        row, col: (elements) positions of the stored elements.
        elements: (elements) the stored elements.
    """

    __array_priority__ = 2000
    __array_ufunc__ = None  # so that operators of arrays leave products to this class

    def __init__(self, matrix: Any, row: Array, col: Array, elements: TracedArray) -> None:
        self.matrix = matrix
        self.row = row
        self.col = col
        self.elements = elements

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self.matrix)

    @property
    def T(self) -> "TracedSparse":  # noqa: N802
        return TracedSparse(self.matrix.T, self.col, self.row, self.elements)

    @property
    def data(self) -> TracedArray:
        stored = self.matrix.tocoo()
        if not (np.array_equal(stored.row, self.row) and np.array_equal(stored.col, self.col)):
            raise self._without_rule("data of a matrix in another format")
        return self.elements

    def transpose(self) -> "TracedSparse":
        return self.T

    def copy(self) -> "TracedSparse":
        return TracedSparse(self.matrix.copy(), self.row, self.col, self.elements.copy())

    def asformat(self, name: str) -> "TracedSparse":
        return TracedSparse(self.matrix.asformat(name), self.row, self.col, self.elements)

    def __matmul__(self, x: Any) -> Any:
        with current().one_event():
            return self._times(x, self.matrix @ plain(x), self.row, self.col)

    def __rmatmul__(self, x: Any) -> Any:
        with current().one_event():
            found = plain(x) @ self.matrix
            return self._times(x if np.ndim(plain(x)) == 1 else x.T, found, self.col, self.row, turned=True)

    def dot(self, x: Any) -> Any:
        return self @ x

    def __mul__(self, x: Any) -> Any:
        if isinstance(self.matrix, scipy.sparse.sparray) or np.ndim(plain(x)) == 0:
            raise self._without_rule("*")
        return self @ x

    def _times(self, x: Any, data: Any, sums: Array, terms: Array, *, turned: bool = False) -> Any:
        """Record a product; `turned` tells that the result has the columns of x as its rows."""
        if not isinstance(data, np.ndarray) or not (is_traced(x) or isinstance(x, np.ndarray)):
            raise self._without_rule("product with another sparse matrix")
        taken = x[terms]
        products = (self.elements if taken.ndim == 1 else self.elements[:, None]) * taken
        found = result(data, SUM, work=0)
        values = np.asarray(found.val)
        current().flow(products.val, (values.T if turned else values)[sums])
        return found

    def __getattr__(self, name: str) -> Any:
        if name in _KEPT:
            return getattr(self.matrix, name)
        if name[:2] == "to" and name[2:] in _FORMATS:
            return lambda copy=False: self.asformat(name[2:])
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._without_rule(name)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise leaves("numpy.asarray of a sparse matrix")

    def _without_rule(self, what: str) -> EstimateError:
        return EstimateError(
            f"{current().here()}scipy.sparse: {what} has no rule; products with arrays (a @ x), transposes and changes "
            "of the format have one; leave this part out of the program that is estimated"
        )


def _traced_matrix(matrix: Any) -> TracedSparse:
    """Return a traced matrix whose stored elements are inputs."""
    stored = matrix.tocoo()
    return TracedSparse(matrix, stored.row, stored.col, named(np.array(stored.data)))


def _making(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes a sparse matrix from numbers and plain arrays, such as scipy.sparse.eye."""

    def make(*inputs: Any, **options: Any) -> TracedSparse:
        current().enter()
        return _traced_matrix(function(*plain(inputs), **plain(options)))

    return make


def _constructing(kind: Any) -> Callable[..., Any]:
    """Return a constructor of sparse matrices from another matrix, an array, or stored elements and their positions."""

    def construct(x: Any, *inputs: Any, **options: Any) -> TracedSparse:
        current().enter()
        if type(x) is TracedSparse:
            return TracedSparse(kind(x.matrix, *inputs, **options), x.row, x.col, x.elements)
        matrix = kind(plain(x), *plain(inputs), **plain(options))
        if is_traced(x):
            stored = matrix.tocoo()
            return TracedSparse(matrix, stored.row, stored.col, x[stored.row, stored.col])
        if not (isinstance(x, tuple) and is_traced(x[0])):
            return _traced_matrix(matrix)
        # Numbers from 1 in the place of the elements tell where each element goes.
        numbers = np.arange(1.0, x[0].size + 1).reshape(x[0].shape)
        pairs = isinstance(x[1], tuple | list) and len(x) == 2
        make = scipy.sparse.coo_matrix if pairs else kind
        stored = make((numbers, *plain(x[1:])), shape=matrix.shape).tocoo()
        return TracedSparse(matrix, stored.row, stored.col, x[0].reshape(-1)[stored.data.astype(int) - 1])

    return construct


def _is_sparse(x: Any) -> bool:
    return type(x) is TracedSparse or bool(scipy.sparse.issparse(x))


SPARSE: dict[str, Callable[..., Any]] = {
    **{name: _making(getattr(scipy.sparse, name)) for name in _MAKING if hasattr(scipy.sparse, name)},
    **{
        f"{each}_{kind}": _constructing(getattr(scipy.sparse, f"{each}_{kind}"))
        for each in _FORMATS
        for kind in ("matrix", "array")
    },
    "issparse": _is_sparse,
}
"""Functions of scipy.sparse as a traced program sees them."""
