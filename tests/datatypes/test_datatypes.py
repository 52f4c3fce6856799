"""Derived datatypes, compared with type maps written out byte by byte."""

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.both_modes

Runner = Callable[..., list[Any]]
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class TypeMap:
    """A datatype as MPI defines it: the offsets of its bytes in order, and its bounds."""

    def __init__(self, offsets: list[int], lower: int, upper: int) -> None:
        self.offsets, self.lower, self.upper = offsets, lower, upper

    @property
    def extent(self) -> int:
        return self.upper - self.lower

    def blocks(self, blocks: list[tuple[int, int]]) -> "TypeMap":
        """Return a map of elements of this type with these counts and displacements."""
        starts = [displacement + i * self.extent for count, displacement in blocks for i in range(count)]
        if not starts:
            return TypeMap([], 0, 0)
        lower = min(start + self.lower for start in starts)
        upper = max(start + self.upper for start in starts)
        return TypeMap([start + offset for start in starts for offset in self.offsets], lower, upper)


def check(MPI: Any, datatype: Any, expected: TypeMap, count: int = 2) -> None:
    """Compare size, extents and packing with the type map, and rebuild the type from its parameters."""
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
    """Pack elements from memory in which each byte holds its position (modulo 251)."""
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
    """Return a predefined datatype and its type map."""
    size = {"BYTE": 1, "INT16_T": 2, "INT32_T": 4, "DOUBLE": 8}[name]
    return getattr(MPI, name), TypeMap(list(range(size)), 0, size)


@QUICK
@given(basic, st.integers(0, 5), st.integers(0, 4), st.integers(0, 7), st.integers(0, 3))
def test_vectors_of_contiguous(MPI: ModuleType, name: str, count: int, length: int, stride: int, repeat: int) -> None:
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
    assert vector.Get_contents()[2] == [count, length, stride]  # large counts
    vector.Free()
    inner.Free()


@QUICK
@given(basic, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=6))
def test_indexed(MPI: ModuleType, name: str, gaps: list[tuple[int, int]]) -> None:
    """Displacements are in elements, and in bytes."""
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
    """The part of an array equals numpy's slice."""
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=dimensions, max_size=dimensions))
    subsizes = [data.draw(st.integers(1, size)) for size in sizes]
    starts = [data.draw(st.integers(0, size - part)) for size, part in zip(sizes, subsizes, strict=True)]
    order = "F" if fortran else "C"
    array = np.arange(math.prod(sizes), dtype=np.int32).reshape(sizes, order=order)  # values equal positions in memory
    part = array[tuple(slice(start, start + n) for start, n in zip(starts, subsizes, strict=True))].ravel(order)
    datatype = MPI.INT32_T.Create_subarray(sizes, subsizes, starts, MPI.ORDER_F if fortran else MPI.ORDER_C)
    offsets = [4 * int(place) + byte for place in part for byte in range(4)]
    check(MPI, datatype, TypeMap(offsets, 0, 4 * array.size))


def owned(size: int, kind: str, argument: int | None, processes: int, place: int) -> list[int]:
    """Return the indices of a dimension that a process has in High Performance Fortran."""
    if kind == "NONE":
        return list(range(size))
    block = argument or (1 if kind == "CYCLIC" else -(-size // processes))
    return [i for i in range(size) if i // block % processes == place]


dimension = st.tuples(
    st.integers(1, 7), st.sampled_from(["NONE", "BLOCK", "CYCLIC"]), st.none() | st.integers(1, 3), st.integers(1, 3)
)


@QUICK
@given(st.lists(dimension, min_size=1, max_size=3), st.booleans())
def test_distributed_arrays(MPI: ModuleType, dimensions: list[tuple[int, str, int | None, int]], fortran: bool) -> None:
    """Each process of the grid has the indices that the rules of each dimension give it, in the array's order."""
    sizes = [size for size, *_ in dimensions]
    kinds = [kind for _, kind, *_ in dimensions]
    grid = [1 if kind == "NONE" else processes for _, kind, _, processes in dimensions]
    arguments = [
        argument if argument and (kind == "CYCLIC" or argument * processes >= size) else None
        for (size, kind, argument, _), processes in zip(dimensions, grid, strict=True)
    ]
    order = "F" if fortran else "C"
    array = np.arange(math.prod(sizes), dtype=np.int32).reshape(sizes, order=order)
    for rank, places in enumerate(np.ndindex(*grid)):
        indices = [owned(*each) for each in zip(sizes, kinds, arguments, grid, places, strict=True)]
        datatype = MPI.INT32_T.Create_darray(
            math.prod(grid),
            rank,
            sizes,
            [getattr(MPI, f"DISTRIBUTE_{kind}") for kind in kinds],
            [MPI.DISTRIBUTE_DFLT_DARG if argument is None else argument for argument in arguments],
            grid,
            MPI.ORDER_F if fortran else MPI.ORDER_C,
        )
        part = array[np.ix_(*indices)].ravel(order)
        offsets = [4 * int(place) + byte for place in part for byte in range(4)]
        check(MPI, datatype, TypeMap(offsets, 0, 4 * array.size))


def test_distributed_arrays_of_the_largest_size(MPI: ModuleType) -> None:
    """No intermediate value overflows for a part of 2^63 - 1 bytes."""
    size, quarter = 2**63 - 1, 2**61
    for rank in range(4):
        blocks = MPI.BYTE.Create_darray(4, rank, [size], [MPI.DISTRIBUTE_BLOCK], [MPI.DISTRIBUTE_DFLT_DARG], [4])
        assert blocks.Get_true_extent() == (rank * quarter, quarter - (rank == 3))
    most = 2**31 - 1
    cyclic = MPI.BYTE.Create_darray(most, 0, [size], [MPI.DISTRIBUTE_CYCLIC], [most], [most])
    assert cyclic.Get_size() == 3 * most
    assert cyclic.Get_true_extent() == (0, 2 * most**2 + most)


def test_structures_are_padded_as_in_c(MPI: ModuleType) -> None:
    """struct { double value; char flag; } has 16 bytes, of which 9 are sent."""
    structure = MPI.Datatype.Create_struct([1, 1], [0, 8], [MPI.DOUBLE, MPI.CHAR])
    assert (structure.Get_size(), structure.Get_extent()) == (9, (0, 16))
    dtype = np.dtype("d,b", align=True)
    assert structure.Get_extent()[1] == dtype.itemsize
    packed = MPI.Datatype.Create_struct([1, 1], [0, 8], [MPI.DOUBLE, MPI.CHAR]).Create_resized(0, 9)
    assert packed.Get_extent() == (0, 9)
    pair = MPI.Datatype.Create_struct([2, 1], [0, 18], [packed, MPI.CHAR])
    assert pair.Get_extent() == (0, 18)  # only explicit bounds count if there are any


def test_types_live_as_long_as_something_uses_them(MPI: ModuleType) -> None:
    """A freed type can still be queried as part of another, and then freed again."""
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
    assert MPI.DOUBLE.Get_name() == "MPI_DOUBLE"
    derived = MPI.DOUBLE.Create_contiguous(2)
    assert derived.Get_name() == ""
    derived.Set_name("pair")
    assert derived.Get_name() == "pair"


def test_duplicates_copy_attributes(MPI: ModuleType) -> None:
    key = MPI.Datatype.Create_keyval(copy_fn=True)
    datatype = MPI.INT32_T.Create_contiguous(3)
    datatype.Set_attr(key, "attribute")
    duplicate = datatype.Dup()
    assert duplicate.Get_attr(key) == "attribute"
    assert (duplicate.Get_size(), duplicate.combiner) == (12, MPI.COMBINER_DUP)


def test_names_of_predefined_types_belong_to_a_rank(run_ranks: Runner) -> None:
    """A rank's name for MPI_DOUBLE is unknown to others and to the next simulation."""

    def program(MPI: Any) -> str:
        if MPI.COMM_WORLD.rank == 1:
            MPI.DOUBLE.Set_name("mine")
        MPI.COMM_WORLD.Barrier()
        return MPI.DOUBLE.Get_name()

    assert run_ranks(program, 2) == ["MPI_DOUBLE", "mine"]
    assert run_ranks(lambda MPI: MPI.DOUBLE.Get_name(), 2) == ["MPI_DOUBLE"] * 2


def test_regular_types_are_compact(MPI: ModuleType) -> None:
    """A thousand types of 10**14 pieces each are made at once, and store no list of pieces."""
    made = []
    for size in range(1000):
        columns = MPI.INT32_T.Create_vector(10**4, 3, 5).Create_hvector(10**4, 1, 400_000)
        cube = columns.Create_subarray([1100] * 2, [100] * 2, [size, 7])
        made.append(cube.Create_indexed([3] * 10, range(0, 100, 10)).Create_contiguous(10))
    assert made[-1].Get_size() == 10 * 3 * 10 * 100**2 * 10**8 * 12
    for datatype in made:
        datatype.Free()


def test_types_beyond_63_bits_cannot_be_made(MPI: ModuleType) -> None:
    for make in (
        lambda: MPI.DOUBLE.Create_contiguous(2**60),
        lambda: MPI.DOUBLE.Create_vector(2**40, 1, 2**30),
        lambda: MPI.BYTE.Create_hindexed([1, 1], [-(2**62), 2**62]),
        lambda: MPI.DOUBLE.Create_subarray([2**30] * 3, [1] * 3, [0] * 3),
        lambda: MPI.DOUBLE.Create_indexed([1], [2**61]),
        lambda: MPI.Datatype.Create_struct([1, 1], [-(2**62), 2**62], [MPI.DOUBLE, MPI.CHAR]),
    ):
        with pytest.raises(MPI.Exception, match=r"2\^63 bytes"):
            make()


def test_handles_are_used_again(MPI: ModuleType) -> None:
    handles = set()
    for _ in range(1000):
        datatype = MPI.INT32_T.Create_vector(2, 1, 3)
        handles.add(MPI._handleof(datatype))
        datatype.Free()
    assert len(handles) == 1


def test_fortran_types_by_precision(MPI: ModuleType) -> None:
    """The smallest sufficient type is chosen; equal requests give the same type, which cannot be freed."""
    sizes = {(6, 37): 4, (6, 38): 8, (15, 307): 8, (16, 1): 16, (33, 4931): 16}
    for (precision, exponent), size in sizes.items():
        assert MPI.Datatype.Create_f90_real(precision, exponent).Get_size() == size
        assert MPI.Datatype.Create_f90_complex(precision, exponent).Get_size() == 2 * size
    assert [MPI.Datatype.Create_f90_integer(digits).Get_size() for digits in (2, 4, 9, 18, 38)] == [1, 2, 4, 8, 16]
    datatype = MPI.Datatype.Create_f90_real(6, 30)
    assert datatype == MPI.Datatype.Create_f90_real(6, 30)
    assert datatype.Get_contents() == ([6, 30], [], [], [])
    with pytest.raises(MPI.Exception, match="cannot be freed"):
        datatype.Free()
    with pytest.raises(MPI.Exception, match="no real type has 40 digits"):
        MPI.Datatype.Create_f90_real(40, 1)


def test_pairs_by_their_parts(MPI: ModuleType) -> None:
    """MPI_Type_get_value_index knows the predefined pairs."""
    for name in ("SHORT", "INT", "LONG", "FLOAT", "DOUBLE", "LONG_DOUBLE"):
        pair = MPI.Datatype.Get_value_index(getattr(MPI, name), MPI.INT)
        assert pair == getattr(MPI, f"{name}_INT")
    assert MPI.Datatype.Get_value_index(MPI.INT, MPI.FLOAT) == MPI.DATATYPE_NULL


def test_wrong_arguments(MPI: ModuleType) -> None:
    with pytest.raises(MPI.Exception, match="3 elements starting at 2 do not fit in a dimension of 4"):
        MPI.INT32_T.Create_subarray([4], [3], [2])
    with pytest.raises(MPI.Exception, match="negative block length -1"):
        MPI.INT32_T.Create_indexed([-1], [0])


@pytest.mark.parametrize("rows", [0, 1, 5, 3000])
def test_columns_of_a_matrix_travel(run_ranks: Runner, rows: int) -> None:
    """A column sent as a vector arrives as a row, and vice versa, at eager and rendezvous sizes."""

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
    """MPI_Get_elements counts basic items in the type map's order; MPI_Get_count counts whole elements."""
    places = [100 * i for i in range(len(blocks))]
    struct = MPI.Datatype.Create_struct(
        [count for _, count in blocks], places, [getattr(MPI, name) for name, _ in blocks]
    )
    datatype = struct.Create_contiguous(repeat).Commit()
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
