"""Derived datatypes, held against type maps written out byte by byte."""

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Runner = Callable[..., list[Any]]
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class TypeMap:
    """A datatype as MPI defines it: the offsets of its bytes in order, and its bounds."""

    def __init__(self, offsets: list[int], lower: int, upper: int) -> None:
        self.offsets, self.lower, self.upper = offsets, lower, upper

    @property
    def extent(self) -> int:
        """Bytes from one element to the next."""
        return self.upper - self.lower

    def blocks(self, blocks: list[tuple[int, int]]) -> "TypeMap":
        """Elements of this type: counts, and displacements in bytes."""
        starts = [displacement + i * self.extent for count, displacement in blocks for i in range(count)]
        if not starts:
            return TypeMap([], 0, 0)
        lower = min(start + self.lower for start in starts)
        upper = max(start + self.upper for start in starts)
        return TypeMap([start + offset for start in starts for offset in self.offsets], lower, upper)


def check(MPI: Any, datatype: Any, expected: TypeMap, count: int = 2) -> None:
    """Size, extents and packing agree with the type map, and the parameters make the type anew."""
    assert datatype.Get_size() == len(expected.offsets)
    assert datatype.Get_extent() == (expected.lower, expected.extent)
    if expected.offsets:
        true = min(expected.offsets), max(expected.offsets) + 1 - min(expected.offsets)
        assert datatype.Get_true_extent() == true
    if expected.offsets:
        packed = pack(MPI, datatype.Commit(), expected, count)
        places = [i * expected.extent + offset for i in range(count) for offset in expected.offsets]
        assert list(packed) == [place % 251 for place in places]


def pack(MPI: Any, datatype: Any, map_: TypeMap, count: int) -> bytearray:
    """Packs elements from memory in which each byte tells where it lies (modulo 251)."""
    memory = (np.arange(count * map_.extent + max(map_.offsets) + 1) % 251).astype(np.uint8)
    packed = bytearray(len(map_.offsets) * count)
    source = MPI.memory.fromaddress(MPI.Get_address(memory), map_.extent * count)
    assert datatype.Pack(source, packed, 0, MPI.COMM_SELF) == len(packed)
    assert datatype.Pack_size(count, MPI.COMM_SELF) == len(packed)
    again = np.zeros_like(memory)
    target = MPI.memory.fromaddress(MPI.Get_address(again), map_.extent * count)
    datatype.Unpack(packed, 0, target, MPI.COMM_SELF)
    touched = sorted({i * map_.extent + offset for i in range(count) for offset in map_.offsets})
    assert (again[touched] == memory[touched]).all()
    again[touched] = 0
    assert not again.any()
    return packed


basic = st.sampled_from(["BYTE", "INT16_T", "INT32_T", "DOUBLE"])


def base(MPI: Any, name: str) -> tuple[Any, TypeMap]:
    """A predefined datatype and its type map."""
    size = {"BYTE": 1, "INT16_T": 2, "INT32_T": 4, "DOUBLE": 8}[name]
    return getattr(MPI, name), TypeMap(list(range(size)), 0, size)


@QUICK
@given(basic, st.integers(0, 5), st.integers(0, 4), st.integers(0, 7), st.integers(0, 3))
def test_vectors_of_contiguous(MPI: ModuleType, name: str, count: int, length: int, stride: int, repeat: int) -> None:
    """Blocks of elements, a stride apart, of a contiguous type."""
    basic_type, map_ = base(MPI, name)
    inner = basic_type.Create_contiguous(repeat)
    inner_map = map_.blocks([(repeat, 0)])
    check(MPI, inner, inner_map)
    vector = inner.Create_vector(count, length, stride)
    expected = inner_map.blocks([(length, i * stride * inner_map.extent) for i in range(count)])
    if stride >= length:
        check(MPI, vector, expected)
    assert vector.Get_extent() == (expected.lower, expected.extent)
    assert vector.combiner == MPI.COMBINER_VECTOR
    assert vector.Get_contents()[0] == [count, length, stride]
    vector.Free()
    inner.Free()


@QUICK
@given(basic, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=6))
def test_indexed(MPI: ModuleType, name: str, gaps: list[tuple[int, int]]) -> None:
    """Blocks at displacements; the byte form of the same is the same."""
    basic_type, map_ = base(MPI, name)
    lengths, displacements, at = [], [], 0
    for length, gap in gaps:
        lengths.append(length)
        displacements.append(at + gap)
        at += gap + length
    expected = map_.blocks([(n, d * map_.extent) for n, d in zip(lengths, displacements, strict=True)])
    check(MPI, basic_type.Create_indexed(lengths, displacements), expected)
    in_bytes = [displacement * map_.extent for displacement in displacements]
    check(MPI, basic_type.Create_hindexed(lengths, in_bytes), expected)
    resized = basic_type.Create_hindexed(lengths, in_bytes).Create_resized(0, at * map_.extent + 3)
    check(MPI, resized, TypeMap(expected.offsets, 0, at * map_.extent + 3))


@QUICK
@given(st.data(), st.integers(1, 3), st.booleans())
def test_subarrays(MPI: ModuleType, data: st.DataObject, dimensions: int, fortran: bool) -> None:
    """The part of an array that numpy's slices cut out."""
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=dimensions, max_size=dimensions))
    subsizes = [data.draw(st.integers(1, size)) for size in sizes]
    starts = [data.draw(st.integers(0, size - part)) for size, part in zip(sizes, subsizes, strict=True)]
    order = "F" if fortran else "C"
    array = np.arange(math.prod(sizes), dtype=np.int32).reshape(sizes, order=order)  # values: places in memory
    part = array[tuple(slice(start, start + n) for start, n in zip(starts, subsizes, strict=True))].ravel(order)
    datatype = MPI.INT32_T.Create_subarray(sizes, subsizes, starts, MPI.ORDER_F if fortran else MPI.ORDER_C)
    offsets = [4 * int(place) + byte for place in part for byte in range(4)]
    check(MPI, datatype, TypeMap(offsets, 0, 4 * array.size))


@pytest.mark.parametrize("distribution", ["BLOCK", "CYCLIC"])
@pytest.mark.parametrize("grid", [(1, 1), (2, 3), (3, 2)])
def test_distributed_arrays_cover_the_array_once(MPI: ModuleType, distribution: str, grid: tuple[int, int]) -> None:
    """Each element of the array belongs to exactly one process."""
    sizes, kind = (7, 5), getattr(MPI, f"DISTRIBUTE_{distribution}")
    covered = []
    source = np.arange(35, dtype=np.int32)
    for rank in range(grid[0] * grid[1]):
        datatype = MPI.INT32_T.Create_darray(
            grid[0] * grid[1], rank, sizes, (kind, kind), (MPI.DISTRIBUTE_DFLT_DARG,) * 2, grid
        ).Commit()
        packed = np.zeros(datatype.Get_size() // 4, np.int32)
        datatype.Pack(source, packed, 0, MPI.COMM_SELF)
        assert datatype.Get_extent() == (0, 140)
        covered.extend(packed.tolist())
    assert sorted(covered) == list(range(35))


def test_structures_are_padded_as_in_c(MPI: ModuleType) -> None:
    """struct { double value; char flag; } has 16 bytes, of which 9 are sent."""
    structure = MPI.Datatype.Create_struct([1, 1], [0, 8], [MPI.DOUBLE, MPI.CHAR])
    assert (structure.Get_size(), structure.Get_extent()) == (9, (0, 16))
    dtype = np.dtype("d,b", align=True)
    assert structure.Get_extent()[1] == dtype.itemsize
    packed = MPI.Datatype.Create_struct([1, 1], [0, 8], [MPI.DOUBLE, MPI.CHAR]).Create_resized(0, 9)
    assert packed.Get_extent() == (0, 9)
    pair = MPI.Datatype.Create_struct([2, 1], [0, 18], [packed, MPI.CHAR])
    assert pair.Get_extent() == (0, 19)  # explicit bounds are kept


def test_types_live_as_long_as_something_uses_them(MPI: ModuleType) -> None:
    """A freed type can still be asked for as part of another, and then freed again."""
    inner = MPI.INT32_T.Create_vector(2, 1, 3)
    outer = inner.Create_contiguous(4)
    inner.Free()
    used, combiner, parameters = outer.decode()
    assert (combiner, parameters) == ("CONTIGUOUS", {"count": 4})
    assert used.Get_size() == 8
    used.Free()
    outer.Free()
    with pytest.raises(MPI.Exception, match="MPI_DOUBLE is predefined and cannot be freed"):
        MPI.DOUBLE.Free()


def test_names(MPI: ModuleType) -> None:
    """Predefined types have MPI's names, derived ones those they are given."""
    assert MPI.DOUBLE.Get_name() == "MPI_DOUBLE"
    derived = MPI.DOUBLE.Create_contiguous(2)
    assert derived.Get_name() == ""
    derived.Set_name("pair")
    assert derived.Get_name() == "pair"


def test_duplicates_copy_attributes(MPI: ModuleType) -> None:
    """As communicators do."""
    key = MPI.Datatype.Create_keyval(copy_fn=True)
    datatype = MPI.INT32_T.Create_contiguous(3)
    datatype.Set_attr(key, "attribute")
    duplicate = datatype.Dup()
    assert duplicate.Get_attr(key) == "attribute"
    assert (duplicate.Get_size(), duplicate.combiner) == (12, MPI.COMBINER_DUP)


def test_wrong_arguments(MPI: ModuleType) -> None:
    """The text says what does not fit."""
    with pytest.raises(MPI.Exception, match="3 elements from 2 on do not fit in a dimension of 4"):
        MPI.INT32_T.Create_subarray([4], [3], [2])
    with pytest.raises(MPI.Exception, match="negative block length -1"):
        MPI.INT32_T.Create_indexed([-1], [0])


@pytest.mark.parametrize("rows", [0, 1, 5, 3000])
def test_columns_of_a_matrix_travel(run_ranks: Runner, rows: int) -> None:
    """A column sent as a vector arrives as a row, and the other way round; eager and rendezvous sizes."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        column = MPI.DOUBLE.Create_vector(rows, 1, 4).Commit()
        matrix = np.arange(4.0 * rows).reshape(rows, 4)
        if world.rank == 0:
            world.Send([matrix.ravel()[2:], 1, column] if rows else [matrix, 0, column], 1)
            back = np.zeros((rows, 4))
            world.Recv([back, 1, column] if rows else [back, 0, column], 1)
            return (back[:, 0] == 2 * matrix[:, 2]).all() and not back[:, 1:].any()
        row = np.zeros(rows)
        world.Recv(row, 0)
        world.Send(2 * row, 0)
        return (row == matrix[:, 2]).all()

    assert run_ranks(program, 2) == [True, True]


def test_freeing_a_type_while_its_message_is_under_way(run_ranks: Runner) -> None:
    """MPI_Type_free waits for nobody, and the message is not harmed."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        column = MPI.INT32_T.Create_vector(50_000, 1, 2).Commit()
        buffer = np.arange(100_000, dtype=np.int32) * (world.rank + 1)
        other = np.zeros(100_000, np.int32)
        requests = [
            world.Irecv([other, 1, column], 1 - world.rank),
            world.Isend([buffer, 1, column], 1 - world.rank),
        ]
        column.Free()
        MPI.Request.Waitall(requests)
        return (other[::2] == np.arange(0, 100_000, 2) * (2 - world.rank)).all() and not other[1::2].any()

    assert run_ranks(program, 2) == [True, True]


sizes = {"BYTE": [1], "INT16_T": [2], "INT32_T": [4], "DOUBLE": [8], "TWOINT": [4, 4], "DOUBLE_INT": [8, 4]}


@QUICK
@given(st.lists(st.tuples(st.sampled_from(sorted(sizes)), st.integers(0, 3)), max_size=4), st.integers(0, 3))
def test_elements_are_basic_items(MPI: ModuleType, blocks: list[tuple[str, int]], repeat: int) -> None:
    """MPI_Get_elements counts whole items of any kind, in the type map's order; MPI_Get_count whole elements."""
    places = [100 * i for i in range(len(blocks))]
    struct = MPI.Datatype.Create_struct(
        [count for _, count in blocks], places, [getattr(MPI, name) for name, _ in blocks]
    )
    datatype = struct.Create_contiguous(repeat)
    items = [size for name, count in blocks for size in sizes[name] * count] * repeat
    status = MPI.Status()
    ends = list(np.cumsum([0, *items, *items])) if items else [0]
    for size in range(ends[-1] + 1):
        status.Set_elements(MPI.BYTE, size)
        assert status.Get_elements(datatype) == (ends.index(size) if size in ends else MPI.UNDEFINED)
        whole = size == 0 or size % ends[len(items)] == 0
        assert status.Get_count(datatype) == (size // max(1, ends[len(items)]) if whole else MPI.UNDEFINED)
    for count, end in enumerate(ends):
        status.Set_elements(datatype, count)
        assert status.Get_elements(MPI.BYTE) == end
    datatype.Free()
    struct.Free()
