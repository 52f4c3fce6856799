"""Intercommunicators: creating, using, splitting and merging them."""

import ctypes
from collections.abc import Callable
from typing import Any

import pytest

from pysmpi.native import lib

Runner = Callable[..., list[Any]]


def halves(MPI: Any, first: int) -> Any:
    """Return an intercommunicator between the first ranks of the world and the others."""
    world = MPI.COMM_WORLD
    local = world.Split(int(world.rank >= first), world.rank)
    return local.Create_intercomm(0, world, first if world.rank < first else 0, tag=3)


@pytest.mark.parametrize(("ranks", "first"), [(2, 1), (5, 2), (7, 6), (64, 13)])
def test_messages_go_to_the_other_group(run_ranks: Runner, ranks: int, first: int) -> None:
    """The status of a message has the sender's local number."""

    def program(MPI: Any) -> Any:
        between = halves(MPI, first)
        requests = [between.isend((MPI.COMM_WORLD.rank, peer), peer, 5) for peer in range(between.remote_size)]
        status = MPI.Status()
        received = []
        for _ in range(between.remote_size):
            message = between.recv(source=MPI.ANY_SOURCE, tag=5, status=status)
            received.append((status.source, message))
        MPI.Request.Waitall(requests)
        return between.rank, between.size, sorted(received)

    for world_rank, (rank, size, received) in enumerate(run_ranks(program, ranks)):
        offset, other = (0, first) if world_rank < first else (first, 0)
        others = ranks - first if world_rank < first else first
        assert (rank, size) == (world_rank - offset, ranks - others)
        assert received == [(source, (source + other, rank)) for source in range(others)]


def test_sendrecv_with_the_same_number(run_ranks: Runner) -> None:
    """An exchange with the remote rank of the same number is not a message to oneself."""

    def program(MPI: Any) -> Any:
        between = halves(MPI, 2)
        return between.sendrecv(MPI.COMM_WORLD.rank, between.rank, 1, None, between.rank, 1)

    assert run_ranks(program, 4) == [2, 3, 0, 1]


@pytest.mark.parametrize("high", [0, 1])
def test_merge(run_ranks: Runner, high: int) -> None:
    """The group that passes `high` comes last."""

    def program(MPI: Any) -> Any:
        between = halves(MPI, 2)
        merged = between.Merge((MPI.COMM_WORLD.rank < 2) == bool(high))
        return merged.allgather(MPI.COMM_WORLD.rank)

    assert run_ranks(program, 5) == [[2, 3, 4, 0, 1] if high else [0, 1, 2, 3, 4]] * 5


def test_split_of_both_groups(run_ranks: Runner) -> None:
    """A colour joins ranks of both groups; a colour of only one group gives no communicator."""

    def program(MPI: Any) -> Any:
        between = halves(MPI, 3)
        part = between.Split(MPI.COMM_WORLD.rank % 3 if MPI.COMM_WORLD.rank != 5 else 7, -MPI.COMM_WORLD.rank)
        if part == MPI.COMM_NULL:
            return None
        return part.size, part.remote_size, part.Merge().allgather(MPI.COMM_WORLD.rank)

    found = run_ranks(program, 6)
    assert found == [(1, 1, [0, 3]), (1, 1, [1, 4]), None, (1, 1, [0, 3]), (1, 1, [1, 4]), None]


def test_create_from_local_groups(run_ranks: Runner) -> None:
    """Each side names its own ranks; other ranks get none, as do all if one side names none."""

    def program(MPI: Any) -> Any:
        between = halves(MPI, 2)
        local = between.Get_group()
        some = between.Create(local.Incl([local.size - 1]))
        nothing = between.Create(local if between.size == 2 else MPI.GROUP_EMPTY)
        assert nothing == MPI.COMM_NULL
        return None if some == MPI.COMM_NULL else some.sendrecv(MPI.COMM_WORLD.rank, 0, 0, None, 0, 0)

    assert run_ranks(program, 5) == [None, 4, None, None, 1]


def test_compare(run_ranks: Runner) -> None:
    """Duplicates are congruent; an intercommunicator and an intracommunicator are unequal."""

    def program(MPI: Any) -> Any:
        between = halves(MPI, 1)
        return [
            MPI.Comm.Compare(between, between) == MPI.IDENT,
            MPI.Comm.Compare(between, between.Dup()) == MPI.CONGRUENT,
            MPI.Comm.Compare(between, MPI.COMM_WORLD) == MPI.UNEQUAL,
            MPI.Comm.Compare(between, halves(MPI, 2)) == MPI.UNEQUAL,
        ]

    assert run_ranks(program, 3) == [[True] * 4] * 3


def test_groups_in_common(run_ranks: Runner) -> None:
    def program(MPI: Any) -> Any:
        with pytest.raises(MPI.Exception) as caught:
            MPI.COMM_SELF.Create_intercomm(0, MPI.COMM_WORLD, MPI.COMM_WORLD.rank)
        return caught.value.Get_error_class() == MPI.ERR_COMM

    assert run_ranks(program, 2) == [True, True]


def test_nothing_is_left(run_ranks: Runner) -> None:
    """Freed intercommunicators free their inner communicators; the handle is then unknown."""

    def program(MPI: Any) -> Any:
        between = halves(MPI, 1)
        handle = ctypes.c_int32(between.handle).value
        inner = lib.pysmpi_communicator_local(handle), lib.pysmpi_communicator_leaders(handle)
        MPI.COMM_WORLD.Barrier()
        between.Free()
        MPI.COMM_WORLD.Barrier()
        return [lib.pysmpi_communicator_size(handle) for handle in inner]

    assert run_ranks(program, 3) == [[-1, -1]] * 3
