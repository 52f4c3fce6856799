"""Intracommunicators: making, comparing, naming and freeing them. MPI 4.1, sections 7.4 and 7.8.

A communicator is one object with one handle for all its members; what a process would keep of it (name, info, whether
it has freed it) is kept by rank. Making one is collective: each member finds or makes the same object, by its parent
and by how many its ranks have made of that parent before. Nothing has to be sent for that, but in SMPI messages are,
and take time, so the same ones are sent here (SimGrid 3.32, src/smpi/mpi/smpi_comm.cpp).
"""

import dataclasses
from collections.abc import Callable, Hashable
from typing import Any

from pysmpi.mpi import collective
from pysmpi.mpi.constants import (
    COMM_NULL,
    COMM_SELF,
    COMM_TYPE_HW_GUIDED,
    COMM_TYPE_HW_UNGUIDED,
    COMM_TYPE_RESOURCE_GUIDED,
    COMM_TYPE_SHARED,
    COMM_WORLD,
    CONGRUENT,
    ERR_ARG,
    ERR_COMM,
    ERR_GROUP,
    ERR_PROC_FAILED,
    IDENT,
    MAX_OBJECT_NAME,
    UNDEFINED,
)
from pysmpi.mpi.group import Members, add_group, compare_members, find_group, my_world_rank
from pysmpi.mpi.info import add_info, copy_info
from pysmpi.mpi.seam import CallbackError, MpiError, check, mpi_function, running_rank
from pysmpi.native import ffi, lib

__all__ = ["find_communicator", "reset_communicators"]

_BY_RESOURCE = (COMM_TYPE_HW_GUIDED, COMM_TYPE_RESOURCE_GUIDED)
_COMMUNICATORS = 0  # the kind of object, to the native table of attributes


@dataclasses.dataclass(slots=True)
class _OfRank:
    """What one rank has of a communicator."""

    name: str | None = None
    info: dict[str, str] = dataclasses.field(default_factory=dict)
    made: int = 0  # communicators made of this one by all its members
    freed: bool = False


@dataclasses.dataclass(slots=True)
class Communicator:
    """A communicator, shared by its members."""

    handle: int
    members: Members
    of_ranks: dict[int, _OfRank] = dataclasses.field(default_factory=dict)
    freed: int = 0  # by how many members

    def mine(self) -> _OfRank:
        """What the running rank has of it."""
        return self.of_ranks.setdefault(running_rank(), _OfRank())


@dataclasses.dataclass(slots=True)
class _Split:
    """A split under way: what each rank asked for, and then the communicator that it gets."""

    asked: dict[int, tuple[int, int]] = dataclasses.field(default_factory=dict)  # world rank: colour, key
    parts: dict[int, Members] = dataclasses.field(default_factory=dict)  # by colour
    left: int = 0  # members that have not taken their part yet


_CLASS = 0x7F  # the bits of an error code that hold its class

_communicators: dict[int, Communicator] = {}
_being_made: dict[Hashable, tuple[Communicator, int]] = {}  # and how many members have yet to find it
_splits: dict[Hashable, _Split] = {}
_groups_made: dict[Hashable, int] = {}  # how often a rank has made a communicator of a group, by rank and group


def find_communicator(handle: int) -> Communicator:
    """The communicator with this handle.

    Raises:
        MpiError: there is none, or the running rank has freed it.
    """
    found = _communicators.get(handle)
    if handle == COMM_WORLD:
        size = int(lib.pysmpi_communicator_size(COMM_WORLD))
        if found is None or len(found.members) != size:
            found = _communicators[handle] = Communicator(handle, Members(range(size)))
    elif handle == COMM_SELF:
        # Its member is whoever asks; all else is kept by rank anyhow.
        of_ranks = found.of_ranks if found is not None else {}
        found = _communicators[handle] = Communicator(handle, Members((my_world_rank(),)), of_ranks)
    if found is None:
        if handle == COMM_NULL:
            raise MpiError(ERR_COMM, "the communicator is MPI_COMM_NULL")
        raise MpiError(ERR_COMM, f"no communicator has the handle {handle:#x}; was it freed?")
    of_rank = found.of_ranks.get(running_rank())
    if of_rank is not None and of_rank.freed:
        raise MpiError(ERR_COMM, f"this rank has freed the communicator {handle:#x}")
    return found


def reset_communicators() -> None:
    """Forgets all communicators but the world and self."""
    for table in (_communicators, _being_made, _splits, _groups_made):
        table.clear()


def _next_of(parent: Communicator) -> tuple[int, int, int]:
    """Names the parent's next collective creation; the same for all its members."""
    mine = parent.mine()
    mine.made += 1
    return (parent.handle, parent.members.world_ranks[0], mine.made)


def _join(name: Hashable, members: Members, parent: int) -> Communicator:
    """The communicator of these members that is made under this name: each of them calls this."""
    communicator, missing = _being_made.pop(name, (None, len(members)))
    if communicator is None:
        world_ranks = ffi.new("int32_t[]", list(members.world_ranks))
        handle = int(lib.pysmpi_communicator_add(len(members), world_ranks))
        communicator = _communicators[handle] = Communicator(handle, members)
    if missing > 1:
        _being_made[name] = (communicator, missing - 1)
    lib.pysmpi_inherit_error_handler(parent, communicator.handle)
    return communicator


def _made(name: Hashable, members: Members, parent: int) -> Communicator:
    """The same, in the time that SMPI takes: the first member tells the others a number."""
    communicator = _join(name, members, parent)
    collective.broadcast(communicator.handle, 4)
    return communicator


def _duplicate(comm: int, newcomm: Any, make: Callable[[Hashable, Members, int], Communicator]) -> Communicator:
    parent = find_communicator(comm)
    newcomm[0] = COMM_NULL
    made = make((*_next_of(parent), "dup"), parent.members, comm)
    code = int(lib.pysmpi_copy_attributes(_COMMUNICATORS, comm, made.handle))
    if code != 0:
        _free(made)
        check(code)
    newcomm[0] = made.handle
    return made


def _split(comm: int, colour: int, key: int, newcomm: Any) -> None:
    parent = find_communicator(comm)
    newcomm[0] = COMM_NULL
    name = _next_of(parent)
    split = _splits.setdefault(name, _Split(left=len(parent.members)))
    split.asked[my_world_rank()] = (colour, key)
    failure: CallbackError | None = None
    try:
        collective.gather(comm, 8)
    except CallbackError as error:
        if error.code & _CLASS != ERR_PROC_FAILED:
            raise
        failure = error  # the others still wait for this rank
    if my_world_rank() == parent.members.world_ranks[0] and len(split.asked) == len(parent.members):
        _settle(split, parent.members)  # the others may not have asked when anyone else comes here
    collective.scatter(comm, 8)
    if failure is not None:
        raise failure
    if colour != UNDEFINED and colour not in split.parts:
        raise MpiError(ERR_PROC_FAILED, "a member of the communicator has failed before it took part", comm)
    split.left -= 1
    if split.left == 0:
        del _splits[name]
    if colour != UNDEFINED:
        newcomm[0] = _made((*name, colour), split.parts[colour], comm).handle


def _settle(split: _Split, members: Members) -> None:
    """Who goes with whom: by colour, then in the order of keys and of ranks in the parent."""
    by_colour: dict[int, list[tuple[int, int]]] = {}
    for rank, world_rank in enumerate(members.world_ranks):
        colour, key = split.asked[world_rank]
        if colour != UNDEFINED:
            by_colour.setdefault(colour, []).append((key, rank))
    for colour, chosen in by_colour.items():
        split.parts[colour] = Members([members.world_ranks[rank] for _, rank in sorted(chosen)])


def _free(communicator: Communicator) -> None:
    """The running rank has no more use for it; it goes with its last member's."""
    handle = communicator.handle
    check(int(lib.pysmpi_delete_attributes(_COMMUNICATORS, handle)))
    lib.pysmpi_forget_error_handler(handle)
    communicator.of_ranks[running_rank()] = _OfRank(freed=True)
    communicator.freed += 1
    if communicator.freed == len(communicator.members):
        del _communicators[handle]
        lib.pysmpi_communicator_remove(handle)


@mpi_function("Comm_compare")
def comm_compare(first: int, second: int, result: Any) -> None:
    """MPI_IDENT, MPI_CONGRUENT (same ranks, same order), MPI_SIMILAR or MPI_UNEQUAL."""
    one, two = find_communicator(first), find_communicator(second)
    compared = compare_members(one.members, two.members)
    result[0] = CONGRUENT if compared == IDENT and first != second else compared


@mpi_function("Comm_group")
def comm_group(comm: int, group: Any) -> None:
    """The group of its members."""
    group[0] = add_group(find_communicator(comm).members)


@mpi_function("Comm_dup")
def comm_dup(comm: int, newcomm: Any) -> None:
    """A communicator of the same members, with the same info and the attributes that their callbacks copy."""
    made = _duplicate(comm, newcomm, _made)
    made.mine().info = dict(find_communicator(comm).mine().info)


@mpi_function("Comm_idup")
def comm_idup(comm: int, newcomm: Any, request: Any) -> None:
    """The same at once: nothing has to be sent, so the request is complete."""
    made = _duplicate(comm, newcomm, _join)
    made.mine().info = dict(find_communicator(comm).mine().info)
    request[0] = collective.complete_request(comm)


@mpi_function("Comm_dup_with_info")
def comm_dup_with_info(comm: int, info: int, newcomm: Any) -> None:
    """The same with another info."""
    entries = copy_info(info)
    _duplicate(comm, newcomm, _made).mine().info = entries


@mpi_function("Comm_split")
def comm_split(comm: int, color: int, key: int, newcomm: Any) -> None:
    """A communicator for each colour; none for those whose colour is MPI_UNDEFINED."""
    if color < 0 and color != UNDEFINED:
        raise MpiError(ERR_ARG, f"invalid color {color}, valid are 0 or more and MPI_UNDEFINED", comm)
    _split(comm, color, key, newcomm)


@mpi_function("Comm_split_type")
def comm_split_type(comm: int, split_type: int, key: int, info: int, newcomm: Any) -> None:
    """The ranks of each simulated host, which share its memory; no other hardware can be asked for."""
    resource = copy_info(info).get("mpi_hw_resource_type")
    colour = UNDEFINED
    if split_type == COMM_TYPE_SHARED or (split_type in _BY_RESOURCE and resource == "mpi_shared_memory"):
        rank = running_rank()
        colour = int(lib.pysmpi_rank_host(rank)) if rank >= 0 else 0
    elif split_type not in (*_BY_RESOURCE, COMM_TYPE_HW_UNGUIDED, UNDEFINED):
        raise MpiError(ERR_ARG, f"invalid split type {split_type}, valid are the MPI_COMM_TYPE_ constants", comm)
    _split(comm, colour, key, newcomm)


@mpi_function("Comm_create")
def comm_create(comm: int, group: int, newcomm: Any) -> None:
    """A communicator of the group's ranks; groups that have no rank in common may be given at once."""
    parent, members = find_communicator(comm), find_group(group)
    newcomm[0] = COMM_NULL
    _check_subset(parent, members)
    name = _next_of(parent)
    if members.position(my_world_rank()) != UNDEFINED:
        newcomm[0] = _made((*name, members.world_ranks[0]), members, comm).handle


@mpi_function("Comm_create_group")
def comm_create_group(comm: int, group: int, tag: int, newcomm: Any) -> None:
    """The same, called by the group's ranks only."""
    parent, members = find_communicator(comm), find_group(group)
    newcomm[0] = COMM_NULL
    _check_subset(parent, members)
    if members.position(my_world_rank()) == UNDEFINED:
        return
    what = (comm, tag, tuple(members.world_ranks))
    times = _groups_made[(running_rank(), *what)] = _groups_made.get((running_rank(), *what), 0) + 1
    newcomm[0] = _made((*what, times), members, comm).handle


def _check_subset(parent: Communicator, members: Members) -> None:
    for world_rank in members.world_ranks:
        if parent.members.position(world_rank) == UNDEFINED:
            text = f"rank {world_rank} of MPI_COMM_WORLD is in the group but not in the communicator"
            raise MpiError(ERR_GROUP, text, parent.handle)


def _free_handle(comm: Any) -> None:
    communicator = find_communicator(comm[0])
    if comm[0] in (COMM_WORLD, COMM_SELF):
        name = "MPI_COMM_WORLD" if comm[0] == COMM_WORLD else "MPI_COMM_SELF"
        raise MpiError(ERR_COMM, f"{name} cannot be freed", comm[0])
    _free(communicator)
    comm[0] = COMM_NULL


@mpi_function("Comm_free")
def comm_free(comm: Any) -> None:
    """The running rank has no more use for it. Messages under way arrive."""
    _free_handle(comm)


@mpi_function("Comm_disconnect")
def comm_disconnect(comm: Any) -> None:
    """The same: all ranks of a simulation stay connected through MPI_COMM_WORLD."""
    _free_handle(comm)


@mpi_function("Comm_set_name")
def comm_set_name(comm: int, name: Any) -> None:
    """The running rank's name for it."""
    text: str = ffi.string(name).decode(errors="surrogateescape")
    find_communicator(comm).mine().name = text


@mpi_function("Comm_get_name")
def comm_get_name(comm: int, name: Any, length: Any) -> None:
    """The running rank's name for it; empty, or that of MPI's constant, by default."""
    defaults = {COMM_NULL: "MPI_COMM_NULL", COMM_WORLD: "MPI_COMM_WORLD", COMM_SELF: "MPI_COMM_SELF"}
    own = None if comm == COMM_NULL else find_communicator(comm).mine().name
    text = defaults.get(comm, "") if own is None else own
    encoded = text.encode(errors="surrogateescape")[: MAX_OBJECT_NAME - 1]
    ffi.memmove(name, encoded + b"\0", len(encoded) + 1)
    length[0] = len(encoded)


@mpi_function("Comm_set_info")
def comm_set_info(comm: int, info: int) -> None:
    """The hints are kept and mean nothing to the simulator."""
    find_communicator(comm).mine().info.update(copy_info(info))


@mpi_function("Comm_get_info")
def comm_get_info(comm: int, info: Any) -> None:
    """A new info object with the hints that were set."""
    info[0] = add_info(dict(find_communicator(comm).mine().info))
