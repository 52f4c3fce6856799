"""Location of files, and the time of access to them.

A file lies on a disk (``<disk>`` of a host of the platform) or on the simulation's file system:

- If a disk of the rank's own host has a mount point that the file's absolute path begins with, the file lies there; the
  longest such mount point counts. The mount point is the disk's property ``mount``, or "/" by default.
- Otherwise, if a disk of another host has a matching property ``mount``, the file lies on the first such disk in
  platform order. Its bytes also cross the network between the two hosts, as one message without the overheads of MPI.
  The bytes cross the network after the disk when reading and before the disk when writing, as in SimGrid.
- Otherwise the file lies on the file system, one large disk for all ranks with ``io/read-bw`` and ``io/write-bw``. Each
  access to it, and each operation on the file as a whole (opening, resizing, synchronising, deleting), takes
  ``io/latency`` before its bytes flow. The path to the file system is not part of the simulated network.

All accesses to a disk share its bandwidths fairly (``native/engine/disks.hpp``). A disk has no latency of its own.
Real bytes are transferred immediately, when the access begins.
"""

import os
from dataclasses import dataclass

from pysmpi.errors import PlatformError
from pysmpi.native import lib
from pysmpi.platform import Platform
from pysmpi.simulation.mpi.bindings import MpiError, check, running_rank
from pysmpi.simulation.mpi.constants import ERR_IO

__all__ = ["Place", "absolute", "operate", "place_of"]


@dataclass(frozen=True, slots=True)
class Place:
    """Location of a file, as seen from a rank.

    Attributes:
        disk: number of the disk in the platform, or -1 for the file system.
        host: host of the disk if the bytes cross the network, else -1.
    """

    disk: int
    host: int


FILE_SYSTEM = Place(-1, -1)


def place_of(path: str) -> Place:
    """Return the location of a file, as seen from the running rank.

    Raises:
        MpiError: the file is on another host, and no route leads there.
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
    """Wait for the simulated time of an operation that transfers no data, such as the deletion of a file."""
    check(int(lib.pysmpi_finish_access(place.disk, place.host, 0, 0, function)))


def absolute(name: bytes) -> str:
    """Return a path made absolute in the running rank's working directory."""
    return os.path.abspath(os.fsdecode(name))
