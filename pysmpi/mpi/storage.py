"""Where files are, and the time that it takes to get at them.

A file lies on a disk (``<disk>`` of a host of the platform) or on the simulation's file system:

- on the disk of the rank's own host whose mount point is the longest that the file's absolute path begins with; the
  mount point is the disk's property ``mount``, or "/" when it has none;
- otherwise on such a disk of another host, the first in the order of the platform, if its property ``mount`` says so.
  Its bytes then cross the network between the two hosts, behind the disk when reading and before it when writing, as a
  message of their size does, without the overheads of MPI (SimGrid's file systems send them in the same order);
- otherwise on the file system, which is one large disk for all ranks: ``io/read-bw`` and ``io/write-bw``. Each access
  to it, and each operation on the file as a whole (opening, resizing, synchronising, deleting), takes ``io/latency``
  before its bytes flow. The way there is no part of the simulated network.

All accesses to a disk share its bandwidths fairly (``native/engine/disks.hpp``). A disk has no latency of its own. Real
bytes move in an instant, when the access begins.
"""

import os
from dataclasses import dataclass

from pysmpi.errors import PlatformError
from pysmpi.mpi.bindings import MpiError, check, running_rank
from pysmpi.mpi.constants import ERR_IO
from pysmpi.native import lib
from pysmpi.platform import Platform

__all__ = ["Place", "absolute", "operate", "place_of"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file is, as a rank sees it.

    Attributes:
        disk: its number in the platform; -1 for the file system.
        host: the host whose disk it is, when its bytes cross the network; -1 otherwise.
    """

    disk: int
    host: int


FILE_SYSTEM = Place(-1, -1)


def place_of(path: str) -> Place:
    """Where a file is, as the running rank sees it.

    Raises:
        MpiError: it is on another host, to which there is no route.
    """
    platform, rank = Platform.current(), running_rank()
    if rank < 0 or platform is None or not platform.disks:
        return FILE_SYSTEM
    here = int(lib.pysmpi_rank_host(rank))
    disk = platform.disk_of(path, here)
    if disk is None:
        return FILE_SYSTEM
    if disk.host == here:
        return Place(disk.index, -1)
    for ends in ((here, disk.host), (disk.host, here)):
        try:
            platform.route(*(platform.hosts[end] for end in ends))
        except PlatformError as error:
            raise MpiError(ERR_IO, f"{path} is on disk {disk.name!r} of another host: {error}") from None
    return Place(disk.index, disk.host)


def operate(place: Place, function: bytes) -> None:
    """The time of an operation that moves no data."""
    check(int(lib.pysmpi_finish_access(place.disk, place.host, 0, 0, function)))


def absolute(name: bytes) -> str:
    """A path as the running rank means it, in its own working directory."""
    return os.path.abspath(os.fsdecode(name))
