"""The machine that a rank runs on: the simulated host, or the real one."""

import os
import socket
from typing import NamedTuple

from pysmpi.compute.execution import is_simulated
from pysmpi.native import ffi, lib

__all__ = ["Host", "host"]


class Host(NamedTuple):
    """A host: its name, the speed of one of its cores in flop/s (None when not known: real hosts), and its cores."""

    name: str
    speed: float | None
    cores: int


def host() -> Host:
    """The simulated host of the calling rank; in a real run, and outside ranks, this machine."""
    if not is_simulated():
        return Host(socket.gethostname(), None, len(os.sched_getaffinity(0)))
    platform = lib.pysmpi_platform_current()
    number = lib.pysmpi_rank_host(lib.pysmpi_running_rank())
    size = lib.pysmpi_platform_host_name(platform, number, ffi.NULL, 0) + 1
    name = ffi.new("char[]", size)
    lib.pysmpi_platform_host_name(platform, number, name, size)
    return Host(
        ffi.string(name).decode(),
        lib.pysmpi_platform_host_speed(platform, number),
        lib.pysmpi_platform_host_cores(platform, number),
    )
