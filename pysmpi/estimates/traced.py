"""Arrays and scalars of a traced program: they behave like NumPy's, and record which values are computed from which.

A `TracedArray` has, besides its data, two arrays of the same shape: the numbers of the values that its elements hold
(see `pysmpi.estimates.record`), and the numbers of its element positions. Views of the data are views of all three, so
an index, a slice or a transposition is applied to each of them in the same way. The data are computed by NumPy as
without tracing, so results are equal to the bit.

Compiled code would use the memory of a subclass of numpy.ndarray unnoticed. Therefore `TracedArray` is no subclass: it
only claims to be one (`__class__`), and raises an error if compiled code asks for its memory.
"""

import math
import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.record import INTEGER, TEMPORARY, Array, Lease
from pysmpi.estimates.recorder import Recorder, like

__all__ = [
    "TracedArray",
    "TracedScalar",
    "Wrapped",
    "current",
    "entering",
    "indices",
    "is_traced",
    "named",
    "plain",
    "result",
    "values_of",
]

_COMPLEX_WORDS = 2

_recorder: Recorder | None = None


def entering(recorder: Recorder | None) -> None:
    """Set the recorder to which all traced arrays report, or None for no recorder."""
    global _recorder
    _recorder = recorder


def current() -> Recorder:
    """Return the recorder to which all traced arrays report: that of the program that runs."""
    assert _recorder is not None
    return _recorder


def is_traced(x: Any) -> bool:
    """Return whether an object is a traced array or scalar."""
    return type(x) in (TracedArray, TracedScalar)


def plain(x: Any) -> Any:
    """Return an argument of a function as NumPy needs it: traced arrays and scalars in it are replaced by their data.

    Tuples, lists, dictionaries and slices are searched for them.
    """
    kind = type(x)
    if kind is TracedArray or kind is TracedScalar:
        return x.data
    if kind is tuple or kind is list:
        return kind(plain(each) for each in x)
    if kind is dict:
        return {key: plain(each) for key, each in x.items()}
    if kind is slice:
        return slice(plain(x.start), plain(x.stop), plain(x.step))
    return x.wrapped if isinstance(x, Wrapped) else x


class Wrapped:
    """Replacement of an object of NumPy or SciPy for a traced program.

    Attributes:
        wrapped: the object that is replaced.
    """

    __slots__ = ("wrapped",)

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped


def indices(x: Any) -> Any:
    """Return indices, shapes or counts as NumPy needs them: traced arrays in them are replaced by their data.

    The values of these arrays are recorded as indices.
    """
    kind = type(x)
    if kind is TracedArray or kind is TracedScalar:
        current().indexes(x.val)
        return x.data
    if kind is tuple or kind is list:
        return kind(indices(each) for each in x)
    if kind is slice:
        return slice(indices(x.start), indices(x.stop), indices(x.step))
    return x


def values_of(x: Any) -> Array:
    """Return the numbers of the values in an argument, as an array of its shape.

    By these numbers, the record identifies values. Data that are not traced get new numbers.
    """
    if is_traced(x):
        return np.asarray(x.val)
    if isinstance(x, list | tuple) and any(is_traced(each) or isinstance(each, list | tuple) for each in x):
        return np.stack([values_of(each) for each in x])
    shape = np.shape(x)
    return current().fresh(np.full(shape, -1), TEMPORARY)


def words_of(dtype: Any) -> int:
    """Return the size of an element of a type in words of 8 bytes: 2 for complex numbers, 1 for others."""
    return _COMPLEX_WORDS if np.dtype(dtype).kind == "c" else 1


def kind_of(dtype: Any) -> int:
    """Return the properties of values of a type, as bits: INTEGER for integers and booleans, and 0 for others."""
    return INTEGER if np.dtype(dtype).kind in "iub" else 0


def check_dtype(data: Any) -> None:
    """Raise an EstimateError for an array or scalar whose elements are not numbers or booleans."""
    if data.dtype.kind not in "biufc":
        raise EstimateError(
            f"{current().here()}an array of dtype {str(data.dtype)!r} cannot be followed; "
            "use booleans, integers, floating-point or complex numbers"
        )


def named(data: Array) -> "TracedArray":
    """Return a traced array for data that a function such as numpy.zeros has made; they count as program inputs."""
    check_dtype(data)
    recorder = current()
    recorder.enter()
    lease = recorder.named_block(data)
    places = lease.block.places
    values = like(data, recorder.fresh(places.reshape(-1), kind_of(data.dtype), words=words_of(data.dtype)))
    return TracedArray(data, values, places, lease)


def result(data: Any, kind: int = 0, work: float = 1.0) -> "TracedArray | TracedScalar":
    """Return a traced array or scalar for a computed result; the caller has to record what it is computed from.

    Args:
        data: the result that NumPy has computed.
        kind: properties of the values, as bits (`pysmpi.estimates.record`).
        work: floating-point operations for each element.
    """
    check_dtype(data)
    recorder = current()
    words = words_of(data.dtype)
    kind |= TEMPORARY | kind_of(data.dtype)
    if not isinstance(data, np.ndarray):
        return TracedScalar(data, recorder.fresh_scalar(kind, work, words))
    lease = recorder.temporary_block(data)
    places = lease.block.places
    return TracedArray(data, like(data, recorder.fresh(places, kind, work, words).ravel()), places, lease)


def moved(data: Any, values: Array) -> "TracedArray | TracedScalar":
    """Return a traced array or scalar for data that NumPy has copied from elsewhere, without computing new values.

    Args:
        data: the copied data.
        values: (shape of data) number of the value in each element.
    """
    if not isinstance(data, np.ndarray):
        return TracedScalar(data, int(values))
    lease = current().temporary_block(data)
    own = np.array(values, dtype=np.int32, order="C")  # the array they come from can change later
    return TracedArray(data, like(data, own.ravel()), lease.block.places, lease)


def stored_into(target: "TracedArray", sources: list[Array], work: float = 1.0, kind: int = 0) -> "TracedArray":
    """Record that the elements of an array were computed in place, elementwise, from sources; return the array.

    Args:
        target: the array.
        sources: numbers of the values of each source, broadcast to the shape of the array.
        work: floating-point operations for each element.
        kind: properties of the new values, as bits (`pysmpi.estimates.record`).
    """
    recorder = current()
    recorder.touch(target.loc, target.first)
    values = recorder.fresh(target.loc, kind | kind_of(target.dtype), work, words_of(target.dtype))
    for each in sources:
        recorder.flow(each, values)
    target.val[...] = values
    return target


class Traced:
    """Base class of traced arrays and scalars, which defines their operators."""

    __slots__ = ()
    __array_priority__ = 1000
    data: Any
    val: Any

    if TYPE_CHECKING:  # `pysmpi.estimates.dispatch` adds it

        def __getattr__(self, name: str) -> Any: ...

    @property
    def dtype(self) -> Any:
        return self.data.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        found: tuple[int, ...] = self.data.shape
        return found

    @property
    def ndim(self) -> int:
        return int(self.data.ndim)

    @property
    def size(self) -> int:
        return int(self.data.size)

    @property
    def nbytes(self) -> int:
        return int(self.data.nbytes)

    @property
    def itemsize(self) -> int:
        return int(self.data.itemsize)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise leaves(current().called() or "numpy.asarray or a compiled function")

    def __reduce__(self) -> Any:
        raise leaves("pickle")

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, _: Any) -> Any:
        return self.copy()

    def __repr__(self) -> str:
        return repr(self.data)

    def __str__(self) -> str:
        return str(self.data)

    def __format__(self, spec: str) -> str:
        return format(self.data, spec)

    def _steers(self) -> Any:
        if self.size == 1:
            current().steers(int(np.asarray(self.val).reshape(-1)[0]))
        return self.data

    def __bool__(self) -> bool:
        return bool(self._steers())

    def __float__(self) -> float:
        return float(self._steers())

    def __int__(self) -> int:
        if self.dtype.kind not in "iub":
            return int(self._steers())
        current().indexes(self.val)  # integers serve as indices
        return int(self.data)

    def __complex__(self) -> complex:
        return complex(self._steers())

    def item(self, *index: Any) -> Any:
        if index:
            return self[index if len(index) > 1 else index[0]].item()  # type: ignore[index]
        return self._steers().item()

    def tolist(self) -> Any:
        if self.dtype.kind not in "iub":
            recorder = current()
            with recorder.one_event():
                for value in np.asarray(self.val).reshape(-1):
                    recorder.steers(int(value))
        return self.data.tolist()

    def __divmod__(self, other: Any) -> Any:
        return np.divmod(self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return np.divmod(other, self)

    def __index__(self) -> int:
        current().indexes(self.val)
        return int(operator.index(self.data))


class TracedScalar(Traced):
    """Scalar of a traced program, such as a[0] or a.sum().

    Attributes:
        data: the NumPy scalar.
        val: number of the value that it holds.
    """

    __slots__ = ("data", "val")

    def __init__(self, data: Any, val: int) -> None:
        self.data = data
        self.val = val

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self.data)

    def __hash__(self) -> int:
        return hash(self._steers())

    def view_by(self, function: Callable[[Any], Any]) -> "TracedArray | TracedScalar":
        """Return the traced result of a function that only rearranges elements, such as ravel or a transposition."""
        current().enter()
        return moved(function(self.data), function(np.asarray(self.val)))

    def __getitem__(self, index: Any) -> Any:
        data = self.data[plain(index)]
        return moved(data, np.asarray(self.val)[plain(index)])

    def __round__(self, *digits: Any) -> Any:
        return round(self._steers(), *digits)

    def __trunc__(self) -> int:
        found: int = math.trunc(self._steers())
        return found

    def __floor__(self) -> int:
        found: int = math.floor(self._steers())
        return found

    def __ceil__(self) -> int:
        found: int = math.ceil(self._steers())
        return found


class TracedArray(Traced):
    """Array of a traced program, which behaves like NumPy's and knows which value each element holds.

    Attributes:
        data: the array of NumPy.
        val: (shape of data) numbers of the values that the elements hold.
        loc: (shape of data) numbers of the element positions.
    """

    __slots__ = ("_owner", "data", "loc", "val")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: Array, val: Array, loc: Array, owner: Lease) -> None:
        self.data = data
        self.val = val
        self.loc = loc
        self._owner = owner  # while it exists, no other array gets these element positions

    @property
    def first(self) -> int:
        """Number of the first element position of the array that this one is a view of."""
        return self._owner.first

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return np.ndarray

    def __len__(self) -> int:
        return len(self.data)

    def __iter__(self) -> Iterator[Any]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d array")
        return (self[index] for index in range(len(self.data)))

    def __contains__(self, x: Any) -> bool:
        return bool((self == x).any())

    def view_by(self, function: Callable[[Array], Array]) -> "TracedArray | TracedScalar":
        """Return the traced result of a function that only rearranges elements, such as ravel or a transposition.

        Args:
            function: function that returns a view or a copy of an array; it is also applied to the value numbers.
        """
        data = function(self.data)
        if np.may_share_memory(data, self.data):
            return TracedArray(data, function(self.val), function(self.loc), self._owner)
        current().enter()
        return moved(data, function(self.val))

    def __getitem__(self, index: Any) -> Any:
        index = indices(index)
        data = self.data[index]
        if not isinstance(data, np.ndarray):
            return TracedScalar(data, int(self.val[index]))
        if np.may_share_memory(data, self.data):
            return TracedArray(data, self.val[index], self.loc[index], self._owner)
        current().enter()
        return moved(data, self.val[index])

    def __setitem__(self, index: Any, x: Any) -> None:
        recorder = current()
        recorder.enter()
        mask = index if type(index) is TracedArray and index.dtype.kind == "b" and index.ndim else None
        index = indices(index)
        self.data[index] = plain(x)
        places = self.loc[index]
        # A mask can choose other elements in each step, so all elements that it chooses from enter the hash.
        marked = self.loc if _has_mask(index) else places
        if type(x) is TracedScalar and not isinstance(places, np.ndarray):
            self.val[index] = x.val
            recorder.stored_scalar(x.val, int(places), self.first)
            return
        places = np.asarray(places)
        if not is_traced(x) and _any_traced(x):
            x_values = values_of(x)
        elif is_traced(x):
            x_values = np.asarray(x.val)
        else:
            recorder.touch(np.asarray(marked), self.first)
            if mask is not None and mask.shape == self.shape:
                self._overwritten(mask)
                return
            self.val[index] = recorder.fresh(places, kind_of(self.dtype), words=words_of(self.dtype))
            return
        if x_values.ndim > places.ndim:  # NumPy drops leading axes of length 1
            x_values = x_values.reshape(x_values.shape[x_values.ndim - places.ndim :])
        self.val[index] = x_values
        recorder.touch(np.asarray(marked), self.first)
        recorder.stored(x_values, places)

    def _overwritten(self, mask: "TracedArray") -> None:
        """Record that constants were assigned where a mask is true: all elements depend on it, as in where(m, 1, a)."""
        recorder = current()
        values = recorder.fresh(self.loc, kind_of(self.dtype), 1.0, words_of(self.dtype))
        recorder.flow(mask.val, values)
        recorder.flow(self.val[~mask.data], values[~mask.data])
        self.val[...] = values

    @property
    def T(self) -> Any:  # noqa: N802
        return self.view_by(lambda x: x.T)

    @property
    def flat(self) -> Any:
        return Flat(self)

    @flat.setter
    def flat(self, x: Any) -> None:
        Flat(self)[:] = x

    @property
    def shape(self) -> tuple[int, ...]:
        found: tuple[int, ...] = self.data.shape
        return found

    @shape.setter
    def shape(self, shape: Any) -> None:
        self.data, self.val, self.loc = (each.reshape(shape) for each in (self.data, self.val, self.loc))

    @property
    def strides(self) -> tuple[int, ...]:
        found: tuple[int, ...] = self.data.strides
        return found

    @property
    def flags(self) -> Any:
        return self.data.flags


class Flat:
    """Elements of a traced array in one dimension, as numpy.ndarray.flat has them.

    Args:
        array: the array; assignments change it.
    """

    def __init__(self, array: TracedArray) -> None:
        self._array = array

    def __len__(self) -> int:
        return self._array.size

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        places = np.arange(len(self))[indices(index)]
        return self._array[np.unravel_index(places, self._array.shape)]

    def __setitem__(self, index: Any, x: Any) -> None:
        places = np.arange(len(self))[indices(index)]
        if np.ndim(plain(x)) and np.size(plain(x)) != places.size:
            x = np.resize(x, places.shape)
        self._array[np.unravel_index(places, self._array.shape)] = x if np.ndim(plain(x)) == 0 else np.ravel(x)


def _has_mask(index: Any) -> bool:
    parts = index if type(index) is tuple else (index,)
    return any(isinstance(each, np.ndarray) and each.dtype.kind == "b" for each in parts)


def _any_traced(x: Any) -> bool:
    return isinstance(x, list | tuple) and any(is_traced(each) or _any_traced(each) for each in x)


def leaves(how: str, place: str | None = None) -> EstimateError:
    """Return the error for an array whose memory is handed to something other than NumPy's functions.

    Args:
        how: function or attribute that gets the memory.
        place: ``file:line: `` of the statement, or None for the running one.
    """
    return EstimateError(
        f"{current().here() if place is None else place}an array leaves NumPy here ({how}), so its values cannot be "
        "followed further; replace the function by NumPy's, or leave this part out of the program that is estimated"
    )


def _binary(ufunc: Any, operation: Callable[[Any, Any], Any], *, swapped: bool) -> Callable[[Any, Any], Any]:
    def method(self: Any, other: Any) -> Any:
        kind = type(other)
        traced = kind is TracedArray or kind is TracedScalar
        if not traced and not isinstance(other, int | float | complex | np.generic | np.ndarray | list | tuple):
            return NotImplemented
        if ufunc is np.matmul or (not traced and isinstance(other, list | tuple)):
            return ufunc(other, self) if swapped else ufunc(self, other)
        recorder = current()
        recorder.enter()
        right = other.data if traced else other
        found = result(operation(right, self.data) if swapped else operation(self.data, right))
        if type(found) is TracedScalar and type(self) is TracedScalar:
            recorder.flow_scalar(self.val, found.val)
            if kind is TracedScalar:
                recorder.flow_scalar(other.val, found.val)
            return found
        recorder.flow(self.val, found.val)
        if traced:
            recorder.flow(other.val, found.val)
        return found

    return method


def _in_place(ufunc: Any, operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def method(self: "TracedArray", other: Any) -> Any:
        if ufunc is np.matmul:
            with current().one_event():
                self[...] = np.matmul(self, other)
            return self
        current().enter()
        operation(self.data, plain(other))
        traced = is_traced(other) or _any_traced(other)
        return stored_into(self, [self.val.copy(), *([values_of(other)] if traced else [])])

    return method


def _unary(operation: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def method(self: Any) -> Any:
        current().enter()
        found = result(operation(self.data))
        current().flow(self.val, found.val)
        return found

    return method


def _add_operators() -> None:
    arithmetic = {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide,
        "mod": np.remainder, "pow": np.power, "matmul": np.matmul, "and": np.bitwise_and, "or": np.bitwise_or,
        "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift,
    }  # fmt: skip
    for name, ufunc in arithmetic.items():
        operation = getattr(operator, f"__{name}__")
        setattr(Traced, f"__{name}__", _binary(ufunc, operation, swapped=False))
        setattr(Traced, f"__r{name}__", _binary(ufunc, operation, swapped=True))
        setattr(TracedArray, f"__i{name}__", _in_place(ufunc, getattr(operator, f"__i{name}__")))
    comparisons = {
        "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal,
        "ne": np.not_equal,
    }  # fmt: skip
    for name, ufunc in comparisons.items():
        setattr(Traced, f"__{name}__", _binary(ufunc, getattr(operator, name), swapped=False))
    for name in ("neg", "pos", "abs", "invert"):
        setattr(Traced, f"__{name}__", _unary(getattr(operator, name)))


_add_operators()
