"""Creating communicators from others: duplicates, splits, and communicators of groups. MPI 4.1, section 7.4.2.

This module also contains functions that work on both kinds of communicators; functions for intercommunicators only are
in intercommunicator.py.
"""

import dataclasses
from collections.abc import Hashable, Sequence
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.mpi import agreement, collective, unfreed_objects
from pysmpi.simulation.mpi.bindings import MpiError, check, mpi_function, running_rank
from pysmpi.simulation.mpi.communicator import (
    COMMUNICATORS,
    Communicator,
    agree,
    enter,
    find_communicator,
    free,
    join,
    made,
    meet,
    must_agree,
    next_creation,
    next_number,
)
from pysmpi.simulation.mpi.constants import (
    COMM_NULL,
    ERR_ARG,
    ERR_GROUP,
    UNDEFINED,
)
from pysmpi.simulation.mpi.group import Members, find_group, my_world_rank
from pysmpi.simulation.mpi.info import copy_info
from pysmpi.simulation.mpi.texts import read_text
from pysmpi.simulation.settings.mpi_libraries.followed import followed

__all__ = ["made_of_group", "reset_group_creations", "split"]

_groups_made: dict[Hashable, int] = {}  # number of communicators that a rank has made of a group, by rank and group


@dataclasses.dataclass(slots=True)
class _Parts:
    """Result of MPI_Comm_split: the members of each colour, for each of the parent's groups (two in an
    intercommunicator)."""

    of_first: dict[int, Members]  # parts of the group with the lower first rank, or of the only group
    of_second: dict[int, Members]


def reset_group_creations() -> None:
    """Reset the counters that distinguish several communicators made of the same group."""
    _groups_made.clear()


def _duplicate(comm: int, newcomm: Any, *, waits: bool = True) -> Communicator:
    parent = find_communicator(comm)
    newcomm[0] = COMM_NULL
    enter(parent, waits=waits)
    name = (*next_number(parent), "dup")
    if waits:
        new = made(name, parent.members, comm, parent.remote, agreed=agree(parent))
    else:
        new = join(name, parent.members, comm, parent.remote)
    lib.pysmpi_topology_share(comm, new.handle)
    code = int(lib.pysmpi_copy_attributes(COMMUNICATORS, comm, new.handle))
    if code != 0:
        free(new)
        check(code)
    newcomm[0] = new.handle
    unfreed_objects.handed_out("communicator", new.handle, newcomm)
    return new


@mpi_function("Comm_dup")
def comm_dup(comm: int, newcomm: Any) -> None:
    """Create a communicator with the same members, the same info, and those attributes that their copy callbacks
    copy."""
    new = _duplicate(comm, newcomm)
    new.mine().info = dict(find_communicator(comm).mine().info)


@mpi_function("Comm_dup_with_info")
def comm_dup_with_info(comm: int, info: int, newcomm: Any) -> None:
    """Duplicate a communicator with different info."""
    entries = copy_info(info)
    _duplicate(comm, newcomm).mine().info = entries


@mpi_function("Comm_idup")
def comm_idup(comm: int, newcomm: Any, request: Any) -> None:
    """Duplicate a communicator, and return a request that completes when the ranks have agreed on its context."""
    new = _duplicate(comm, newcomm, waits=False)
    new.mine().info = dict(find_communicator(comm).mine().info)
    request[0] = _request_of_duplicate(comm)


@mpi_function("Comm_idup_with_info")
def comm_idup_with_info(comm: int, info: int, newcomm: Any, request: Any) -> None:
    """Duplicate a communicator with different info, and return a request as MPI_Comm_idup does."""
    entries = copy_info(info)
    _duplicate(comm, newcomm, waits=False).mine().info = entries
    request[0] = _request_of_duplicate(comm)


def _request_of_duplicate(comm: int) -> int:
    """Start the messages by which the ranks agree on a duplicate's context; without such messages, the request is
    already complete."""
    parent = find_communicator(comm)
    if must_agree(parent) and parent.population > 1:
        return collective.begin_agreement(comm)
    return collective.complete_request(comm)


def split(comm: int, colour: int, key: int) -> Communicator | None:
    """Create the communicator of all ranks with the running rank's colour, ordered by key, then by rank in the parent.

    Each member of the communicator `comm` calls this, as MPI_Comm_split.

    Returns:
        The communicator, or None for the colour MPI_UNDEFINED and for a colour that no rank of an
        intercommunicator's other group has.
    """
    parent = find_communicator(comm)
    name = next_creation(parent)
    groups = [parent.members] if parent.remote is None else sorted((parent.members, parent.remote), key=_first)

    def decide(asked: dict[int, tuple[int, int]]) -> _Parts:
        parts = [_by_colour(members.world_ranks, asked) for members in groups]
        return _Parts(parts[0], parts[-1])

    def answer(members: int, parts: _Parts | None) -> bool:
        """Send or receive the messages by which SMPI's rank 0 announces the result of a split (SimGrid 3.32,
        Comm::split).

        Ranks with the colour MPI_UNDEFINED get no message.
        """
        if my_world_rank() == parent.members.world_ranks[0]:
            answered = [parent.members] if parts is None else list(parts.of_first.values())
            collective.answer(
                members, 8, [[parent.members.position(each) for each in part.world_ranks] for part in answered]
            )
        elif colour == UNDEFINED:
            return False
        else:
            collective.await_answer(members, 8)
        return True

    if must_agree(parent):
        parts: _Parts = meet(parent, name, (colour, key), 8, decide, gathers_everywhere=True)
    else:
        parts = meet(parent, name, (colour, key), 8, decide, answer if parent.remote is None else None)
    agreed = agree(parent)
    if colour == UNDEFINED:
        return None
    if parent.remote is None:
        return made((*name, colour), parts.of_first[colour], comm, agreed=agreed)
    sides = [parts.of_first, parts.of_second]
    if parent.members is not groups[0]:
        sides.reverse()
    if colour not in sides[1]:
        return None
    return made((*name, colour), sides[0][colour], comm, sides[1][colour])


def _first(members: Members) -> int:
    return members.world_ranks[0]


def _by_colour(world_ranks: Sequence[int], asked: dict[int, tuple[int, int]]) -> dict[int, Members]:
    """Return the members of each colour, ordered by key, then by rank in the parent."""
    chosen: dict[int, list[tuple[int, int]]] = {}
    for rank, world_rank in enumerate(world_ranks):
        colour, key = asked[world_rank]
        if colour != UNDEFINED:
            chosen.setdefault(colour, []).append((key, rank))
    return {
        colour: Members([world_ranks[rank] for _, rank in sorted(of_colour)]) for colour, of_colour in chosen.items()
    }


@mpi_function("Comm_split")
def comm_split(comm: int, color: int, key: int, newcomm: Any) -> None:
    """Create a communicator for each colour; ranks with the colour MPI_UNDEFINED get none."""
    if color < 0 and color != UNDEFINED:
        raise MpiError(ERR_ARG, f"invalid color {color}; valid: 0 or more and MPI_UNDEFINED", comm)
    newcomm[0] = COMM_NULL
    new = split(comm, color, key)
    if new is not None:
        newcomm[0] = new.handle


@mpi_function("Comm_create")
def comm_create(comm: int, group: int, newcomm: Any) -> None:
    """Create a communicator of the group's ranks. Ranks may pass different groups if these have no ranks in common.

    In an intercommunicator, the group contains ranks of the local group. The new intercommunicator consists of this
    group and the one that the remote ranks pass.
    """
    parent, members = find_communicator(comm), find_group(group)
    newcomm[0] = COMM_NULL
    _check_subset(parent, members)
    name = next_creation(parent)
    agreement.gave_group(name, parent.population, members.world_ranks)
    included = members.position(my_world_rank()) != UNDEFINED
    if parent.remote is None:
        agreed = agree(parent)
        if included:
            newcomm[0] = made((*name, members.world_ranks[0]), members, comm, agreed=agreed).handle
            unfreed_objects.handed_out("communicator", newcomm[0], newcomm)
        return
    given: dict[int, Members] = meet(parent, name, members, 4, dict)
    remote = given[parent.remote.world_ranks[0]]
    if included and len(remote) > 0:
        newcomm[0] = made(name, members, comm, remote).handle


def made_of_group(what: Hashable, members: Members, parent: int, remote: Members | None = None) -> Communicator:
    """Create the communicator of a group; only the group's members call this.

    Args:
        what: key of the creation, equal in all members, such as the parent, the tag and the group. A counter
            distinguishes several creations with the same key.
        members: the group.
        parent: communicator whose error handler the new one inherits.
        remote: other group of an intercommunicator, or None.
    """
    times = _groups_made[running_rank(), what] = _groups_made.get((running_rank(), what), 0) + 1
    agrees = followed().behaviour.agrees_on_contexts and remote is None
    new = made((what, times), members, parent, remote, agreed=agrees)
    if agrees:  # without a parent, Open MPI's daemons choose the context, and the ranks only wait for each other
        collective.agree_on_context(new.handle, 1 if parent == COMM_NULL else 3, uses_tree=True)
    return new


@mpi_function("Comm_create_group")
def comm_create_group(comm: int, group: int, tag: int, newcomm: Any) -> None:
    """Create a communicator like MPI_Comm_create; only the group's ranks call this."""
    parent, members = find_communicator(comm), find_group(group)
    newcomm[0] = COMM_NULL
    _check_subset(parent, members)
    if members.position(my_world_rank()) != UNDEFINED:
        newcomm[0] = made_of_group((parent.identity, tag, members.key), members, comm).handle


@mpi_function("Comm_create_from_group")
def comm_create_from_group(group: int, tag: Any, info: int, handler: int, newcomm: Any) -> None:
    """Create a communicator of a group's ranks without a parent communicator.

    The string `tag` distinguishes creations by the same group at the same time.
    """
    members = find_group(group)
    newcomm[0] = COMM_NULL
    entries = copy_info(info)
    if members.position(my_world_rank()) == UNDEFINED:
        raise MpiError(ERR_GROUP, "the running rank is not in the group")
    new = made_of_group((read_text(tag), members.key), members, COMM_NULL)
    lib.pysmpi_set_error_handler(new.handle, handler)
    new.mine().info = entries
    newcomm[0] = new.handle


def _check_subset(parent: Communicator, members: Members) -> None:
    for world_rank in members.world_ranks:
        if parent.members.position(world_rank) == UNDEFINED:
            text = f"rank {world_rank} of MPI_COMM_WORLD is in the group but not in the communicator"
            raise MpiError(ERR_GROUP, text, parent.handle)
