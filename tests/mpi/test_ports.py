"""Ports, published names, and groups that accept, connect and join."""

import socket
from collections.abc import Callable
from typing import Any

import pytest

import pysmpi

Runner = Callable[..., list[Any]]


@pytest.mark.parametrize(("ranks", "first"), [(2, 1), (5, 2), (8, 7)])
@pytest.mark.parametrize("late", ["accept", "connect"])
def test_two_groups_meet_at_a_port(run_ranks: Runner, ranks: int, first: int, late: str) -> None:
    """Either group may come first; each gets the other as its remote group."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        accepts = world.rank < first
        local = world.Split(int(accepts))
        port = world.bcast(MPI.Open_port() if world.rank == 0 else None)
        if accepts == (late == "accept") and local.rank == local.size - 1:
            pysmpi.sleep(1.0)
        root = local.size - 1
        between = (local.Accept if accepts else local.Connect)(port, root=root)
        members = between.Merge(not accepts).allgather(world.rank)
        return between.size, between.remote_size, members, MPI.Wtime() >= 1.0

    for rank, found in enumerate(run_ranks(program, ranks)):
        sizes = (first, ranks - first) if rank < first else (ranks - first, first)
        assert found == (*sizes, list(range(ranks)), True)


def test_several_meet_at_one_port(run_ranks: Runner) -> None:
    def program(MPI: Any) -> Any:
        world, alone = MPI.COMM_WORLD, MPI.COMM_SELF
        port = world.bcast(MPI.Open_port() if world.rank == 0 else None)
        if world.rank > 0:
            pysmpi.sleep(1.0 / world.rank)
            alone.Connect(port).send(world.rank, 0)
            return None
        return [alone.Accept(port).recv() for _ in range(world.size - 1)]

    assert run_ranks(program, 4)[0] == [3, 2, 1]


def test_closed_ports(run_ranks: Runner) -> None:
    """Ranks that wait at a closed port, and later ones, get an error."""

    def program(MPI: Any) -> Any:
        world, alone = MPI.COMM_WORLD, MPI.COMM_SELF
        port = world.bcast(MPI.Open_port() if world.rank == 0 else None)
        if world.rank == 0:
            pysmpi.sleep(1.0)
            MPI.Close_port(port)
        with pytest.raises(MPI.Exception) as caught:
            alone.Accept(port)
        return caught.value.Get_error_class() == MPI.ERR_PORT

    assert run_ranks(program, 2) == [True, True]


def test_names(run_ranks: Runner) -> None:
    """All ranks find a published name, which exists once and is withdrawn only with its port."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        if world.rank == 0:
            port = MPI.Open_port()
            MPI.Publish_name("ocean", port)
        world.Barrier()
        found = MPI.Lookup_name("ocean")
        world.Barrier()
        codes = []
        for action in (
            lambda: MPI.Publish_name("ocean", found),
            lambda: MPI.Lookup_name("atmosphere"),
            lambda: MPI.Unpublish_name("ocean", "another"),
        ):
            with pytest.raises(MPI.Exception) as caught:
                action()
            codes.append(caught.value.Get_error_class())
        return found.startswith("pysmpi-port-"), codes == [MPI.ERR_SERVICE, MPI.ERR_NAME, MPI.ERR_SERVICE]

    assert run_ranks(program, 2) == [(True, True)] * 2


def test_join_through_a_pair_of_sockets(run_ranks: Runner) -> None:
    """Either end of the socket may come first."""
    ends = socket.socketpair()

    def program(MPI: Any) -> Any:
        between = MPI.Comm.Join(ends[MPI.COMM_WORLD.rank].fileno())
        return between.remote_size, between.sendrecv(MPI.COMM_WORLD.rank, 0, source=0)

    assert run_ranks(program, 2) == [(1, 1), (1, 0)]
    for end in ends:
        end.close()


def test_nobody_connects(run_ranks: Runner) -> None:
    """A rank that waits at a port forever is a deadlock, reported with the function's name."""

    def program(MPI: Any) -> None:
        MPI.COMM_SELF.Accept(MPI.Open_port())

    with pytest.raises(pysmpi.errors.DeadlockError, match=r"COMM_SELF\.Accept"):
        run_ranks(program, 1)
