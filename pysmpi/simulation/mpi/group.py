"""Groups: ordered sets of ranks. MPI 4.1, section 7.3."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from pysmpi.simulation.mpi import unfreed_objects
from pysmpi.simulation.mpi.bindings import MpiError, mpi_function, running_rank
from pysmpi.simulation.mpi.constants import (
    ERR_ARG,
    ERR_GROUP,
    ERR_RANK,
    FIRST_GROUP,
    GROUP_EMPTY,
    GROUP_NULL,
    IDENT,
    PROC_NULL,
    SIMILAR,
    UNDEFINED,
    UNEQUAL,
)

__all__ = ["Members", "add_group", "compare_members", "find_group", "my_world_rank", "reset_groups"]


class Members:
    """World ranks in group order, shared by all groups and communicators with the same ranks.

    Each of thousands of ranks may hold groups of thousands of ranks. To save memory, evenly spaced ranks are kept as a
    range. For other ranks, an index of positions is built at its first use.
    """

    def __init__(self, world_ranks: Sequence[int]) -> None:
        stride = world_ranks[1] - world_ranks[0] if len(world_ranks) > 1 else 1
        if stride != 0 and len(world_ranks) > 0:
            first = world_ranks[0]
            spaced = range(first, first + stride * len(world_ranks), stride)
            if isinstance(world_ranks, range) or all(a == b for a, b in zip(world_ranks, spaced, strict=True)):
                world_ranks = spaced
        self.world_ranks = world_ranks
        self._positions: dict[int, int] | None = None

    def __len__(self) -> int:
        return len(self.world_ranks)

    def position(self, world_rank: int) -> int:
        """Return the rank in the group, or UNDEFINED for a world rank that is not a member."""
        if isinstance(self.world_ranks, range):
            return self.world_ranks.index(world_rank) if world_rank in self.world_ranks else UNDEFINED
        if self._positions is None:
            self._positions = {world: rank for rank, world in enumerate(self.world_ranks)}
        return self._positions.get(world_rank, UNDEFINED)

    @property
    def key(self) -> Hashable:
        """Hashable value, equal for the same ranks in the same order."""
        if not isinstance(self.world_ranks, range | tuple):
            self.world_ranks = tuple(self.world_ranks)
        return self.world_ranks

    def same_order(self, other: "Members") -> bool:
        """Return whether both groups have the same ranks in the same order."""
        return self is other or (
            len(self) == len(other) and all(a == b for a, b in zip(self.world_ranks, other.world_ranks, strict=True))
        )


_EMPTY = Members(())
_groups: dict[int, tuple[int, Members]] = {}  # the rank that made the group, and its members, by handle
_next_handle = FIRST_GROUP


def my_world_rank() -> int:
    """Return the running rank, or 0 outside ranks, where the world has one member."""
    return max(running_rank(), 0)


def add_group(members: Members) -> int:
    """Return a new handle for a group with these members, or MPI_GROUP_EMPTY if it has none."""
    global _next_handle
    if len(members) == 0:
        return GROUP_EMPTY
    handle = _next_handle
    _next_handle += 1
    _groups[handle] = (running_rank(), members)
    unfreed_objects.made("group", handle)
    return handle


def find_group(handle: int) -> Members:
    """Return the members of the group with this handle.

    Raises:
        MpiError: the handle is invalid.
    """
    if handle == GROUP_EMPTY:
        return _EMPTY
    found = _groups.get(handle)
    if found is not None:
        return found[1]
    if handle == GROUP_NULL:
        raise MpiError(ERR_GROUP, "the group is MPI_GROUP_NULL")
    raise MpiError(ERR_GROUP, f"unknown group {handle & 0xFFFFFFFF:#x}; was it freed?")


def reset_groups() -> None:
    """Discard the groups that ranks have made."""
    for handle in [handle for handle, (rank, _) in _groups.items() if rank >= 0]:
        del _groups[handle]


def compare_members(first: Members, second: Members) -> int:
    """Compare two groups: MPI_IDENT, MPI_SIMILAR (the same ranks in another order) or MPI_UNEQUAL."""
    if first.same_order(second):
        return IDENT
    if len(first) == len(second) and all(second.position(rank) != UNDEFINED for rank in first.world_ranks):
        return SIMILAR
    return UNEQUAL


def _chosen(members: Members, ranks: Iterable[int]) -> list[int]:
    """Return the ranks as a list; raise an error if one is not in the group or occurs twice."""
    chosen = list(ranks)
    size = len(members)
    for rank in chosen:
        if not 0 <= rank < size:
            raise MpiError(ERR_RANK, f"invalid rank {rank}; valid: 0 to {size - 1}")
    if len(set(chosen)) < len(chosen):
        twice = next(rank for position, rank in enumerate(chosen) if rank in chosen[:position])
        raise MpiError(ERR_RANK, f"rank {twice} is given twice")
    return chosen


def _entries(n: int) -> range:
    """Return the indices of an array that a program has passed with `n` entries; raise an error if `n` is negative."""
    if n < 0:
        raise MpiError(ERR_ARG, f"negative number {n} of entries")
    return range(n)


def _ranges(ranges: Any, n: int) -> list[int]:
    """Return all ranks in `n` ranges, each of which is a triplet (first, last, stride), in the order of the ranges."""
    ranks: list[int] = []
    for i in _entries(n):
        first, last, stride = ranges[3 * i], ranges[3 * i + 1], ranges[3 * i + 2]
        if stride == 0:
            raise MpiError(ERR_ARG, f"the stride of range {i}, {first} to {last}, is 0")
        ranks.extend(range(first, last + (1 if stride > 0 else -1), stride))
    return ranks


def _included(members: Members, ranks: Iterable[int]) -> int:
    return add_group(Members([members.world_ranks[rank] for rank in _chosen(members, ranks)]))


def _excluded(members: Members, ranks: Iterable[int]) -> int:
    out = set(_chosen(members, ranks))
    return add_group(Members([world for rank, world in enumerate(members.world_ranks) if rank not in out]))


@mpi_function("Group_size")
def group_size(group: int, size: Any) -> None:
    """Return the number of ranks in the group."""
    size[0] = len(find_group(group))


@mpi_function("Group_rank")
def group_rank(group: int, rank: Any) -> None:
    """Return the running rank's rank in the group, or MPI_UNDEFINED."""
    rank[0] = find_group(group).position(my_world_rank())


@mpi_function("Group_translate_ranks")
def group_translate_ranks(first: int, n: int, ranks: Any, second: int, translated: Any) -> None:
    """Translate ranks of the first group to ranks of the second."""
    source, target = find_group(first), find_group(second)
    for i in range(n):
        rank = ranks[i]
        if rank == PROC_NULL:
            translated[i] = PROC_NULL
        elif 0 <= rank < len(source):
            translated[i] = target.position(source.world_ranks[rank])
        else:
            raise MpiError(ERR_RANK, f"invalid rank {rank}; valid: 0 to {len(source) - 1} and MPI_PROC_NULL")


@mpi_function("Group_compare")
def group_compare(first: int, second: int, result: Any) -> None:
    """Compare two groups: MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL."""
    result[0] = compare_members(find_group(first), find_group(second))


@mpi_function("Group_union")
def group_union(first: int, second: int, newgroup: Any) -> None:
    """Create the group of the first group's ranks, followed by the ranks that only the second group has."""
    one, two = find_group(first), find_group(second)
    more = [rank for rank in two.world_ranks if one.position(rank) == UNDEFINED]
    newgroup[0] = add_group(Members([*one.world_ranks, *more]) if more else one)


@mpi_function("Group_intersection")
def group_intersection(first: int, second: int, newgroup: Any) -> None:
    """Create the group of the ranks in both groups, in the first group's order."""
    one, two = find_group(first), find_group(second)
    newgroup[0] = add_group(Members([rank for rank in one.world_ranks if two.position(rank) != UNDEFINED]))


@mpi_function("Group_difference")
def group_difference(first: int, second: int, newgroup: Any) -> None:
    """Create the group of the first group's ranks that are not in the second."""
    one, two = find_group(first), find_group(second)
    newgroup[0] = add_group(Members([rank for rank in one.world_ranks if two.position(rank) == UNDEFINED]))


@mpi_function("Group_incl")
def group_incl(group: int, n: int, ranks: Any, newgroup: Any) -> None:
    """Create the group of the listed ranks, in the order of the list."""
    newgroup[0] = _included(find_group(group), [ranks[i] for i in _entries(n)])


@mpi_function("Group_excl")
def group_excl(group: int, n: int, ranks: Any, newgroup: Any) -> None:
    """Create the group of all ranks except the listed ones."""
    newgroup[0] = _excluded(find_group(group), [ranks[i] for i in _entries(n)])


@mpi_function("Group_range_incl")
def group_range_incl(group: int, n: int, ranges: Any, newgroup: Any) -> None:
    """Create the group of the ranks in the listed ranges, in the order of the list."""
    newgroup[0] = _included(find_group(group), _ranges(ranges, n))


@mpi_function("Group_range_excl")
def group_range_excl(group: int, n: int, ranges: Any, newgroup: Any) -> None:
    """Create the group of all ranks except those in the listed ranges."""
    newgroup[0] = _excluded(find_group(group), _ranges(ranges, n))


@mpi_function("Group_free")
def group_free(group: Any) -> None:
    """Free the group's handle."""
    find_group(group[0])
    _groups.pop(group[0], None)
    unfreed_objects.freed("group", group[0])
    group[0] = GROUP_NULL
