"""Communicators of ranks that share hardware (MPI_Comm_split_type). MPI 4.1, sections 7.4.2 and 11.1.4
(MPI_Get_hw_resource_info).

Ranks of a simulated machine share only their host: ``mpi_shared_memory`` is its memory, and ``pysmpi://host`` is the
host itself. Each rank is restricted to its own host.
"""

from typing import Any

from pysmpi.mpi.bindings import MpiError, mpi_function, running_rank
from pysmpi.mpi.communicator import find_communicator, free
from pysmpi.mpi.constants import (
    COMM_NULL,
    COMM_TYPE_HW_GUIDED,
    COMM_TYPE_HW_UNGUIDED,
    COMM_TYPE_RESOURCE_GUIDED,
    COMM_TYPE_SHARED,
    ERR_ARG,
    INFO_NULL,
    UNDEFINED,
)
from pysmpi.mpi.info import add_info, copy_info, find_info
from pysmpi.mpi.intracommunicator import split
from pysmpi.native import lib

__all__: list[str] = []

_RESOURCE, _SET = "mpi_hw_resource_type", "mpi_pset_name"
_SHARED_MEMORY, _HOST = "mpi_shared_memory", "pysmpi://host"


def _host() -> int:
    rank = running_rank()
    return int(lib.pysmpi_rank_host(rank)) if rank >= 0 else 0


def _guided(split_type: int, info: int) -> int:
    """Return the running rank's colour for the resource that the info object names; MPI_UNDEFINED if it is unknown."""
    asked = copy_info(info)
    if asked.get(_RESOURCE) in (_SHARED_MEMORY, _HOST):
        return _host()
    if split_type == COMM_TYPE_RESOURCE_GUIDED and _RESOURCE not in asked:
        if asked.get(_SET) == "mpi://WORLD":
            return 0
        if asked.get(_SET) == "mpi://SELF":
            return max(running_rank(), 0)
    return UNDEFINED


@mpi_function("Comm_split_type")
def comm_split_type(comm: int, split_type: int, key: int, info: int, newcomm: Any) -> None:
    """Create a communicator of the ranks on each simulated host.

    This applies to MPI_COMM_TYPE_SHARED, and to guided splits whose info object names the host. An unguided split
    divides a communicator on several hosts by host. On a single host it returns no communicator, because the new one
    would not be smaller.
    """
    parent = find_communicator(comm)
    newcomm[0] = COMM_NULL
    if split_type in (COMM_TYPE_SHARED, COMM_TYPE_HW_UNGUIDED):
        colour = _host()
    elif split_type in (COMM_TYPE_HW_GUIDED, COMM_TYPE_RESOURCE_GUIDED):
        colour = _guided(split_type, info)
    elif split_type == UNDEFINED:
        colour = UNDEFINED
    else:
        raise MpiError(ERR_ARG, f"invalid split type {split_type}; valid: MPI_COMM_TYPE_ constants", comm)
    new = split(comm, colour, key)
    if new is None:
        return
    if split_type == COMM_TYPE_HW_UNGUIDED:
        if new.population == parent.population:
            free(new)
            return
        if info != INFO_NULL:
            find_info(info)[_RESOURCE] = _SHARED_MEMORY
    newcomm[0] = new.handle


@mpi_function("Get_hw_resource_info")
def get_hw_resource_info(info: Any) -> None:
    """Return a new info object with each kind of hardware, and whether the rank is restricted to one of that kind."""
    info[0] = add_info({_HOST: "true"})
