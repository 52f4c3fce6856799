"""Counters of the engine, and the ranks' time by activity, for the current simulation."""

from pysmpi.native import ffi, lib
from pysmpi.simulation.collectives import OPERATIONS
from pysmpi.simulation.instruments.outcome import Counters, TimeSpent, WideCollective

__all__ = ["read_counters", "read_time_spent", "read_wide_collectives"]


def read_counters() -> Counters:
    """Return the current values of the engine's counters."""
    native = ffi.new("pysmpi_counters *")
    lib.pysmpi_read_counters(native)
    return Counters(**{name: getattr(native, name) for name in Counters.__slots__})


def read_time_spent() -> TimeSpent:
    """Return the ranks' simulated time so far by activity (computation, sleep and so on)."""
    native = ffi.new("pysmpi_time_spent *")
    lib.pysmpi_read_time_spent(native)
    return TimeSpent(**{name: getattr(native, name) for name in TimeSpent.__slots__})


def read_wide_collectives() -> tuple[WideCollective, ...]:
    """Return the collectives on many ranks in which most ranks sent as many messages as there are other ranks, or more.

    Collectives with the most messages come first.
    """
    native = ffi.new("pysmpi_wide_collective *")
    found: list[WideCollective] = []
    number = 0
    while lib.pysmpi_read_wide_collective(number, native) == 0:
        number += 1
        call = ffi.string(native.call).decode()
        is_collective = call.startswith("MPI_")  # a program's own schedule has no other algorithms
        if is_collective and 2 * native.heavy > native.all:  # otherwise only few ranks, such as roots, send so many
            found.append(WideCollective(call, _setting_of(call), native.size, native.messages))
    return tuple(sorted(found, key=lambda each: -each.messages))


def _setting_of(call: str) -> str:
    """Return the setting that chooses the algorithm of an MPI function, such as ``MPI_Iallgather``."""
    name = call.removeprefix("MPI_").removesuffix("_init").lower()
    operation = name if name in OPERATIONS else name.removeprefix("i")
    return f"smpi/{operation}" if operation in OPERATIONS else "smpi/coll-selector"
