"""Sparse matrices of SciPy in a traced program: products with arrays, sums, Kronecker products, and changes of form.

Example: `y = a @ x` with CSR, CSC, COO, DIA or BSR is recorded as a product of each stored element with an element of
x, and a sum for each row.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.record import SUM, Array
from pysmpi.estimates.sparse_elements import Stored, diagonal, is_unique, kronecker, stacked, total
from pysmpi.estimates.traced import TracedArray, current, indices, is_traced, leaves, named, plain, result

__all__ = ["SPARSE", "TracedSparse"]

_FORMATS = ("csr", "csc", "coo", "dia", "bsr")
_MAKING = ("diags", "diags_array", "eye", "eye_array", "identity", "random", "random_array", "rand", "spdiags")
_KEPT = {"shape", "ndim", "nnz", "dtype", "format", "size", "indices", "indptr", "getnnz"}


class TracedSparse:
    """Sparse matrix of SciPy that records which values its elements are computed from.

    Attributes:
        matrix: the matrix of SciPy.
        row, col: (elements) positions of the stored elements.
        elements: (elements) the stored elements.
        given: True if the elements are inputs of the program, which no node has to send. This holds, too, for a matrix
            that is computed from such matrices only, as if each node made its own part of it.
    """

    __array_priority__ = 2000
    __array_ufunc__ = None  # so that operators of arrays leave products to this class

    def __init__(self, matrix: Any, row: Array, col: Array, elements: TracedArray, *, given: bool = False) -> None:
        self.matrix = matrix
        self.given = given
        self.row = row
        self.col = col
        self.elements = elements

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self.matrix)

    @property
    def T(self) -> "TracedSparse":  # noqa: N802
        return TracedSparse(self.matrix.T, self.col, self.row, self.elements, given=self.given)

    @property
    def data(self) -> TracedArray:
        stored = self.matrix.tocoo()
        if not (np.array_equal(stored.row, self.row) and np.array_equal(stored.col, self.col)):
            raise self._without_rule("data of a matrix in another format")
        return self.elements

    def transpose(self) -> "TracedSparse":
        return self.T

    def copy(self) -> "TracedSparse":
        return TracedSparse(self.matrix.copy(), self.row, self.col, self.elements.copy(), given=self.given)

    def asformat(self, name: str) -> "TracedSparse":
        return TracedSparse(self.matrix.asformat(name), self.row, self.col, self.elements, given=self.given)

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
        if type(x) is not TracedSparse and np.ndim(plain(x)) == 0:
            return self._scaled(self.matrix * plain(x), lambda: self.elements * x, is_traced(x))
        if isinstance(self.matrix, scipy.sparse.sparray):
            raise self._without_rule("* with an array")
        return self @ x

    def __rmul__(self, x: Any) -> Any:
        if np.ndim(plain(x)) == 0:
            return self * x
        raise self._without_rule("* with an array")

    def __truediv__(self, x: Any) -> Any:
        if np.ndim(plain(x)):
            raise self._without_rule("/ with an array")
        return self._scaled(self.matrix / plain(x), lambda: self.elements / x, is_traced(x))

    def __neg__(self) -> "TracedSparse":
        return self._scaled(-self.matrix, lambda: np.negative(self.elements), False)

    def __add__(self, other: Any) -> "TracedSparse":
        return self._plus(other, "+")

    def __sub__(self, other: Any) -> "TracedSparse":
        return self._plus(-other if type(other) is TracedSparse else other, "-")

    def __getitem__(self, key: Any) -> "TracedSparse":
        """Return some rows and columns, such as a[order][:, order], of a matrix whose elements are inputs.

        The elements of the result count as inputs of the program, too.
        """
        part = self.matrix[tuple(map(plain, key)) if type(key) is tuple else plain(key)]
        if not self.given or not scipy.sparse.issparse(part):
            raise self._without_rule("an element, or a part of a matrix with computed elements,")
        return _traced_matrix(part)

    def __setitem__(self, key: Any, value: Any) -> None:
        raise self._without_rule("a change of elements")

    def __pow__(self, exponent: Any) -> "TracedSparse":
        raise self._without_rule("power")

    def __radd__(self, other: Any) -> "TracedSparse":
        if type(plain(other)) is int and other == 0:  # sum() of matrices begins with 0
            return self
        raise self._without_rule("+ with an array")

    def diagonal(self) -> Any:
        self._need_unique("diagonal")
        size = min(self.matrix.shape)
        return diagonal(self.stored, size, named(np.zeros(1, self.matrix.dtype)))

    @property
    def stored(self) -> Stored:
        return Stored(self.row, self.col, self.elements)

    def _scaled(self, matrix: Any, elements: Callable[[], Any], by_traced: bool) -> "TracedSparse":
        if self.given and not by_traced:
            return _traced_matrix(matrix)
        return TracedSparse(matrix, self.row, self.col, elements())

    def _plus(self, other: Any, sign: str) -> "TracedSparse":
        if type(other) is not TracedSparse:
            raise self._without_rule(f"{sign} with an array")
        for each in (self, other):
            each._need_unique(sign)
        columns = self.matrix.shape[1]
        matrix = self.matrix + other.matrix
        return _computed(matrix, [self, other], lambda: total(self.stored, other.stored, columns))

    def _need_unique(self, what: str) -> None:
        if not is_unique(self.stored, self.matrix.shape[1]):
            raise self._without_rule(f"{what} of a matrix that stores a position twice")

    def _times(self, x: Any, data: Any, sums: Array, terms: Array, *, turned: bool = False) -> Any:
        """Return the traced product of the matrix with an array.

        Args:
            x: the array.
            data: the product that SciPy has computed.
            sums: (elements) row of the product that each stored element contributes to.
            terms: (elements) row of x that it is multiplied with.
            turned: True if `data` is the transpose of the product, as for x @ a.
        """
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
            f"{current().here()}scipy.sparse: {what} has no rule; products with arrays (a @ x), sums, multiples, "
            "Kronecker products, transposes and changes of the format have one; leave this part out of the program "
            "that is estimated"
        )


def _traced_matrix(matrix: Any) -> TracedSparse:
    """Return a traced matrix for one of SciPy whose stored elements are inputs of the program."""
    stored = matrix.tocoo()
    return TracedSparse(matrix, stored.row, stored.col, named(np.array(stored.data)), given=True)


def _computed(matrix: Any, parts: list[TracedSparse], stored: Callable[[], Stored]) -> TracedSparse:
    """Return a traced matrix that is computed from others.

    Args:
        matrix: the matrix of SciPy.
        parts: the other matrices. If the elements of all are inputs of the program, those of the result are, too.
        stored: function that returns the traced elements of the result.
    """
    if all(part.given for part in parts):
        return _traced_matrix(matrix)
    return TracedSparse(matrix, *stored())


def _making(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the traced version of a function such as scipy.sparse.eye, whose matrices are inputs of the program."""

    def make(*inputs: Any, **options: Any) -> TracedSparse:
        current().enter()
        return _traced_matrix(function(*plain(inputs), **plain(options)))

    return make


def _constructing(kind: Any) -> Callable[..., Any]:
    """Return the traced version of a constructor such as scipy.sparse.csr_matrix.

    It takes another matrix, an array, or elements and their positions.
    """

    def construct(x: Any, *inputs: Any, **options: Any) -> TracedSparse:
        current().enter()
        if type(x) is TracedSparse:
            return TracedSparse(kind(x.matrix, *inputs, **options), x.row, x.col, x.elements, given=x.given)
        if isinstance(x, tuple):
            indices(x[1:])
        matrix = kind(plain(x), *plain(inputs), **plain(options))
        if is_traced(x):
            stored = matrix.tocoo()
            return TracedSparse(matrix, stored.row, stored.col, x[stored.row, stored.col])
        if not (isinstance(x, tuple) and is_traced(x[0])):
            return _traced_matrix(matrix)
        # A matrix with the numbers 1, 2, 3, … instead of the elements shows where SciPy stores each element.
        numbers = np.arange(1.0, x[0].size + 1).reshape(x[0].shape)
        pairs = isinstance(x[1], tuple | list) and len(x) == 2
        make = scipy.sparse.coo_matrix if pairs else kind
        stored = make((numbers, *plain(x[1:])), shape=matrix.shape).tocoo()
        return TracedSparse(matrix, stored.row, stored.col, x[0].reshape(-1)[stored.data.astype(int) - 1])

    return construct


def _kron(a: Any, b: Any, format: str | None = None) -> TracedSparse:
    """Return `scipy.sparse.kron` of traced or plain matrices."""
    current().enter()
    first, second = (_as_traced(each) for each in (a, b))
    matrix = scipy.sparse.kron(first.matrix, second.matrix, format=format)
    return _computed(matrix, [first, second], lambda: kronecker(first.stored, second.stored, second.matrix.shape))


def _kronsum(a: Any, b: Any, format: str | None = None) -> TracedSparse:
    """Return `scipy.sparse.kronsum` of traced or plain matrices: kron(identity, a) + kron(b, identity)."""
    first, second = (_as_traced(each) for each in (a, b))
    parts = (
        _kron(scipy.sparse.eye(second.matrix.shape[0]), first),
        _kron(second, scipy.sparse.eye(first.matrix.shape[0])),
    )
    matrix = scipy.sparse.kronsum(first.matrix, second.matrix, format=format)
    return _computed(matrix, [first, second], lambda: (parts[0] + parts[1]).stored)


def _stacking(function: Callable[..., Any], along: tuple[bool, bool]) -> Callable[..., Any]:
    """Return the traced version of scipy.sparse.vstack, hstack or block_diag.

    Args:
        function: SciPy's function.
        along: see `pysmpi.estimates.sparse_elements.stacked`.
    """

    def stack(blocks: Any, **options: Any) -> TracedSparse:
        current().enter()
        parts = [_as_traced(each) for each in blocks]
        matrix = function([part.matrix for part in parts], **options)
        shapes = [part.matrix.shape for part in parts]
        return _computed(matrix, parts, lambda: stacked([part.stored for part in parts], shapes, along))

    return stack


def _as_traced(x: Any) -> TracedSparse:
    if type(x) is TracedSparse:
        return x
    if is_traced(x):
        row, col = np.nonzero(plain(x))
        return TracedSparse(scipy.sparse.coo_array(plain(x)), row, col, x[row, col])
    return _traced_matrix(scipy.sparse.coo_array(x) if not scipy.sparse.issparse(x) else x)


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
    "kron": _kron,
    "kronsum": _kronsum,
    "vstack": _stacking(scipy.sparse.vstack, (True, False)),
    "hstack": _stacking(scipy.sparse.hstack, (False, True)),
    "block_diag": _stacking(scipy.sparse.block_diag, (True, True)),
}
"""Functions of scipy.sparse as a traced program sees them."""
