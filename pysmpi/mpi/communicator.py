"""Communicators as objects: finding, comparing, naming and freeing them. MPI 4.1, sections 7.4, 7.6 and 7.8.

A communicator is one object with one handle for all its members (an intercommunicator has one for each group); what a
process would keep of it (name, info, whether it has freed it) is kept by rank. Making one is collective: each member
finds or makes the same object, by its parent and by how many its ranks have made of that parent before. Nothing has to
be sent for that, but in SMPI messages are, and take time, so the same ones are sent here (SimGrid 3.32,
src/smpi/mpi/smpi_comm.cpp). How members are chosen: intracommunicator.py, intercommunicator.py, topology.py.
"""

import dataclasses
from collections.abc import Callable, Hashable
from typing import Any

from pysmpi.mpi import agreement, collective, leftovers
from pysmpi.mpi.bindings import CallbackError, MpiError, check, mpi_function, running_rank
from pysmpi.mpi.constants import (
    COMM_NULL,
    COMM_SELF,
    COMM_WORLD,
    CONGRUENT,
    ERR_COMM,
    ERR_PROC_FAILED,
    IDENT,
    MAX_OBJECT_NAME,
    UNEQUAL,
)
from pysmpi.mpi.group import Members, add_group, compare_members, my_world_rank
from pysmpi.mpi.info import add_info, copy_info
from pysmpi.mpi.texts import read_text, write_text
from pysmpi.native import ffi, lib

__all__ = [
    "COMMUNICATORS",
    "Communicator",
    "begin_pair",
    "find_communicator",
    "free",
    "join",
    "made",
    "meet",
    "next_creation",
    "reset_communicators",
]

COMMUNICATORS = 0  # the kind of object, to the native table of attributes
_CLASS = 0x7F  # the bits of an error code that hold its class


@dataclasses.dataclass(slots=True)
class _OfRank:
    """What one rank has of a communicator."""

    name: str | None = None
    info: dict[str, str] = dataclasses.field(default_factory=dict)
    made: int = 0  # communicators made of this one by all its members
    freed: bool = False


@dataclasses.dataclass(slots=True)
class Communicator:
    """A communicator, shared by its members.

    Attributes:
        handle: what programs call it.
        members: its ranks; of an intercommunicator, the local group.
        remote: the other group of an intercommunicator.
        identity: names it among all communicators there are, for all its members in either group.
    """

    handle: int
    members: Members
    remote: Members | None
    identity: Hashable
    of_ranks: dict[int, _OfRank] = dataclasses.field(default_factory=dict)
    freed: int = 0  # by how many members

    def mine(self) -> _OfRank:
        """What the running rank has of it."""
        return self.of_ranks.setdefault(running_rank(), _OfRank())

    @property
    def population(self) -> int:
        """How many ranks take part in what is collective over it."""
        return len(self.members) + (0 if self.remote is None else len(self.remote))


@dataclasses.dataclass(slots=True)
class _Meeting:
    """Something that all members of a communicator decide together."""

    given: dict[int, Any] = dataclasses.field(default_factory=dict)  # by world rank
    decided: Any = None
    left: int = 0  # members that have not come out yet


_communicators: dict[int, Communicator] = {}
_worlds: dict[int, Communicator] = {}  # by first rank: that of the simulation's beginning, and those of spawned ranks
_being_made: dict[Hashable, tuple[Communicator, int]] = {}  # and how many members have yet to find it
_meetings: dict[Hashable, _Meeting] = {}


def find_communicator(handle: int) -> Communicator:
    """The communicator with this handle.

    Raises:
        MpiError: there is none, or the running rank has freed it.
    """
    found = _communicators.get(handle)
    if handle == COMM_WORLD:
        found = _world()
    elif handle == COMM_SELF:
        # Its member is whoever asks; all else is kept by rank anyhow.
        of_ranks = found.of_ranks if found is not None else {}
        mine = my_world_rank()
        found = _communicators[handle] = Communicator(handle, Members((mine,)), None, (handle, mine), of_ranks)
    if found is None:
        if handle == COMM_NULL:
            raise MpiError(ERR_COMM, "the communicator is MPI_COMM_NULL")
        raise MpiError(ERR_COMM, f"no communicator has the handle {handle & 0xFFFFFFFF:#x}; was it freed?")
    of_rank = found.of_ranks.get(running_rank())
    if of_rank is not None and of_rank.freed:
        raise MpiError(ERR_COMM, f"this rank has freed the communicator {handle & 0xFFFFFFFF:#x}")
    return found


def _world() -> Communicator:
    """The world that the running rank was started in."""
    first = int(lib.pysmpi_communicator_world_rank(COMM_WORLD, 0))
    size = int(lib.pysmpi_communicator_size(COMM_WORLD))
    found = _worlds.get(first)
    if found is None or len(found.members) != size:
        members = Members(range(first, first + size))
        found = _worlds[first] = Communicator(COMM_WORLD, members, None, (COMM_WORLD, first))
    return found


def reset_communicators() -> None:
    """Forgets all communicators but the world and self."""
    for table in (_communicators, _worlds, _being_made, _meetings):
        table.clear()


def next_creation(parent: Communicator) -> tuple[Hashable, int]:
    """Names the next communicator that is made of this one; the same for all its members."""
    mine = parent.mine()
    mine.made += 1
    agreement.called((parent.identity, mine.made), parent.population)
    return parent.identity, mine.made


def meet(
    parent: Communicator,
    name: Hashable,
    given: Any,
    size: int,
    decide: Callable[[dict[int, Any]], object],
    answer: Callable[[int, Any], bool] | None = None,
) -> Any:
    """What all members of a communicator decide from what each of them gives; each of them calls this.

    Takes a gather and a scatter of `size` bytes a member; between them, the first ranks of an intercommunicator's two
    groups tell each other what they have gathered.

    Args:
        parent: the communicator.
        name: of the decision, from `next_creation`.
        given: what the running rank gives.
        size: bytes.
        decide: called once, with what each rank has given, by world rank.
        answer: takes the place of the scatter, with the communicator that it would be on and, at its rank 0, what has
            been decided (None when that is nothing, a member having failed); says whether this rank is told.

    Raises:
        MpiError: a member has failed before it gave anything.
        CallbackError: an error in one of the messages.
    """
    meeting = _meetings.setdefault(name, _Meeting(left=parent.population))
    mine = my_world_rank()
    meeting.given[mine] = given
    failure: CallbackError | None = None
    comm = parent.handle if parent.remote is None else int(lib.pysmpi_communicator_local(parent.handle))
    first = mine == parent.members.world_ranks[0]
    try:
        collective.gather(comm, size)
        if parent.remote is not None and first:
            _exchange(parent, size)
    except CallbackError as error:
        if error.code & _CLASS != ERR_PROC_FAILED:
            raise
        failure = error  # the others still wait for this rank
    if first and meeting.decided is None and len(meeting.given) == parent.population:
        meeting.decided = decide(meeting.given)  # the others may not have come when anyone else comes here
    told = True
    if answer is None:
        collective.scatter(comm, size)
    else:
        told = answer(comm, meeting.decided)
    if failure is not None:
        raise failure
    if told and meeting.decided is None:
        raise MpiError(ERR_PROC_FAILED, "a member of the communicator has failed before it took part", parent.handle)
    meeting.left -= 1
    if meeting.left == 0:
        del _meetings[name]
    return meeting.decided


def _exchange(between: Communicator, size: int) -> None:
    """The first ranks of an intercommunicator's groups tell each other `size` bytes of each member."""
    assert between.remote is not None
    leaders = int(lib.pysmpi_communicator_leaders(between.handle))
    peer = 1 - int(lib.pysmpi_communicator_rank(leaders))
    collective.exchange(leaders, peer, 0, size * len(between.members), size * len(between.remote))


def join(name: Hashable, members: Members, parent: int, remote: Members | None = None) -> Communicator:
    """The communicator of these members that is made under this name: each of them calls this.

    Args:
        name: the same for all, and for nothing else.
        members: in rank order; of an intercommunicator, the local group.
        parent: the communicator whose error handler the running rank's is; MPI_COMM_NULL for the default one.
        remote: the other group of an intercommunicator, whose members call this as well.
    """
    communicator, missing = _begun(name, members, remote)
    if missing > 1:
        _being_made[name, members.world_ranks[0]] = communicator, missing - 1
    lib.pysmpi_inherit_error_handler(parent, communicator.handle)
    return communicator


def begin_pair(name: Hashable, members: Members, remote: Members) -> Communicator:
    """Makes an intercommunicator that the members will join, and returns the other group's side: nobody there will."""
    return _begun(name, remote, members)[0]


def _begun(name: Hashable, members: Members, remote: Members | None) -> tuple[Communicator, int]:
    """What is being made under this name, taken out, and how many members have yet to join it."""
    first = members.world_ranks[0]
    found = _being_made.pop((name, first), None)
    if found is not None:
        return found
    if remote is None:
        handle = int(lib.pysmpi_communicator_add(len(members), _array(members)))
        return _add(Communicator(handle, members, None, handle)), len(members)
    handle = int(lib.pysmpi_intercommunicator_add(len(members), _array(members), len(remote), _array(remote)))
    other = _add(Communicator(int(lib.pysmpi_communicator_other_side(handle)), remote, members, handle))
    _being_made[name, remote.world_ranks[0]] = other, len(remote)
    return _add(Communicator(handle, members, remote, handle)), len(members)


def _array(members: Members) -> Any:
    return ffi.new("int32_t[]", list(members.world_ranks))


def _add(communicator: Communicator) -> Communicator:
    _communicators[communicator.handle] = communicator
    return communicator


def made(name: Hashable, members: Members, parent: int, remote: Members | None = None) -> Communicator:
    """The same, in the time that SMPI takes: the first member tells the others a number.

    SMPI has no intercommunicators: their first ranks tell each other theirs before.
    """
    communicator = join(name, members, parent, remote)
    leftovers.made("communicator", communicator.handle)
    if remote is None:
        collective.broadcast(communicator.handle, 4)
        return communicator
    if my_world_rank() == members.world_ranks[0]:
        _exchange(communicator, 4)
    collective.broadcast(int(lib.pysmpi_communicator_local(communicator.handle)), 4)
    return communicator


def free(communicator: Communicator) -> None:
    """The running rank has no more use for it; it goes with its last member's."""
    handle = communicator.handle
    check(int(lib.pysmpi_delete_attributes(COMMUNICATORS, handle)))
    lib.pysmpi_forget_error_handler(handle)
    communicator.of_ranks[running_rank()] = _OfRank(freed=True)
    communicator.freed += 1
    leftovers.freed("communicator", handle)
    if communicator.freed == len(communicator.members):
        del _communicators[handle]
        lib.pysmpi_communicator_remove(handle)


@mpi_function("Comm_compare")
def comm_compare(first: int, second: int, result: Any) -> None:
    """MPI_IDENT, MPI_CONGRUENT (same ranks, same order), MPI_SIMILAR or MPI_UNEQUAL."""
    one, two = find_communicator(first), find_communicator(second)
    if (one.remote is None) != (two.remote is None):
        result[0] = UNEQUAL
        return
    compared = compare_members(one.members, two.members)
    if one.remote is not None and two.remote is not None:
        compared = max(compared, compare_members(one.remote, two.remote))  # IDENT < SIMILAR < UNEQUAL
    result[0] = CONGRUENT if compared == IDENT and first != second else compared


@mpi_function("Comm_group")
def comm_group(comm: int, group: Any) -> None:
    """The group of its members; of an intercommunicator, the local group."""
    group[0] = add_group(find_communicator(comm).members)


@mpi_function("Comm_remote_group")
def comm_remote_group(comm: int, group: Any) -> None:
    """The other group of an intercommunicator."""
    remote = find_communicator(comm).remote
    if remote is None:
        raise MpiError(ERR_COMM, "not an intercommunicator", comm)
    group[0] = add_group(remote)


def _free_handle(comm: Any) -> None:
    communicator = find_communicator(comm[0])
    if comm[0] in (COMM_WORLD, COMM_SELF):
        name = "MPI_COMM_WORLD" if comm[0] == COMM_WORLD else "MPI_COMM_SELF"
        raise MpiError(ERR_COMM, f"{name} cannot be freed", comm[0])
    free(communicator)
    comm[0] = COMM_NULL


@mpi_function("Comm_free")
def comm_free(comm: Any) -> None:
    """The running rank has no more use for it. Messages under way arrive."""
    _free_handle(comm)


@mpi_function("Comm_disconnect")
def comm_disconnect(comm: Any) -> None:
    """The same: messages under way arrive all the same, so there is nothing to wait for."""
    _free_handle(comm)


@mpi_function("Comm_set_name")
def comm_set_name(comm: int, name: Any) -> None:
    """The running rank's name for it."""
    find_communicator(comm).mine().name = read_text(name)


@mpi_function("Comm_get_name")
def comm_get_name(comm: int, name: Any, length: Any) -> None:
    """The running rank's name for it; empty, or that of MPI's constant, by default."""
    defaults = {COMM_NULL: "MPI_COMM_NULL", COMM_WORLD: "MPI_COMM_WORLD", COMM_SELF: "MPI_COMM_SELF"}
    own = None if comm == COMM_NULL else find_communicator(comm).mine().name
    text = defaults.get(comm, "") if own is None else own
    length[0] = write_text(name, text, MAX_OBJECT_NAME)


@mpi_function("Comm_set_info")
def comm_set_info(comm: int, info: int) -> None:
    """The hints are kept and mean nothing to the simulator."""
    find_communicator(comm).mine().info.update(copy_info(info))


@mpi_function("Comm_get_info")
def comm_get_info(comm: int, info: Any) -> None:
    """A new info object with the hints that were set."""
    info[0] = add_info(dict(find_communicator(comm).mine().info))
