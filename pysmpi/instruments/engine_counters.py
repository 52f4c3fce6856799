"""Counters of the engine, and the ranks' time by activity, for the current simulation."""

from pysmpi.instruments.outcome import Counters, TimeSpent
from pysmpi.native import ffi, lib

__all__ = ["read_counters", "read_time_spent"]


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
