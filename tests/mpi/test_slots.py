"""mpi4py's tables of user functions, with more ranks than slots."""

import pickle
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from pysmpi.simulation.mpi import bindings, slots


def add(x: int, y: int, _: object) -> int:
    """Add two values; unlike a local function, this one can be pickled."""
    return x + y


@pytest.fixture
def as_rank(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Make the tables treat this code as a rank's."""
    current = [-1]
    monkeypatch.setattr(slots, "running_rank", lambda: current[0])
    yield lambda rank: current.__setitem__(0, rank)
    slots.reset_slots()


def test_hundreds_of_ranks_with_five_operations_each(MPI: ModuleType, as_rank: Callable[[int], None]) -> None:
    made: dict[int, list[Any]] = {}
    for rank in range(300):
        as_rank(rank)
        made[rank] = [MPI.Op.Create(lambda x, y, _, r=rank, n=number: (r, n, x, y)) for number in range(5)]
    for rank in (299, 0, 17):
        as_rank(rank)
        assert [operation("x", "y") for operation in made[rank]] == [(rank, n, "x", "y") for n in range(5)]


def test_a_freed_slot_is_free_for_its_rank_only(MPI: ModuleType, as_rank: Callable[[int], None]) -> None:
    as_rank(0)
    first = MPI.Op.Create(lambda x, y, _: "of rank 0")
    as_rank(1)
    second = MPI.Op.Create(lambda x, y, _: "of rank 1")
    as_rank(0)
    first.Free()
    again = MPI.Op.Create(lambda x, y, _: "the second of rank 0")
    assert again(1, 2) == "the second of rank 0"
    as_rank(1)
    assert second(1, 2) == "of rank 1"


def test_a_rank_has_thirty_two_slots(MPI: ModuleType, as_rank: Callable[[int], None]) -> None:
    """The limit per process of a real MPI applies to each rank."""
    as_rank(3)
    made = [MPI.Op.Create(lambda x, y, _: x) for _ in range(32)]
    with pytest.raises(RuntimeError, match="too many"):
        MPI.Op.Create(lambda x, y, _: x)
    made[4].Free()
    MPI.Op.Create(lambda x, y, _: y)


def test_error_handlers_are_private_too(MPI: ModuleType, as_rank: Callable[[int], None]) -> None:
    """mpi4py never removes an error handler's function from its slot, so shared slots would soon run out."""
    for rank in range(100):
        as_rank(rank)
        MPI.Comm.Create_errhandler(lambda comm, code: None)


def test_what_was_made_outside_ranks_is_seen_inside(MPI: ModuleType, as_rank: Callable[[int], None]) -> None:
    """An operation that a shared module creates at its import works in every rank."""
    operation = MPI.Op.Create(lambda x, y, _: x + y)
    as_rank(5)
    assert operation(1, 2) == 3
    own = MPI.Op.Create(lambda x, y, _: x - y)
    assert (operation(1, 2), own(1, 2)) == (3, -1)
    as_rank(-1)
    operation.Free()


def test_an_operation_is_pickled_as_its_function(MPI: ModuleType, as_rank: Callable[[int], None]) -> None:
    """mpi4py creates a new operation of the function when it unpickles one."""
    as_rank(2)
    MPI.Op.Create(lambda x, y, _: None)  # cannot be pickled, and must not be included
    again = pickle.loads(pickle.dumps(MPI.Op.Create(add)))
    assert again(2, 3) == 5


def test_the_running_rank_outside_ranks() -> None:
    assert bindings.running_rank() == -1
