"""Keys of attributes: their numbers are used again when no attribute has them any more."""

from typing import Any

import pytest

import pysmpi

pytestmark = pytest.mark.both_modes


def numbers_of_keys(kind: str) -> list[int]:
    """Create and free keys; return their numbers."""
    from mpi4py import MPI

    holder: Any = {"Comm": MPI.COMM_WORLD.Dup, "Datatype": MPI.INT.Dup, "Win": lambda: MPI.Win.Create_dynamic()}[kind]()
    numbers = []
    for _ in range(5):
        key = type(holder).Create_keyval()
        numbers.append(key)
        holder.Set_attr(key, "x")
        assert holder.Get_attr(key) == "x"
        holder.Delete_attr(key)
        type(holder).Free_keyval(key)
    holder.Free()
    return numbers


@pytest.mark.parametrize("kind", ["Comm", "Datatype", "Win"])
def test_numbers_are_used_again(kind: str) -> None:
    for numbers in pysmpi.simulate(numbers_of_keys, np=2, platform="flat:2", args=(kind,)).values:
        assert len(set(numbers)) == 1


def freed_while_in_use() -> None:
    from mpi4py import MPI

    deleted: list[int] = []
    first, second = MPI.COMM_WORLD.Dup(), MPI.COMM_WORLD.Dup()
    key = MPI.Comm.Create_keyval(lambda comm, key, value: value, lambda comm, key, value: deleted.append(value))
    first.Set_attr(key, 1)
    twin = first.Dup()
    assert twin.Get_attr(key) == 1
    MPI.Comm.Free_keyval(key)
    other = MPI.Comm.Create_keyval()
    assert other != key
    second.Set_attr(other, 2)
    first.Free()
    assert deleted == [1]
    assert MPI.Comm.Create_keyval() not in (key, other)
    twin.Free()
    assert deleted == [1, 1]
    assert MPI.Comm.Create_keyval() == key
    assert second.Get_attr(other) == 2
    assert second.Get_attr(key) is None


def test_freed_key_keeps_its_number_until_its_last_attribute_is_gone() -> None:
    pysmpi.simulate(freed_while_in_use, np=1, platform="flat:1")


def never_deletes() -> int:
    from mpi4py import MPI

    key = MPI.Comm.Create_keyval()
    MPI.COMM_WORLD.Set_attr(key, 1)
    MPI.Comm.Free_keyval(key)
    return key


def test_keys_of_a_simulation_that_has_ended_are_used_again() -> None:
    first, second = (pysmpi.simulate(never_deletes, np=1, platform="flat:1").values for _ in range(2))
    assert first == second
