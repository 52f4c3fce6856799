"""Communicators of ranks that share hardware (MPI_Comm_split_type). MPI 4.1, sections 7.4.2 and 11.1.4
(MPI_Get_hw_resource_info).

Ranks of a simulated machine share only their host: ``mpi_shared_memory`` is its memory, and ``pysmpi://host`` is the
host itself. Each rank is restricted to its own host.
"""

import dataclasses
from collections.abc import Hashable
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.mpi import collective, unfreed_objects
from pysmpi.simulation.mpi.bindings import CallbackError, MpiError, mpi_function, running_rank
from pysmpi.simulation.mpi.communicator import (
    Communicator,
    agree,
    find_communicator,
    free,
    join,
    must_agree,
    next_creation,
)
from pysmpi.simulation.mpi.constants import (
    COMM_NULL,
    COMM_TYPE_HW_GUIDED,
    COMM_TYPE_HW_UNGUIDED,
    COMM_TYPE_RESOURCE_GUIDED,
    COMM_TYPE_SHARED,
    ERR_ARG,
    ERR_STOPPED,
    INFO_NULL,
    UNDEFINED,
)
from pysmpi.simulation.mpi.group import Members, my_world_rank
from pysmpi.simulation.mpi.info import add_info, copy_info, find_info
from pysmpi.simulation.mpi.intracommunicator import split

__all__ = ["reset_split_types"]

_RESOURCE, _SET = "mpi_hw_resource_type", "mpi_pset_name"
_SHARED_MEMORY, _HOST = "mpi_shared_memory", "pysmpi://host"


@dataclasses.dataclass(slots=True)
class _Split:
    """State of a call of MPI_Comm_split_type that some members have made and others have not made yet.

    A domain is a set of ranks that are split together: the number of a host for its ranks, or None for all ranks of the
    parent.
    """

    ranks: dict[int | None, list[int]]  # world ranks of each domain, in the order of the parent
    asked: dict[int, tuple[int, int]] = dataclasses.field(default_factory=dict)  # colour and key, by world rank
    left: dict[int | None, int] = dataclasses.field(default_factory=dict)  # ranks that have not called yet, by domain
    waiting: dict[int | None, list[int]] = dataclasses.field(default_factory=dict)  # threads that wait, by domain


_splits: dict[Hashable, _Split] = {}


def reset_split_types() -> None:
    """Discard the state of splits that not all members have called."""
    _splits.clear()


def _host() -> int:
    return _host_of(running_rank())


def _host_of(rank: int) -> int:
    return int(lib.pysmpi_rank_host(rank)) if running_rank() >= 0 else 0


def _guided(split_type: int, info: int) -> int:
    """Return the running rank's colour in a split by the resource that the info object names.

    The colour is MPI_UNDEFINED if the resource is unknown.
    """
    asked = copy_info(info)
    if asked.get(_RESOURCE) in (_SHARED_MEMORY, _HOST):
        return _host()
    if split_type == COMM_TYPE_RESOURCE_GUIDED and _RESOURCE not in asked:
        if asked.get(_SET) == "mpi://WORLD":
            return 0
        if asked.get(_SET) == "mpi://SELF":
            return max(running_rank(), 0)
    return UNDEFINED


def _split_by_host(comm: int, parent: Communicator, colour: int, key: int, spans_hosts: bool) -> Communicator | None:
    """Split the ranks of each host, or all ranks, without messages, as SMPI does, or with those of Open MPI.

    Without messages, a rank waits until all ranks that may belong to its new communicator have called, because their
    keys determine the order of ranks.
    """
    name = (*next_creation(parent), "split type")
    split_ = _splits.get(name)
    if split_ is None:
        ranks: dict[int | None, list[int]] = {None: list(parent.members.world_ranks)}
        for rank in parent.members.world_ranks:
            ranks.setdefault(_host_of(rank), []).append(rank)
        split_ = _splits[name] = _Split(ranks, left={domain: len(ranks[domain]) for domain in ranks})
    mine = my_world_rank()
    host = _host_of(mine)
    split_.asked[mine] = colour, key
    for domain in (host, None):
        split_.left[domain] -= 1
        if split_.left[domain] == 0:
            for thread in split_.waiting.pop(domain, []):
                lib.pysmpi_unblock(thread)
    if split_.left[None] == 0:
        del _splits[name]
    agrees = must_agree(parent)
    if agrees:
        collective.allreduce(comm, 6)  # types of the split and keys, to see if they are equal on all ranks
        agree(parent)
    if colour == UNDEFINED:
        return None
    domain = None if spans_hosts else host
    if split_.left[domain] > 0:
        split_.waiting.setdefault(domain, []).append(int(lib.pysmpi_running_thread()))
        if lib.pysmpi_block(comm) != 0:
            raise CallbackError(ERR_STOPPED)
    chosen = [(split_.asked[rank], place, rank) for place, rank in enumerate(split_.ranks[domain])]
    order = sorted((its_key, place, rank) for (its_colour, its_key), place, rank in chosen if its_colour == colour)
    members = Members([rank for _, _, rank in order])
    communicator = join((*name, colour), members, comm)
    unfreed_objects.made("communicator", communicator.handle)
    if agrees and len({its_key for _, its_key in split_.asked.values()}) > 1:
        collective.allgather(communicator.handle, 8)
    return communicator


@mpi_function("Comm_split_type")
def comm_split_type(comm: int, split_type: int, key: int, info: int, newcomm: Any) -> None:
    """Create a communicator of the ranks on each simulated host.

    This applies to MPI_COMM_TYPE_SHARED, and to guided splits whose info object names the host. An unguided split
    divides a communicator on several hosts by host. On a single host it returns no communicator, because the new one
    would not be smaller.
    """
    parent = find_communicator(comm)
    newcomm[0] = COMM_NULL
    if info != INFO_NULL:
        find_info(info)
    if split_type in (COMM_TYPE_SHARED, COMM_TYPE_HW_UNGUIDED):
        colour = _host()
    elif split_type in (COMM_TYPE_HW_GUIDED, COMM_TYPE_RESOURCE_GUIDED):
        colour = _guided(split_type, info)
    elif split_type == UNDEFINED:
        colour = UNDEFINED
    else:
        raise MpiError(ERR_ARG, f"invalid split type {split_type}; valid: MPI_COMM_TYPE_ constants", comm)
    if parent.remote is not None:
        new = split(comm, colour, key)
    else:
        spans_hosts = split_type == COMM_TYPE_RESOURCE_GUIDED
        new = _split_by_host(comm, parent, colour, key, spans_hosts)
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
    """Return a new info object with an entry for each kind of hardware: the name of the kind, and whether the rank is
    restricted to one instance of it."""
    info[0] = add_info({_HOST: "true"})
