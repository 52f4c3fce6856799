"""Datatypes: constructors, envelopes and names. MPI 4.1, section 5.1.

Every constructor comes down to blocks of older types at displacements, from which the native side makes the layout
(``native/objects/layout.hpp``); what is kept here is how the type was made, for MPI_Type_get_contents.
"""

import dataclasses
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

from pysmpi.mpi.constants import (
    DATATYPE_NULL,
    DISTRIBUTE_BLOCK,
    DISTRIBUTE_CYCLIC,
    DISTRIBUTE_DEFAULT,
    DISTRIBUTE_NONE,
    ERR_ARG,
    ERR_COUNT,
    ERR_TYPE,
    MAX_OBJECT_NAME,
    ORDER_C,
    ORDER_FORTRAN,
)
from pysmpi.mpi.predefined import MATCHING, NAMES, alignment
from pysmpi.mpi.seam import MpiError, check, mpi_function
from pysmpi.native import ffi, lib

__all__ = ["reset_datatypes"]

_DATATYPES = 1  # the kind of object, to the native table of attributes

_NAMED, _DUP, _CONTIGUOUS, _VECTOR, _HVECTOR, _INDEXED, _HINDEXED = 1, 2, 3, 4, 6, 7, 9  # MPI_COMBINER_
_INDEXED_BLOCK, _STRUCT, _SUBARRAY, _DARRAY, _RESIZED, _HINDEXED_BLOCK = 10, 12, 13, 14, 18, 19

Block = tuple[int, int, int]  # elements, displacement in bytes, datatype


@dataclasses.dataclass(slots=True)
class _Derived:
    """A derived type: how it was made, and by how many handles it is held (its own, others' contents, other types)."""

    combiner: int
    types: tuple[int, ...]
    integers: tuple[int, ...]
    addresses: tuple[int, ...]
    alignment: int
    references: int = 1
    name: str = ""


_derived: dict[int, _Derived] = {}
_predefined_names: dict[int, str] = {}  # those that a program has renamed


def reset_datatypes() -> None:
    """Forgets the derived datatypes, which the native side drops at a simulation's end."""
    _derived.clear()
    _predefined_names.clear()


def _check_type(handle: int) -> None:
    if handle == DATATYPE_NULL:
        raise MpiError(ERR_TYPE, "the datatype is MPI_DATATYPE_NULL")
    if not lib.pysmpi_is_datatype(handle):
        raise MpiError(ERR_TYPE, f"no datatype has the handle {handle:#x}; was it freed?")


def _check_counts(counts: Iterable[int], what: str = "count") -> None:
    for count in counts:
        if count < 0:
            raise MpiError(ERR_COUNT, f"negative {what} {count}")


def _hold(handle: int) -> None:
    if handle in _derived:
        _derived[handle].references += 1


def _release(handle: int) -> None:
    derived = _derived.get(handle)
    if derived is None:
        return
    derived.references -= 1
    if derived.references == 0:
        del _derived[handle]
        lib.pysmpi_datatype_remove(handle)
        for used in derived.types:
            _release(used)


def _alignment(handles: Iterable[int]) -> int:
    """The strictest of the types' alignments, in bytes."""
    return max((_derived[h].alignment if h in _derived else alignment(h) for h in handles), default=1)


def _compose(blocks: Sequence[Block], extent_multiple: int = 1) -> int:
    counts = ffi.new("int64_t[]", [count for count, _, _ in blocks])
    displacements = ffi.new("int64_t[]", [displacement for _, displacement, _ in blocks])
    types = ffi.new("int[]", [handle for _, _, handle in blocks])
    return int(lib.pysmpi_datatype_compose(len(blocks), counts, displacements, types, extent_multiple))


def _note(
    handle: int,
    combiner: int,
    types: Sequence[int],
    integers: Iterable[int] = (),
    addresses: Iterable[int] = (),
    aligned: int | None = None,
) -> int:
    """Notes how the type behind a new handle was made."""
    for used in types:
        _hold(used)
    strictest = _alignment(types) if aligned is None else aligned
    _derived[handle] = _Derived(combiner, tuple(types), tuple(integers), tuple(addresses), strictest)
    return handle


def _extent(handle: int) -> int:
    return int(lib.pysmpi_datatype_extent(handle))


def _ints(pointer: Any, count: int) -> list[int]:
    return list(pointer[0:count]) if count > 0 else []


@mpi_function("Type_contiguous")
def type_contiguous(count: int, oldtype: int, newtype: Any) -> None:
    """Elements one after the other."""
    _check_type(oldtype)
    _check_counts([count])
    newtype[0] = _note(_compose([(count, 0, oldtype)]), _CONTIGUOUS, [oldtype], [count])


@mpi_function("Type_vector")
def type_vector(count: int, length: int, stride: int, oldtype: int, newtype: Any) -> None:
    """Blocks of `length` elements, `stride` extents apart."""
    _check_type(oldtype)
    _check_counts([count, length])
    step = stride * _extent(oldtype)
    blocks = [(length, i * step, oldtype) for i in range(count)]
    newtype[0] = _note(_compose(blocks), _VECTOR, [oldtype], [count, length, stride])


@mpi_function("Type_create_hvector")
def type_create_hvector(count: int, length: int, stride: int, oldtype: int, newtype: Any) -> None:
    """Blocks of `length` elements, `stride` bytes apart."""
    _check_type(oldtype)
    _check_counts([count, length])
    blocks = [(length, i * stride, oldtype) for i in range(count)]
    newtype[0] = _note(_compose(blocks), _HVECTOR, [oldtype], [count, length], [stride])


def _indexed(lengths: Sequence[int], displacements: Sequence[int], unit: int, oldtype: int) -> int:
    _check_counts(lengths, "block length")
    return _compose([(n, d * unit, oldtype) for n, d in zip(lengths, displacements, strict=True)])


@mpi_function("Type_indexed")
def type_indexed(count: int, lengths: Any, displacements: Any, oldtype: int, newtype: Any) -> None:
    """Blocks at displacements in extents."""
    _check_type(oldtype)
    _check_counts([count])
    each, places = _ints(lengths, count), _ints(displacements, count)
    handle = _indexed(each, places, _extent(oldtype), oldtype)
    newtype[0] = _note(handle, _INDEXED, [oldtype], [count, *each, *places])


@mpi_function("Type_create_hindexed")
def type_create_hindexed(count: int, lengths: Any, displacements: Any, oldtype: int, newtype: Any) -> None:
    """Blocks at displacements in bytes."""
    _check_type(oldtype)
    _check_counts([count])
    each, places = _ints(lengths, count), _ints(displacements, count)
    newtype[0] = _note(_indexed(each, places, 1, oldtype), _HINDEXED, [oldtype], [count, *each], places)


@mpi_function("Type_create_indexed_block")
def type_create_indexed_block(count: int, length: int, displacements: Any, oldtype: int, newtype: Any) -> None:
    """Blocks of one length at displacements in extents."""
    _check_type(oldtype)
    _check_counts([count])
    places = _ints(displacements, count)
    handle = _indexed([length] * count, places, _extent(oldtype), oldtype)
    newtype[0] = _note(handle, _INDEXED_BLOCK, [oldtype], [count, length, *places])


@mpi_function("Type_create_hindexed_block")
def type_create_hindexed_block(count: int, length: int, displacements: Any, oldtype: int, newtype: Any) -> None:
    """Blocks of one length at displacements in bytes."""
    _check_type(oldtype)
    _check_counts([count])
    places = _ints(displacements, count)
    newtype[0] = _note(
        _indexed([length] * count, places, 1, oldtype), _HINDEXED_BLOCK, [oldtype], [count, length], places
    )


@mpi_function("Type_create_struct")
def type_create_struct(count: int, lengths: Any, displacements: Any, types: Any, newtype: Any) -> None:
    """Blocks of different types at displacements in bytes; the extent is what C gives such a structure."""
    _check_counts([count])
    each, places, used = _ints(lengths, count), _ints(displacements, count), _ints(types, count)
    _check_counts(each, "block length")
    for handle in used:
        _check_type(handle)
    blocks = list(zip(each, places, used, strict=True))
    multiple = _alignment(used)
    # Explicit bounds, of a resized type, are kept.
    explicit = any(handle in _derived and _derived[handle].combiner == _RESIZED for handle in used)
    handle = _compose(blocks, 1 if explicit else multiple)
    newtype[0] = _note(handle, _STRUCT, used, [count, *each], places, multiple)


@mpi_function("Type_create_resized")
def type_create_resized(oldtype: int, lower_bound: int, extent: int, newtype: Any) -> None:
    """The same bytes between other bounds."""
    _check_type(oldtype)
    handle = int(lib.pysmpi_datatype_resize(oldtype, lower_bound, extent))
    newtype[0] = _note(handle, _RESIZED, [oldtype], [], [lower_bound, extent])


def _array_part(indices: Sequence[Sequence[int]], sizes: Sequence[int], order: int, oldtype: int) -> int:
    """The elements of an array with these indices in each dimension; as large as the whole array."""
    if order == ORDER_FORTRAN:
        indices, sizes = indices[::-1], sizes[::-1]
    strides = [math.prod(sizes[dimension + 1 :]) for dimension in range(len(sizes))]
    runs = _runs(indices[-1])
    extent = _extent(oldtype)
    blocks = [
        (length, (sum(i * s for i, s in zip(outer, strides, strict=False)) + first) * extent, oldtype)
        for outer in itertools.product(*indices[:-1])
        for first, length in runs
    ]
    part = _compose(blocks)
    whole = int(lib.pysmpi_datatype_resize(part, 0, math.prod(sizes) * extent))
    lib.pysmpi_datatype_remove(part)
    return whole


def _runs(indices: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending indices as runs: first, length."""
    runs: list[tuple[int, int]] = []
    for index in indices:
        if runs and index == sum(runs[-1]):
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((index, 1))
    return runs


def _check_order(order: int) -> None:
    if order not in (ORDER_C, ORDER_FORTRAN):
        raise MpiError(ERR_ARG, f"invalid order {order}, valid are MPI_ORDER_C and MPI_ORDER_FORTRAN")


@mpi_function("Type_create_subarray")
def type_create_subarray(
    dimensions: int, sizes: Any, subsizes: Any, starts: Any, order: int, oldtype: int, newtype: Any
) -> None:
    """A rectangular part of an array."""
    _check_type(oldtype)
    _check_order(order)
    if dimensions < 1:
        raise MpiError(ERR_ARG, f"invalid number of dimensions {dimensions}, valid are 1 and more")
    whole, part, first = (_ints(p, dimensions) for p in (sizes, subsizes, starts))
    for size, subsize, start in zip(whole, part, first, strict=True):
        if not (1 <= subsize <= size and 0 <= start <= size - subsize):
            raise MpiError(ERR_ARG, f"{subsize} elements from {start} on do not fit in a dimension of {size}")
    indices = [range(start, start + subsize) for start, subsize in zip(first, part, strict=True)]
    handle = _array_part(indices, whole, order, oldtype)
    newtype[0] = _note(handle, _SUBARRAY, [oldtype], [dimensions, *whole, *part, *first, order])


def _distributed(size: int, distribution: int, argument: int, processes: int, place: int) -> list[int]:
    """The indices of a dimension of `size` elements that the process at `place` of `processes` has."""
    if distribution == DISTRIBUTE_NONE:
        return list(range(size))
    if distribution == DISTRIBUTE_BLOCK:
        block = -(-size // processes) if argument == DISTRIBUTE_DEFAULT else argument
        if block * processes < size:
            raise MpiError(ERR_ARG, f"{processes} blocks of {block} do not hold the {size} elements of a dimension")
    elif distribution == DISTRIBUTE_CYCLIC:
        block = 1 if argument == DISTRIBUTE_DEFAULT else argument
    else:
        raise MpiError(ERR_ARG, f"invalid distribution {distribution}, valid are the MPI_DISTRIBUTE_ constants")
    if block < 1:
        raise MpiError(ERR_ARG, f"invalid distribution argument {argument}, valid are 1 and more")
    return [i for i in range(size) if i // block % processes == place]


@mpi_function("Type_create_darray")
def type_create_darray(
    size: int,
    rank: int,
    dimensions: int,
    sizes: Any,
    distributions: Any,
    arguments: Any,
    grid: Any,
    order: int,
    oldtype: int,
    newtype: Any,
) -> None:
    """The part of an array that one process of a grid has, as in High Performance Fortran."""
    _check_type(oldtype)
    _check_order(order)
    whole, kinds, how, processes = (_ints(p, dimensions) for p in (sizes, distributions, arguments, grid))
    if dimensions < 1 or math.prod(processes) != size or not 0 <= rank < size:
        raise MpiError(ERR_ARG, f"rank {rank} of {size} processes in a grid of {' x '.join(map(str, processes))}")
    places, left = [0] * dimensions, rank
    for dimension in reversed(range(dimensions)):  # the grid is in row-major order in any case
        left, places[dimension] = divmod(left, processes[dimension])
    indices = [_distributed(*each) for each in zip(whole, kinds, how, processes, places, strict=True)]
    handle = _array_part(indices, whole, order, oldtype)
    integers = [size, rank, dimensions, *whole, *kinds, *how, *processes, order]
    newtype[0] = _note(handle, _DARRAY, [oldtype], integers)


@mpi_function("Type_dup")
def type_dup(oldtype: int, newtype: Any) -> None:
    """The same type under another handle, with the attributes that their callbacks copy."""
    _check_type(oldtype)
    handle = _note(_compose([(1, 0, oldtype)]), _DUP, [oldtype])
    code = int(lib.pysmpi_copy_attributes(_DATATYPES, oldtype, handle))
    if code != 0:
        _release(handle)
        check(code)
    newtype[0] = handle


@mpi_function("Type_commit")
def type_commit(datatype: Any) -> None:
    """Nothing has to be done before a type is used."""
    _check_type(datatype[0])


@mpi_function("Type_free")
def type_free(datatype: Any) -> None:
    """The handle names nothing from here on; messages under way, and types made of it, keep it."""
    handle = datatype[0]
    _check_type(handle)
    if handle not in _derived:
        raise MpiError(ERR_TYPE, f"{NAMES[handle]} is predefined and cannot be freed")
    if _derived[handle].references == 1:
        check(int(lib.pysmpi_delete_attributes(_DATATYPES, handle)))
    _release(handle)
    datatype[0] = DATATYPE_NULL


@mpi_function("Type_get_envelope")
def type_get_envelope(datatype: int, integers: Any, addresses: Any, types: Any, combiner: Any) -> None:
    """Which constructor made it, and with how many arguments."""
    _check_type(datatype)
    derived = _derived.get(datatype)
    if derived is None:
        integers[0], addresses[0], types[0], combiner[0] = 0, 0, 0, _NAMED
        return
    integers[0], addresses[0], types[0] = len(derived.integers), len(derived.addresses), len(derived.types)
    combiner[0] = derived.combiner


@mpi_function("Type_get_contents")
def type_get_contents(
    datatype: int, max_integers: int, max_addresses: int, max_types: int, integers: Any, addresses: Any, types: Any
) -> None:
    """The arguments that its constructor was given. The caller frees derived types among them."""
    _check_type(datatype)
    derived = _derived.get(datatype)
    if derived is None:
        raise MpiError(ERR_TYPE, f"{NAMES[datatype]} is predefined and has no contents")
    contents = ((derived.integers, integers, max_integers), (derived.addresses, addresses, max_addresses))
    for values, out, room in (*contents, (derived.types, types, max_types)):
        if len(values) > room:
            raise MpiError(ERR_ARG, f"room for {room} values, but there are {len(values)}")
        for i, value in enumerate(values):
            out[i] = value
    for used in derived.types:
        _hold(used)


@mpi_function("Type_get_name")
def type_get_name(datatype: int, name: Any, length: Any) -> None:
    """The name it was given; that of MPI's constant for predefined types."""
    if datatype == DATATYPE_NULL:
        text = "MPI_DATATYPE_NULL"
    else:
        _check_type(datatype)
        derived = _derived.get(datatype)
        text = derived.name if derived else _predefined_names.get(datatype, NAMES[datatype])
    encoded = text.encode(errors="surrogateescape")[: MAX_OBJECT_NAME - 1]
    ffi.memmove(name, encoded + b"\0", len(encoded) + 1)
    length[0] = len(encoded)


@mpi_function("Type_set_name")
def type_set_name(datatype: int, name: Any) -> None:
    """Names it."""
    _check_type(datatype)
    text: str = ffi.string(name).decode(errors="surrogateescape")
    if datatype in _derived:
        _derived[datatype].name = text
    else:
        _predefined_names[datatype] = text


@mpi_function("Type_match_size")
def type_match_size(type_class: int, size: int, datatype: Any) -> None:
    """The predefined type of a kind (real, integer, complex) with this many bytes."""
    found = MATCHING.get((type_class, size))
    if found is None:
        raise MpiError(ERR_ARG, f"no predefined datatype of class {type_class} has {size} bytes")
    datatype[0] = found
