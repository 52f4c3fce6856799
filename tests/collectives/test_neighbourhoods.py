"""Neighbourhood collectives: data sent along an edge of a topology arrive at its other end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pysmpi.errors import DeadlockError

_BYTE = 0x4C00010D  # MPI_BYTE
FORMS = ["blocking", "nonblocking", "persistent"]


def _call(comm, form, name, *arguments):
    if form == "blocking":
        getattr(comm, "Neighbor_" + name)(*arguments)
    elif form == "nonblocking":
        getattr(comm, "Ineighbor_" + name)(*arguments).Wait()
    else:
        request = getattr(comm, f"Neighbor_{name}_init")(*arguments)
        for _ in range(2):
            request.Start()
            request.Wait()
        request.Free()


def _exchange(comm, form, sources, destinations, expected):
    """Check all five operations; `expected`: for each source, the rank and the edge number at its other end."""
    import numpy as np
    from mpi4py import MPI

    rank = comm.rank
    inward, outward = len(sources), len(destinations)

    def block(owner, edge):
        return np.array([owner, edge, 0.5])

    nothing = np.full(3, -1.0)
    gathered = np.tile(nothing, (inward, 1))
    _call(comm, form, "allgather", block(rank, 0), gathered)
    assert [list(row) for row in gathered] == [[-1.0] * 3 if e is None else [e[0], 0, 0.5] for e in expected]

    out = np.array([block(rank, edge) for edge in range(outward)]).reshape(outward, 3)
    into = np.tile(nothing, (inward, 1))
    _call(comm, form, "alltoall", out, into)
    result = [[-1.0] * 3 if e is None else [e[0], e[1], 0.5] for e in expected]
    assert [list(row) for row in into] == result

    gathered = np.full((inward, 4), -1.0)
    rows, apart = [3] * inward, [4 * i for i in range(inward)]
    _call(comm, form, "allgatherv", block(rank, 0), [gathered, rows, apart, MPI.DOUBLE])
    assert [list(row) for row in gathered] == [[-1.0] * 4 if e is None else [e[0], 0, 0.5, -1] for e in expected]

    into = np.full((inward, 4), -1.0)
    backwards = apart[::-1]
    sent = [out, [3] * outward, [3 * i for i in range(outward)], MPI.DOUBLE]
    _call(comm, form, "alltoallv", sent, [into, rows, backwards, MPI.DOUBLE])
    assert [list(row[:3]) for row in into[::-1]] == result

    into = np.full((inward, 4), -1.0)
    three = MPI.DOUBLE.Create_contiguous(3).Commit()
    sent = [out, [1] * outward, [24 * i for i in range(outward)], [three] * outward]
    _call(comm, form, "alltoallw", sent, [into, rows, [8 * each for each in backwards], [MPI.DOUBLE] * inward])
    three.Free()
    assert [list(row[:3]) for row in into[::-1]] == result


def _graph(edges, form):
    """Return a distributed graph with several edges between some ranks, and edges from ranks to themselves."""
    from mpi4py import MPI

    rank, ranks = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
    edges = [(a % ranks, b % ranks) for a, b in edges]
    destinations = [b for a, b in edges if a == rank]
    sources = [a for a, b in edges if b == rank]
    comm = MPI.COMM_WORLD.Create_dist_graph_adjacent(sources, destinations)
    expected, seen = [], {}
    for source in sources:  # the nth edge from a rank here is the nth that it has to this rank
        there = [number for number, b in enumerate(b for a, b in edges if a == source) if b == rank]
        seen[source] = seen.get(source, -1) + 1
        expected.append((source, there[seen[source]]))
    _exchange(comm, form, sources, destinations, expected)
    comm.Free()


@settings(deadline=None, max_examples=30)
@given(
    edges=st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=14),
    form=st.sampled_from(FORMS),
    ranks=st.sampled_from([1, 2, 3, 5]),
)
def test_distributed_graphs(run, edges, form, ranks):
    """Several edges between two ranks are distinguished by their order at both ends."""
    run(_graph, ranks, edges, form)


def _cartesian(extents, periodic, form):
    from mpi4py import MPI

    comm = MPI.COMM_WORLD.Create_cart(extents, periods=periodic)
    if comm == MPI.COMM_NULL:
        return
    neighbours, expected = [], []
    for dimension in range(len(extents)):
        before, behind = comm.Shift(dimension, 1)
        neighbours += [before, behind]
        # The rank before sends its second block to this rank.
        expected += [None if before < 0 else (before, 2 * dimension + 1)]
        expected += [None if behind < 0 else (behind, 2 * dimension)]
    _exchange(comm, form, neighbours, neighbours, expected)
    comm.Free()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("periodic", [[True, True], [False, False], [True, False]])
@pytest.mark.parametrize("extents", [[1, 1], [2, 1], [2, 2], [3, 2], [1, 6], [3, 3]])
def test_grids(run, extents, periodic, form):
    """One message goes in each direction, none beyond the border; rings of one or two ranks are covered."""
    run(_cartesian, extents[0] * extents[1], extents, periodic, form)


def _ring_graph(form):
    from mpi4py import MPI

    rank, ranks = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
    index = [2 * (i + 1) for i in range(ranks)]
    edges = [j % ranks for i in range(ranks) for j in (i + 1, i - 1)]
    comm = MPI.COMM_WORLD.Create_graph(index, edges)
    behind, before = (rank + 1) % ranks, (rank - 1) % ranks
    _exchange(comm, form, [behind, before], [behind, before], [(behind, 1), (before, 0)])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ranks", [3, 4, 7])
def test_graphs(run, ranks, form):
    """In a graph, each rank's neighbours are both sources and destinations."""
    run(_ring_graph, ranks, form)


def _objects():
    from mpi4py import MPI

    comm = MPI.COMM_WORLD.Create_cart([MPI.COMM_WORLD.size], periods=[False])
    before, behind = comm.Shift(0, 1)
    got = comm.neighbor_alltoall([("to", before), ("to", behind)])
    assert got == [None if neighbour < 0 else ("to", comm.rank) for neighbour in (before, behind)]
    assert comm.neighbor_allgather(comm.rank) == [None if n < 0 else n for n in (before, behind)]


def test_pickled_objects(run):
    """mpi4py's lower-case forms keep lengths on the C stack."""
    run(_objects, 4)


def _misused():
    import ctypes

    import numpy as np
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    grid = world.Create_cart([world.size], periods=[True])
    a, b = np.zeros(2), np.zeros(4)
    for arguments, error_class in [
        ((MPI.IN_PLACE, b), MPI.ERR_BUFFER),
        (([a, 2, MPI.DATATYPE_NULL], b), MPI.ERR_TYPE),
    ]:
        try:
            grid.Neighbor_allgather(*arguments)
        except MPI.Exception as error:
            assert error.Get_error_class() == error_class, error
        else:
            raise AssertionError(arguments)
    library = ctypes.CDLL("libmpi.so.12")  # the library that is loaded already
    code = library.MPI_Neighbor_allgather(None, 0, _BYTE, None, 0, _BYTE, MPI._handleof(world))
    assert MPI.Get_error_class(code) == MPI.ERR_TOPOLOGY
    grid.Neighbor_allgather(a, b)


def test_misuse(run):
    """Communicators without a topology, and MPI_IN_PLACE, are errors."""
    run(_misused, 3)


def _one_stays_away():
    from mpi4py import MPI

    comm = MPI.COMM_WORLD.Create_cart([MPI.COMM_WORLD.size], periods=[True])
    if comm.rank != 1:
        comm.neighbor_allgather(comm.rank)


def test_absent_rank_is_a_deadlock(run):
    """Only the neighbours of an absent rank wait for it."""
    with pytest.raises(DeadlockError, match="MPI_Neighbor_allgather") as caught:
        run(_one_stays_away, 6)
    assert "waiting for rank 1" in str(caught.value)


def _elapsed(form):
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD.Create_cart([2, 4], periods=[True, False])
    out, into = np.zeros((4, 50_000)), np.zeros((4, 50_000))
    neighbours = [comm.Shift(dimension, 1)[side] for dimension in range(2) for side in range(2)]
    comm.Barrier()
    begin = MPI.Wtime()
    if form == "messages":
        requests = [comm.Irecv(into[i], neighbours[i]) for i in range(4)]
        requests += [comm.Isend(out[i], neighbours[i]) for i in (1, 0, 3, 2)]
        MPI.Request.Waitall(requests)
    elif form == "nonblocking":
        comm.Ineighbor_alltoall(out, into).Wait()
    else:
        comm.Neighbor_alltoall(out, into)
    return MPI.Wtime() - begin


def test_it_costs_its_messages(run):
    """An exchange takes the same time as its messages sent one by one."""
    by_hand = run(_elapsed, 8, "messages").values
    assert run(_elapsed, 8, "blocking").values == pytest.approx(by_hand, rel=1e-12)
    assert run(_elapsed, 8, "nonblocking").values == pytest.approx(by_hand, rel=1e-12)
