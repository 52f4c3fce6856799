"""Creating and merging intercommunicators. MPI 4.1, section 7.6.

As in other implementations, the two leaders exchange their groups' tables of ranks (4 bytes per rank) on the peer
communicator. Each leader then broadcasts the other group's table to its own group.
"""

import dataclasses
from collections.abc import Hashable, Sequence
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.mpi import collective, unfreed_objects
from pysmpi.simulation.mpi.bindings import MpiError, mpi_function
from pysmpi.simulation.mpi.communicator import (
    Communicator,
    enter,
    find_communicator,
    join,
    made,
    meet,
    next_creation,
    next_number,
)
from pysmpi.simulation.mpi.constants import COMM_NULL, ERR_COMM, ERR_GROUP, ERR_RANK, UNDEFINED
from pysmpi.simulation.mpi.group import Members, find_group, my_world_rank
from pysmpi.simulation.mpi.info import copy_info
from pysmpi.simulation.mpi.intracommunicator import made_of_group
from pysmpi.simulation.mpi.texts import read_text

__all__ = ["Offer", "joined", "overlap", "reset_intercommunicators"]


@dataclasses.dataclass(slots=True)
class Offer:
    """One of the two groups of a new intercommunicator, as its leader announces it to the other group.

    Attributes:
        members: the group.
        name: identity of the new intercommunicator, equal in both leaders' offers.
        codes: error code of each process that MPI_Comm_spawn should start; empty for all other functions.
    """

    members: Members
    name: Hashable
    codes: Sequence[int] = ()


_offers: dict[Hashable, dict[int, Offer]] = {}  # offers by the intercommunicator's identity, then by leader
_met: dict[Hashable, int] = {}  # number of intercommunicators that a leader has begun with another leader and a tag
_announced: dict[
    Hashable, tuple[Offer | MpiError, int]
] = {}  # a leader's message to its group, and the number of members that have not read it


def reset_intercommunicators() -> None:
    """Discard the state of intercommunicators whose creation has not ended."""
    for table in (_offers, _met, _announced):
        table.clear()


@mpi_function("Intercomm_create")
def intercomm_create(
    local_comm: int, local_leader: int, peer_comm: int, remote_leader: int, tag: int, newcomm: Any
) -> None:
    """Create an intercommunicator of two groups.

    The peer communicator and `remote_leader` matter only in the two leaders.
    """
    local = find_communicator(local_comm)
    newcomm[0] = COMM_NULL
    if local.remote is not None:
        raise MpiError(
            ERR_COMM, "the local communicator is an intercommunicator; pass an intracommunicator", local_comm
        )
    if not 0 <= local_leader < len(local.members):
        text = f"invalid local leader {local_leader}; valid: 0 to {len(local.members) - 1}"
        raise MpiError(ERR_RANK, text, local_comm)
    enter(local)
    found: Offer | MpiError | None = None
    if my_world_rank() == local.members.world_ranks[local_leader]:
        peer = find_communicator(peer_comm)
        peers = peer.members if peer.remote is None else peer.remote
        if not 0 <= remote_leader < len(peers):
            text = f"invalid remote leader {remote_leader}; valid: 0 to {len(peers) - 1}"
            raise MpiError(ERR_RANK, text, peer_comm)
        found = _meet_leader(peer, peers.world_ranks[remote_leader], remote_leader, tag, local.members)
        found = overlap(local.members, found.members) or found
    newcomm[0] = joined(local, local_leader, found)[0].handle


def overlap(one: Members, other: Members) -> MpiError | None:
    """Return the error for two groups with common ranks, or None if no rank is in both groups."""
    if all(one.position(rank) == UNDEFINED for rank in other.world_ranks):
        return None
    return MpiError(ERR_COMM, "the two groups have ranks in common")


def _meet_leader(peer: Communicator, other: int, rank: int, tag: int, members: Members) -> Offer:
    """Exchange the groups' tables of ranks with the other leader, and return the other leader's group.

    Each leader sends a message of 4 bytes per rank of its own group.

    Args:
        peer: communicator in which the two leaders find each other.
        other: world rank of the other leader.
        rank: rank of the other leader in `peer`.
        tag: tag of the messages.
        members: group of the running rank, which is a leader.
    """
    mine = my_world_rank()
    pair = (peer.identity, tag, min(mine, other), max(mine, other))
    count = _met[mine, pair] = _met.get((mine, pair), 0) + 1
    name = (*pair, count)
    offers = _offers.setdefault(name, {})
    offers[mine] = Offer(members, name)
    collective.exchange(peer.handle, rank, tag, 4 * len(members), 4 * int(lib.pysmpi_rank_count()))
    found = offers.pop(other)
    if not offers:
        del _offers[name]
    return found


def joined(local: Communicator, root: int, found: Offer | MpiError | None) -> tuple[Communicator, Offer]:
    """Create an intercommunicator of the running rank's group and another group.

    Only the root, the leader of the running rank's group, knows the other group, and broadcasts it.

    The call takes two broadcasts: of the other group's size, and of its table of ranks.

    Args:
        local: communicator of the running rank's group.
        root: rank of the leader in `local`.
        found: in the root, the other group's offer or the error to report; None in other ranks.

    Returns:
        The intercommunicator, and the other group's offer.

    Raises:
        MpiError: the root passed this error as `found`.
    """
    name = (*next_number(local), "announced")
    if found is not None:
        _announced[name] = found, len(local.members)
    collective.broadcast(local.handle, 8, root)
    offer, left = _announced.pop(name)
    if left > 1:
        _announced[name] = offer, left - 1
    if isinstance(offer, MpiError):
        raise MpiError(offer.error_class, offer.text, local.handle)
    collective.broadcast(local.handle, 4 * len(offer.members), root)
    communicator = join(offer.name, local.members, local.handle, offer.members)
    unfreed_objects.made("communicator", communicator.handle)
    return communicator, offer


@mpi_function("Intercomm_create_from_groups")
def intercomm_create_from_groups(
    local_group: int,
    local_leader: int,
    remote_group: int,
    remote_leader: int,
    tag: Any,
    info: int,
    handler: int,
    newcomm: Any,
) -> None:
    """Create an intercommunicator of two groups without a parent communicator.

    The string `tag` distinguishes creations by the same groups at the same time.
    """
    local, remote = find_group(local_group), find_group(remote_group)
    newcomm[0] = COMM_NULL
    entries = copy_info(info)
    if local.position(my_world_rank()) == UNDEFINED:
        raise MpiError(ERR_GROUP, "the running rank is not in the local group")
    if overlap(local, remote) is not None:
        raise MpiError(ERR_GROUP, "the two groups have ranks in common")
    for leader, group in ((local_leader, local), (remote_leader, remote)):
        if not 0 <= leader < len(group):
            raise MpiError(ERR_RANK, f"invalid leader {leader}; valid: 0 to {len(group) - 1}")
    text = read_text(tag)
    both = sorted((local, remote), key=lambda members: members.world_ranks[0])
    new = made_of_group((text, *(members.key for members in both)), local, COMM_NULL, remote)
    lib.pysmpi_set_error_handler(new.handle, handler)
    new.mine().info = entries
    newcomm[0] = new.handle


@mpi_function("Intercomm_merge")
def intercomm_merge(intercomm: int, high: int, newcomm: Any) -> None:
    """Create a communicator of both groups' ranks; the group that passes true for `high` comes last."""
    parent = find_communicator(intercomm)
    newcomm[0] = COMM_NULL
    if parent.remote is None:
        raise MpiError(ERR_COMM, "the communicator is not an intercommunicator", intercomm)
    groups = sorted((parent.members, parent.remote), key=lambda members: members.world_ranks[0])
    name = next_creation(parent)

    def decide(said: dict[int, bool]) -> Members:
        low_first = sorted(groups, key=lambda members: said[members.world_ranks[0]])
        return Members([rank for members in low_first for rank in members.world_ranks])

    members = meet(parent, name, high != 0, 4, decide)
    newcomm[0] = made((*name, "merged"), members, intercomm).handle
