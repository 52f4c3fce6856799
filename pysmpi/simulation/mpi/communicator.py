"""Communicators as objects: finding, comparing, naming and freeing them. MPI 4.1, sections 7.4, 7.6 and 7.8.

A communicator is one object with one handle for all its members; an intercommunicator has one for each group. Each rank
keeps its own state of the communicator (name, info, whether the rank has freed it). Creating a communicator is
collective. The first member that calls creates the object, and the others find it by the parent and by the number of
communicators already made of that parent. This needs no messages. But SMPI sends some, which take simulated time, so
pysmpi sends the same messages (SimGrid 3.32, src/smpi/mpi/smpi_comm.cpp). The modules intracommunicator,
intercommunicator and virtual_topologies choose the members of new communicators.
"""

import dataclasses
import itertools
import sys
from collections.abc import Callable, Hashable
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.mpi import collective, unfreed_objects
from pysmpi.simulation.mpi.bindings import CallbackError, MpiError, check, mpi_function, running_rank
from pysmpi.simulation.mpi.constants import (
    COMM_NULL,
    COMM_SELF,
    COMM_WORLD,
    CONGRUENT,
    ERR_COMM,
    ERR_OTHER,
    ERR_PROC_FAILED,
    IDENT,
    MAX_OBJECT_NAME,
    UNEQUAL,
)
from pysmpi.simulation.mpi.group import Members, add_group, compare_members, my_world_rank
from pysmpi.simulation.mpi.info import add_info, copy_info
from pysmpi.simulation.mpi.texts import read_text, write_text
from pysmpi.simulation.settings.mpi_libraries.followed import followed
from pysmpi.util.quantities import ranges
from pysmpi.util.traceback_text import place_of

__all__ = [
    "COMMUNICATORS",
    "Communicator",
    "agree",
    "begin_pair",
    "enter",
    "find_communicator",
    "free",
    "join",
    "made",
    "meet",
    "must_agree",
    "next_creation",
    "next_number",
    "reset_communicators",
]

COMMUNICATORS = 0  # kind of object in the native table of attributes
_CLASS = 0x7F  # mask of the error class in an error code
_PREDEFINED = {COMM_WORLD: "MPI_COMM_WORLD", COMM_SELF: "MPI_COMM_SELF"}
_LISTED = 16  # largest number of ranks that a title lists
_KINDS = {"MPI_Win": "window"}  # kinds of objects by the beginning of the function that makes them


@dataclasses.dataclass(slots=True)
class _OfRank:
    """State of a communicator that each rank has for itself."""

    name: str | None = None
    info: dict[str, str] = dataclasses.field(default_factory=dict)
    made: int = 0  # number of communicators made of this one by all its members
    freed: bool = False


@dataclasses.dataclass(slots=True, weakref_slot=True)
class Communicator:
    """A communicator, shared by its members.

    Attributes:
        handle: handle that programs use.
        members: world ranks of the members; for an intercommunicator, of the local group.
        remote: other group of an intercommunicator, or None.
        identity: unique identity among all communicators, equal for its members in both groups.
    """

    handle: int
    members: Members
    remote: Members | None
    identity: Hashable
    of_ranks: dict[int, _OfRank] = dataclasses.field(default_factory=dict)
    freed: int = 0  # number of members that have freed it

    def mine(self) -> _OfRank:
        """Return the running rank's own state of the communicator."""
        return self.of_ranks.setdefault(running_rank(), _OfRank())

    @property
    def population(self) -> int:
        """Number of ranks that take part in collective operations on the communicator."""
        return len(self.members) + (0 if self.remote is None else len(self.remote))


@dataclasses.dataclass(slots=True)
class _Meeting:
    """State of a decision that all members of a communicator make together from one value of each (see `meet`)."""

    given: dict[int, Any] = dataclasses.field(default_factory=dict)  # values of the members, by world rank
    decided: Any = None
    left: int = 0  # members that have not received the decision yet


_communicators: dict[int, Communicator] = {}
_worlds: dict[int, Communicator] = {}  # the initial world and those of spawned ranks, by first rank
_being_made: dict[Hashable, tuple[Communicator, int]] = {}  # each with the number of members that have not joined yet
_meetings: dict[Hashable, _Meeting] = {}
_identities = itertools.count()  # handles are reused, identities are not
_titles: dict[str, int] = {}  # number of communicators made so far, by title


def find_communicator(handle: int) -> Communicator:
    """Return the communicator with this handle.

    Raises:
        MpiError: the handle is invalid, or the running rank has freed the communicator.
    """
    found = _communicators.get(handle)
    if handle == COMM_WORLD:
        found = _world()
    elif handle == COMM_SELF:
        # The running rank is the only member of its MPI_COMM_SELF; all other state is kept per rank anyway.
        of_ranks = found.of_ranks if found is not None else {}
        mine = my_world_rank()
        found = _communicators[handle] = Communicator(handle, Members((mine,)), None, (handle, mine), of_ranks)
    if found is None:
        if handle == COMM_NULL:
            raise MpiError(ERR_COMM, "the communicator is MPI_COMM_NULL; pass a valid communicator")
        raise MpiError(ERR_COMM, f"unknown communicator {handle & 0xFFFFFFFF:#x}; was it freed?")
    of_rank = found.of_ranks.get(running_rank())
    if of_rank is not None and of_rank.freed:
        raise MpiError(ERR_COMM, f"this rank has freed the communicator {handle & 0xFFFFFFFF:#x}")
    return found


def _world() -> Communicator:
    """Return the MPI_COMM_WORLD that the running rank was started in."""
    first = int(lib.pysmpi_communicator_world_rank(COMM_WORLD, 0))
    size = int(lib.pysmpi_communicator_size(COMM_WORLD))
    found = _worlds.get(first)
    if found is None or len(found.members) != size:
        members = Members(range(first, first + size))
        found = _worlds[first] = Communicator(COMM_WORLD, members, None, (COMM_WORLD, first))
    return found


def reset_communicators() -> None:
    """Discard all communicators except MPI_COMM_WORLD and MPI_COMM_SELF."""
    for table in (_communicators, _worlds, _being_made, _meetings, _titles):
        table.clear()


def enter(communicator: Communicator, *, waits: bool = True) -> None:
    """Record that the running rank calls an MPI function that is collective over the communicator.

    Every such function calls this once, when it has checked its arguments. Checked runs (``--check``) compare the order
    of all these calls.

    Args:
        communicator: the communicator, or that of the window or file.
        waits: True if the function waits for other ranks. Their calls are then compared in every run, because the ranks
            would wait for ever if they differed.

    Raises:
        CallbackError: the running rank calls another function than the ranks that came first.
    """
    check(int(lib.pysmpi_enter_call(communicator.handle, waits)))


def next_number(parent: Communicator) -> tuple[Hashable, int]:
    """Count one more collective decision or object of the parent's members, and return its identity, which is the same
    on all members."""
    mine = parent.mine()
    mine.made += 1
    return parent.identity, mine.made


def next_creation(parent: Communicator) -> tuple[Hashable, int]:
    """Record the running rank's call of a collective function that creates an object (see `enter`), and return the
    object's identity, which is the same on all members of the parent."""
    enter(parent)
    return next_number(parent)


def meet(
    parent: Communicator,
    name: Hashable,
    given: Any,
    size: int,
    decide: Callable[[dict[int, Any]], object],
    answer: Callable[[int, Any], bool] | None = None,
    *,
    gathers_everywhere: bool = False,
) -> Any:
    """Let all members of a communicator make one decision from a value of each member; each member calls this.

    The call takes a gather and a scatter of `size` bytes per member. Between them, the first ranks of an
    intercommunicator's two groups exchange the values that they have gathered.

    Args:
        parent: the communicator.
        name: identity of the decision, from `next_number` or `next_creation`.
        given: value of the running rank.
        size: size of a value in bytes.
        decide: function that makes the decision from the values by world rank; called once.
        answer: function that sends other messages in place of the scatter, or None. Its arguments are the communicator
            to use and, in rank 0, the decision (None if a member has failed). It returns whether this rank learns the
            decision. With an answer, the gather is linear, whatever algorithm the run has chosen for gathers, as in
            SMPI's Comm_split.
        gathers_everywhere: True if an allgather takes the place of gather and scatter, as in Open MPI's Comm_split.

    Returns:
        The decision.

    Raises:
        MpiError: a member has not given its value, because it failed, or because it calls another function.
        CallbackError: a message has failed.
    """
    meeting = _meetings.setdefault(name, _Meeting(left=parent.population))
    mine = my_world_rank()
    meeting.given[mine] = given
    failure: CallbackError | None = None
    comm = parent.handle if parent.remote is None else int(lib.pysmpi_communicator_local(parent.handle))
    first = mine == parent.members.world_ranks[0]
    try:
        if gathers_everywhere:
            collective.allgather(comm, size)
        else:
            (collective.gather if answer is None else collective.gather_linearly)(comm, size)
        if parent.remote is not None and first:
            _exchange(parent, size)
    except CallbackError as error:
        if error.code & _CLASS != ERR_PROC_FAILED:
            raise
        failure = error  # go on, because the others still wait for this rank
    # Other ranks than the first may get here before all values have arrived.
    knows_all = (first or gathers_everywhere) and len(meeting.given) == parent.population
    if knows_all and meeting.decided is None:
        meeting.decided = decide(meeting.given)
    informed = True
    if answer is not None:
        informed = answer(comm, meeting.decided)
    elif not gathers_everywhere:
        collective.scatter(comm, size)
    if failure is not None:
        raise failure
    if informed and meeting.decided is None:
        raise _absence(parent, meeting)
    meeting.left -= 1
    if meeting.left == 0:
        del _meetings[name]
    return meeting.decided


def _absence(parent: Communicator, meeting: _Meeting) -> MpiError:
    """Return the error for a decision for which not all members have given their values."""
    everybody = itertools.chain(parent.members.world_ranks, parent.remote.world_ranks if parent.remote else ())
    absent = [rank for rank in everybody if rank not in meeting.given]
    failed = [rank for rank in absent if lib.pysmpi_failure_time(rank) >= 0.0]
    if failed:
        text = f"rank {failed[0]} of MPI_COMM_WORLD failed before it took part"
        return MpiError(ERR_PROC_FAILED, text, parent.handle)
    text = f"the calls of the ranks do not match: rank {absent[0]} of MPI_COMM_WORLD has not made this call"
    return MpiError(ERR_OTHER, text, parent.handle)


def _exchange(between: Communicator, size: int) -> None:
    """Exchange `size` bytes per member between the first ranks of an intercommunicator's groups."""
    assert between.remote is not None
    leaders = int(lib.pysmpi_communicator_leaders(between.handle))
    peer = 1 - int(lib.pysmpi_communicator_rank(leaders))
    collective.exchange(leaders, peer, 0, size * len(between.members), size * len(between.remote))


def join(name: Hashable, members: Members, parent: int, remote: Members | None = None) -> Communicator:
    """Return the communicator with this identity. Each member calls this once; the first call creates the communicator.

    Args:
        name: unique identity, equal for all members.
        members: members in rank order; for an intercommunicator, the local group.
        parent: communicator whose error handler the new one inherits, or MPI_COMM_NULL for the default handler.
        remote: other group of an intercommunicator, whose members call this as well, or None.
    """
    communicator, missing = _begun(name, members, remote, parent)
    if missing > 1:
        _being_made[name, members.world_ranks[0]] = communicator, missing - 1
    lib.pysmpi_inherit_error_handler(parent, communicator.handle)
    return communicator


def begin_pair(name: Hashable, members: Members, remote: Members) -> Communicator:
    """Create an intercommunicator, and return it as seen by `remote`.

    Afterwards, the ranks of `members` must call `join` to get the communicator as seen by `members`; the ranks of
    `remote` must not.
    """
    return _begun(name, remote, members)[0]


def _begun(
    name: Hashable, members: Members, remote: Members | None, parent: int = COMM_NULL
) -> tuple[Communicator, int]:
    """Remove a communicator from the table of communicators that some members have not joined yet, or create it.

    Returns:
        The communicator, and the number of members that have not joined yet.
    """
    first = members.world_ranks[0]
    found = _being_made.pop((name, first), None)
    if found is not None:
        return found
    identity, title = next(_identities), _new_title(members, remote, parent)
    if remote is None:
        handle = int(lib.pysmpi_communicator_add(len(members), _array(members)))
        lib.pysmpi_communicator_set_title(handle, title)
        return _add(Communicator(handle, members, None, identity)), len(members)
    handle = int(lib.pysmpi_intercommunicator_add(len(members), _array(members), len(remote), _array(remote)))
    other = _add(Communicator(int(lib.pysmpi_communicator_other_side(handle)), remote, members, identity))
    for side in (handle, other.handle):
        lib.pysmpi_communicator_set_title(side, title)
    _being_made[name, remote.world_ranks[0]] = other, len(remote)
    return _add(Communicator(handle, members, remote, identity)), len(members)


def _new_title(members: Members, remote: Members | None, parent: int) -> bytes:
    """Return the title of a new communicator: the function that makes it, where the program calls it, and its ranks,
    unless they are those of the parent."""
    function: str = ffi.string(lib.pysmpi_function_under_way()).decode()
    kind = _KINDS.get("_".join(function.split("_")[:2]), "communicator" if remote is None else "intercommunicator")
    title = f"the {kind} of {function}" if function else f"a {kind}"
    if parent in (COMM_WORLD, COMM_SELF):
        title += f" of {_PREDEFINED[parent]}"
    place = place_of(sys._getframe())
    if place is not None:
        title += f" at {place}"
    notes = []
    if remote is not None:
        groups = sorted((members, remote), key=lambda each: each.world_ranks[0])
        notes.append(" and ".join(map(_rank_list, groups)))
    elif parent == COMM_NULL or len(members) != lib.pysmpi_communicator_size(parent):
        notes.append(_rank_list(members))
    key = f"{title}{notes}"
    number = _titles[key] = _titles.get(key, 0) + 1
    if number > 1:
        notes.append(f"number {number}")
    return f"{title} ({'; '.join(notes)})".encode() if notes else title.encode()


def _rank_list(members: Members) -> str:
    count = len(members)
    if count > _LISTED:
        return f"{count:,} ranks"
    return f"rank{'s' if count > 1 else ''} {ranges(sorted(members.world_ranks))}"


def _array(members: Members) -> Any:
    return ffi.new("int32_t[]", list(members.world_ranks))


def _add(communicator: Communicator) -> Communicator:
    _communicators[communicator.handle] = communicator
    return communicator


def must_agree(parent: Communicator) -> bool:
    """Return whether the parent's ranks agree on the context of a new communicator by messages on the parent, as in
    Open MPI. Intercommunicators do not."""
    return followed().behaviour.agrees_on_contexts and parent.remote is None


def agree(parent: Communicator) -> bool:
    """Send the messages by which the parent's ranks agree on the context of a new communicator, if they must agree.

    All members of the parent call this, also those that will not be in the new communicator.

    Returns:
        Whether they have agreed, for the argument `agreed` of `made`. If not, `made` broadcasts a number on the new
        communicator.
    """
    agrees = must_agree(parent)
    if agrees:
        collective.agree_on_context(parent.handle)
    return agrees


def made(
    name: Hashable, members: Members, parent: int, remote: Members | None = None, *, agreed: bool = False
) -> Communicator:
    """Return a communicator as `join` does, and send the messages that SMPI sends: the first member broadcasts a
    number.

    SMPI has no intercommunicators: for them, the first ranks of both groups exchange a number before the broadcast.

    Args:
        name: as in `join`, like the three arguments that follow.
        members: members in rank order.
        parent: communicator whose error handler the new one inherits.
        remote: other group, or None.
        agreed: True if the ranks have agreed in another way (see `agree`) and need no broadcast.
    """
    communicator = join(name, members, parent, remote)
    unfreed_objects.made("communicator", communicator.handle)
    if remote is None:
        if not agreed:
            collective.broadcast(communicator.handle, 4)
        return communicator
    if my_world_rank() == members.world_ranks[0]:
        _exchange(communicator, 4)
    collective.broadcast(int(lib.pysmpi_communicator_local(communicator.handle)), 4)
    return communicator


def free(communicator: Communicator) -> None:
    """Free the communicator in the running rank; it is deleted when its last member frees it."""
    handle = communicator.handle
    check(int(lib.pysmpi_delete_attributes(COMMUNICATORS, handle)))
    lib.pysmpi_forget_error_handler(handle)
    communicator.of_ranks[running_rank()] = _OfRank(freed=True)
    communicator.freed += 1
    unfreed_objects.freed("communicator", handle)
    if communicator.freed == len(communicator.members):
        del _communicators[handle]
        lib.pysmpi_communicator_remove(handle)
    else:
        lib.pysmpi_communicator_leave(handle)


@mpi_function("Comm_compare")
def comm_compare(first: int, second: int, result: Any) -> None:
    """Compare two communicators: MPI_IDENT, MPI_CONGRUENT (same ranks in the same order), MPI_SIMILAR or
    MPI_UNEQUAL."""
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
    """Return the group of the communicator's members; for an intercommunicator, the local group."""
    group[0] = add_group(find_communicator(comm).members)


@mpi_function("Comm_remote_group")
def comm_remote_group(comm: int, group: Any) -> None:
    """Return the other group of an intercommunicator."""
    remote = find_communicator(comm).remote
    if remote is None:
        raise MpiError(ERR_COMM, "the communicator is not an intercommunicator", comm)
    group[0] = add_group(remote)


def _free_handle(comm: Any) -> None:
    communicator = find_communicator(comm[0])
    if comm[0] in _PREDEFINED:
        raise MpiError(ERR_COMM, f"{_PREDEFINED[comm[0]]} cannot be freed", comm[0])
    enter(communicator, waits=False)
    free(communicator)
    comm[0] = COMM_NULL


@mpi_function("Comm_free")
def comm_free(comm: Any) -> None:
    """Free the communicator in the running rank. Messages in transit still arrive."""
    _free_handle(comm)


@mpi_function("Comm_disconnect")
def comm_disconnect(comm: Any) -> None:
    """Free the communicator like MPI_Comm_free; messages in transit arrive anyway, so the call does not wait for
    them."""
    _free_handle(comm)


@mpi_function("Comm_set_name")
def comm_set_name(comm: int, name: Any) -> None:
    """Set the running rank's name for the communicator, by which reports call it."""
    text = find_communicator(comm).mine().name = read_text(name)
    if text and comm not in _PREDEFINED:
        lib.pysmpi_communicator_set_title(comm, f"communicator {text!r}".encode())


@mpi_function("Comm_get_name")
def comm_get_name(comm: int, name: Any, length: Any) -> None:
    """Return the running rank's name for the communicator.

    By default, a predefined communicator has the name of MPI's constant, such as "MPI_COMM_WORLD", and others have
    none.
    """
    defaults = {COMM_NULL: "MPI_COMM_NULL", **_PREDEFINED}
    own = None if comm == COMM_NULL else find_communicator(comm).mine().name
    text = defaults.get(comm, "") if own is None else own
    length[0] = write_text(name, text, MAX_OBJECT_NAME)


@mpi_function("Comm_set_info")
def comm_set_info(comm: int, info: int) -> None:
    """Store hints, which do not affect the simulation."""
    communicator, entries = find_communicator(comm), copy_info(info)
    enter(communicator, waits=False)
    communicator.mine().info.update(entries)


@mpi_function("Comm_get_info")
def comm_get_info(comm: int, info: Any) -> None:
    """Return a new info object with the stored hints."""
    info[0] = add_info(dict(find_communicator(comm).mine().info))
