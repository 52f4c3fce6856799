"""Virtual topologies: grids, graphs and distributed graphs."""

import ctypes
import itertools
import math
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

from pysmpi import native

Runner = Callable[..., list[Any]]


def test_dimensions_of_a_million_ranks(run_ranks: Runner) -> None:
    """Large numbers of nodes are factorised at once, and given extents stay."""

    def program(MPI: Any) -> Any:
        return MPI.Compute_dims(10**6, 3), MPI.Compute_dims(2**20, [0, 64, 0]), MPI.Compute_dims(999_983, 2)

    assert run_ranks(program, 1) == [([100, 100, 100], [128, 64, 128], [999_983, 1])]


@pytest.mark.parametrize(("nodes", "extents"), [(6, [4, 0]), (6, [-1, 0]), (8, [2, 2]), (0, [0])])
def test_dimensions_that_cannot_be(run_ranks: Runner, nodes: int, extents: list[int]) -> None:
    """Extents that do not divide the nodes or are negative, and zero nodes, are errors."""

    def program(MPI: Any) -> Any:
        with pytest.raises(MPI.Exception) as caught:
            MPI.Compute_dims(nodes, extents)
        return caught.value.Get_error_class() in (MPI.ERR_DIMS, MPI.ERR_ARG)

    assert run_ranks(program, 1) == [True]


@pytest.mark.parametrize("extents", [(3,), (2, 3), (3, 2, 2), (1, 5), ()])
def test_grid(run_ranks: Runner, extents: tuple[int, ...]) -> None:
    """Ranks follow row-major order; neighbours beyond a border that is not periodic are MPI_PROC_NULL; other ranks
    get none."""
    size = math.prod(extents)

    def program(MPI: Any) -> Any:
        periodic = [i % 2 == 0 for i in range(len(extents))]
        grid = MPI.COMM_WORLD.Create_cart(extents, periodic)
        if grid == MPI.COMM_NULL:
            return None
        shifts = [grid.Shift(i, distance) for i in range(len(extents)) for distance in (1, -2)]
        return grid.coords, shifts, [grid.Get_cart_rank(grid.Get_coords(rank)) for rank in range(grid.size)]

    places = list(itertools.product(*(range(extent) for extent in extents)))

    def rank_at(place: list[int]) -> int:
        wrapped = [at % extent if i % 2 == 0 else at for i, (at, extent) in enumerate(zip(place, extents, strict=True))]
        return places.index(tuple(wrapped)) if tuple(wrapped) in places else -1

    found = run_ranks(program, size + 2)
    assert found[size:] == [None, None]
    for place, (coordinates, shifts, ranks) in zip(places, found, strict=False):
        assert tuple(coordinates) == place
        assert ranks == list(range(size))
        expected = []
        for i, distance in itertools.product(range(len(extents)), (1, -2)):
            moved = [[at + sign * distance * (j == i) for j, at in enumerate(place)] for sign in (-1, 1)]
            expected.append(tuple(rank_at(there) for there in moved))
        assert shifts == expected


def test_rows_of_a_grid(run_ranks: Runner) -> None:
    def program(MPI: Any) -> Any:
        grid = MPI.COMM_WORLD.Create_cart([2, 3], [False, True])
        row, point = grid.Sub([False, True]), grid.Sub([False, False])
        return row.dims, row.periods, row.allgather(grid.rank), point.size, point.dim

    found = run_ranks(program, 6)
    assert found == [([3], [True], [0, 1, 2] if rank < 3 else [3, 4, 5], 1, 0) for rank in range(6)]


def test_duplicates_have_the_topology(run_ranks: Runner) -> None:
    def program(MPI: Any) -> Any:
        grid = MPI.COMM_WORLD.Create_cart([2, 2])
        other = grid.Dup()
        grid.Free()
        return other.topology == MPI.CART and other.coords

    assert run_ranks(program, 4) == [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_graph(run_ranks: Runner) -> None:
    """Every rank can query all ranks' neighbours; ranks outside the graph get none."""

    def program(MPI: Any) -> Any:
        graph = MPI.COMM_WORLD.Create_graph([1, 3, 4], [1, 0, 2, 1])
        if graph == MPI.COMM_NULL:
            return None
        return [graph.Get_neighbors(rank) for rank in range(graph.size)]

    assert run_ranks(program, 4) == [[[1], [0, 2], [1]]] * 3 + [None]


@pytest.mark.parametrize(("index", "edges"), [([2, 1], [0, 1]), ([1, 2], [0, 2]), ([1, 2, 3], [0, 1, 2])])
def test_graphs_that_cannot_be(run_ranks: Runner, index: list[int], edges: list[int]) -> None:
    """Descending indices, invalid edges and more nodes than ranks are errors."""

    def program(MPI: Any) -> Any:
        with pytest.raises(MPI.Exception):
            MPI.COMM_WORLD.Create_graph(index, edges)

    run_ranks(program, 2)


def test_edges_given_by_others(run_ranks: Runner) -> None:
    """One rank passes the edges of all, another none; each gets the edges that begin or end at itself, with weights."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        if world.rank == 1:
            graph = world.Create_dist_graph([0, 2], [2, 1], [1, 2, 2], [10, 20, 30])
        else:
            graph = world.Create_dist_graph([], [], [], MPI.WEIGHTS_EMPTY)
        return graph.Get_dist_neighbors()

    assert run_ranks(program, 3) == [
        ([], [1, 2], ([], [10, 20])),
        ([0], [], ([10], [])),
        ([0, 2], [2], ([20, 30], [30])),
    ]


def test_wrong_kind_of_topology(run_ranks: Runner) -> None:
    """Queries for another kind of topology are MPI_ERR_TOPOLOGY."""

    def program(MPI: Any) -> Any:
        library = ctypes.CDLL(str(pathlib.Path(native.__file__).parent / "libmpi.so.12"))
        graph, found = MPI.COMM_WORLD.Create_graph([1], [0]), ctypes.c_int()
        codes = [
            library.MPI_Cartdim_get(graph.handle, ctypes.byref(found)),
            library.MPI_Graphdims_get(MPI.COMM_WORLD.handle, ctypes.byref(found), ctypes.byref(found)),
            library.MPI_Cart_sub(MPI.COMM_WORLD.handle, ctypes.byref(found), ctypes.byref(found)),
        ]
        return [MPI.Get_error_class(code) == MPI.ERR_TOPOLOGY for code in codes]

    assert run_ranks(program, 1) == [[True, True, True]]
