"""The machine that a rank runs on: its simulated host, or in a real run this machine."""

import os
import socket
from typing import TYPE_CHECKING, NamedTuple

from pysmpi.errors import SimulationError
from pysmpi.native import ffi, lib
from pysmpi.simulation.compute.execution import is_simulated

if TYPE_CHECKING:
    from pysmpi.platform.machine import Host as MachineHost

__all__ = ["Host", "host", "pstate", "set_pstate"]


class Host(NamedTuple):
    """A host: its name, its number of cores, and the speed of one core in flop/s.

    The speed is that of the performance state at the time of the query, or None if it is unknown, as for real hosts.
    """

    name: str
    speed: float | None
    cores: int

    @property
    def pstate(self) -> int:
        """Performance state of the calling rank's simulated host; see `pysmpi.pstate` and `pysmpi.set_pstate`."""
        return pstate()

    @pstate.setter
    def pstate(self, number: int) -> None:
        set_pstate(number)

    @property
    def joules(self) -> float:
        """Energy in joules that the calling rank's simulated host has consumed so far; 0 without the plugin
        host_energy."""
        if not is_simulated() or not lib.pysmpi_is_energy_metered():
            return 0.0
        lib.pysmpi_account_computation()
        spent = float(lib.pysmpi_joules_of_host(lib.pysmpi_rank_host(lib.pysmpi_running_rank())))
        lib.pysmpi_leave_call()
        return spent


def host() -> Host:
    """Return the simulated host of the calling rank; in a real run and outside ranks, this machine."""
    if not is_simulated():
        return Host(socket.gethostname(), None, len(os.sched_getaffinity(0)))
    platform = lib.pysmpi_platform_current()
    rank = lib.pysmpi_running_rank()
    number = lib.pysmpi_rank_host(rank)
    size = lib.pysmpi_platform_host_name(platform, number, ffi.NULL, 0) + 1
    name = ffi.new("char[]", size)
    lib.pysmpi_platform_host_name(platform, number, name, size)
    return Host(
        ffi.string(name).decode(),
        lib.pysmpi_speed(rank),
        lib.pysmpi_platform_host_cores(platform, number),
    )


def pstate() -> int:
    """Return the performance state of the calling rank's simulated host; 0 in a real run and outside ranks."""
    if not is_simulated():
        return 0
    rank = lib.pysmpi_running_rank()
    number = int(lib.pysmpi_pstate(rank))
    return number if number >= 0 else _described(rank).pstate


def set_pstate(number: int) -> None:
    """Put the calling rank's simulated host into a performance state, at once and for all ranks on it.

    The platform lists a host's speed in each of its states (``speed="2Gf,1Gf"``). Running computations continue at the
    new speed. In a real run and outside ranks, the call does nothing.

    Raises:
        SimulationError: the host does not have this state.
    """
    if not is_simulated():
        return
    described = _described(lib.pysmpi_running_rank())
    if not 0 <= number < len(described.speeds):
        raise SimulationError(
            f"set_pstate({number!r}): unknown performance state; host {described.name} has 0 to "
            f"{len(described.speeds) - 1}"
        )
    lib.pysmpi_set_pstate(number, described.speeds[number])


def _described(rank: int) -> "MachineHost":
    from pysmpi.platform import Platform  # imported late: a real run does not need it

    platform = Platform.current()
    assert platform is not None  # a simulation runs on it
    number: int = lib.pysmpi_rank_host(rank)
    return platform.hosts[number]
