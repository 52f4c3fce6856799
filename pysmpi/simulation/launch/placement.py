"""Placement of ranks on hosts: by a hostfile, by names, or by the platform's cores in order."""

import collections
import itertools
import math
import pathlib
import random
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction

from pysmpi.errors import PlacementError, PlatformError, PlatformWarning, unknown
from pysmpi.platform import Platform
from pysmpi.simulation.launch.hostfile import places_in
from pysmpi.util.quantities import counted

__all__ = [
    "MAPPINGS",
    "by_cores",
    "by_hostfile",
    "by_hosts",
    "by_mapping",
    "describe",
    "free_cores",
    "repeated",
]

MAPPINGS = ("sequential", "round-robin", "random")


def by_cores(ranks: int, platform: Platform) -> list[int]:
    """Place ranks on the platform's cores in order, all cores of a host before the next host; return the host numbers.

    Raises:
        PlacementError: there are more ranks than cores.
    """
    placed: list[int] = []
    for host in platform.hosts:
        placed.extend([host.index] * min(host.cores, ranks - len(placed)))
        if len(placed) == ranks:
            return placed
    raise PlacementError(
        f"{counted(ranks, 'rank')}, but the platform has {counted(len(placed), 'core')} on "
        f"{counted(len(platform.hosts), 'host')}; "
        "use fewer ranks, or a hostfile that places several ranks on a core"
    )


def by_hostfile(ranks: int, path: str | pathlib.Path, platform: Platform) -> list[int]:
    """Place ranks by a hostfile, and return the host number of each rank.

    If there are more ranks than the hostfile has room for, the remaining ones begin again with its first line, and a
    warning says so.

    Raises:
        PlacementError: the file cannot be read or has a malformed line, names an unknown host, or has room for no rank.
    """
    hosts = [host for host, count in places_in(path, platform) for _ in range(min(count, ranks))]
    if len(hosts) < ranks:
        warnings.warn(
            f"{path}: {counted(ranks, 'rank')}, but the hostfile has {counted(len(hosts), 'place')}; ranks "
            f"{len(hosts)} and up begin again with its first line, as under smpirun",
            PlatformWarning,
            stacklevel=2,
        )
    return list(itertools.islice(itertools.cycle(hosts), ranks))


def by_hosts(ranks: int, names: Sequence[str], platform: Platform) -> list[int]:
    """Place one rank on each named host, in order, and return the host number of each rank.

    Raises:
        PlacementError: a host is unknown, or the list has fewer names than ranks.
    """
    if len(names) < ranks:
        raise PlacementError(f"{counted(ranks, 'rank')}, but the list of hosts has {counted(len(names), 'entry')}")
    return [_find(name, platform, "") for name in names[:ranks]]


def by_mapping(mapping: str, ranks: int, cores: Sequence[int], seed: int = 0) -> list[int]:
    """Place ranks on some of the given cores, and return the host number of each rank.

    Args:
        mapping: "sequential" (all cores of a host before the next host), "round-robin" (a rank on each host, then a
            second one on each, and so on) or "random".
        ranks: number of ranks.
        cores: host number of each core; cores of a host are adjacent.
        seed: seed of a random mapping.

    Raises:
        PlacementError: the mapping is unknown, or there are more ranks than cores.
    """
    if mapping not in MAPPINGS:
        raise PlacementError(unknown("mapping", mapping, MAPPINGS))
    if ranks > len(cores):
        raise PlacementError(f"{counted(ranks, 'rank')}, but the number of free cores is {len(cores):,}")
    if mapping == "sequential":
        return list(cores[:ranks])
    if mapping == "random":
        drawn = list(cores)
        random.Random(seed).shuffle(drawn)
        return drawn[:ranks]
    met: collections.Counter[int] = collections.Counter()
    turns = []
    for place, host in enumerate(cores):
        turns.append((met[host], place))
        met[host] += 1
    return [cores[place] for _, place in sorted(turns)[:ranks]]


def repeated(placed: Sequence[int], factor: Fraction) -> list[int]:
    """Place `factor` times as many ranks (rounded up) by repeating a placement on further hosts.

    Example: twice the ranks on hosts 0, 0 and 1 are ranks on hosts 0, 0, 1, 2, 2 and 3. So each host keeps its number
    of ranks.

    Args:
        placed: host number of each rank, as `by_cores` returns them.
        factor: number above 0.

    Returns:
        The host number of each rank.
    """
    hosts = placed[-1] + 1
    ranks = math.ceil(len(placed) * factor)
    return [placed[rank % len(placed)] + rank // len(placed) * hosts for rank in range(ranks)]


def free_cores(platform: Platform, taken: Iterable[int], is_on: Callable[[int], bool]) -> Iterator[int]:
    """Yield the host number of each core that runs no rank; hosts are in platform order, without those that are off.

    Example: the number of a host with 4 cores and 1 rank is yielded 3 times.

    Args:
        platform: the machine.
        taken: host number of each running rank.
        is_on: function that returns whether a host is on.
    """
    ranks = collections.Counter(taken)
    for host in platform.hosts:
        if ranks[host.index] < host.cores and is_on(host.index):
            yield from [host.index] * (host.cores - ranks[host.index])


def describe(placed: Sequence[int], platform: Platform) -> Iterator[str]:
    """Yield a line for each rank with its host, for ``--map``."""
    for rank, host in enumerate(placed):
        yield f"rank {rank} -> {platform.hosts[host].name}"


def _find(name: str, platform: Platform, where: str) -> int:
    try:
        return platform.host(name).index
    except PlatformError as error:
        raise PlacementError(f"{where}{error}") from error
