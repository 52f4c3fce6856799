"""Survey of a platform: sizes, speeds, distances between hosts, unreachable hosts and unused links."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from pysmpi.errors import PlatformError
from pysmpi.platform.graph import representative_hosts
from pysmpi.platform.machine import Host, Platform

__all__ = ["Survey", "survey"]

MOST_HOSTS = 256  # of larger platforms, only routes between this number of hosts are examined
MADE_LOOPBACK = "__loopback__"  # link of hosts to themselves if the description has none


@dataclass(frozen=True)
class Survey:
    """Results of a survey: speeds in flop per second, latencies in seconds, bandwidths in bytes/s."""

    hosts: int
    links: int
    cores: int
    peak: float
    """Speed of all cores together, flop per second."""
    speeds: tuple[tuple[float, int], ...]
    """Speeds of a core, each with its number of hosts, the fastest first."""
    bandwidths: tuple[tuple[float, int], ...]
    """Bandwidths, each with its number of links, the highest first."""
    examined: int
    """Number of hosts whose routes to each other were examined; fewer than `hosts` on large machines."""
    hops: tuple[int, int] | None
    """Fewest and most links of a route between two hosts, or None if no route exists."""
    latencies: tuple[float, float] | None
    """Lowest and highest latency of a route between two hosts, or None if no route exists."""
    unreachable: tuple[tuple[str, str], ...]
    """First few pairs of hosts without a route from the first to the second."""
    unreachable_count: int
    """Number of pairs of hosts without a route from the first to the second."""
    unused: tuple[str, ...]
    """Names of links that no route crosses; empty if not all hosts were examined."""


def survey(platform: Platform) -> Survey:
    """Return the results of a survey; on a large platform, only routes between some of the hosts are examined."""
    examined = [platform.hosts[index] for index in representative_hosts(platform, MOST_HOSTS)]
    hops: list[int] = []
    latencies: list[float] = []
    unreachable: list[tuple[str, str]] = []
    crossed: set[int] = set()
    for source, destination in _pairs(examined):
        try:
            route = platform.route(source, destination)
        except PlatformError:
            if source != destination:
                unreachable.append((source.name, destination.name))
            continue
        crossed.update(link.index for link in route.links)
        if source != destination:
            hops.append(len(route.links))
            latencies.append(route.latency)
    hosts = Counter(platform.cores_and_speeds())
    speeds: Counter[float] = Counter()
    for (_, speed), count in hosts.items():
        speeds[speed] += count
    complete = len(examined) == len(platform.hosts)
    return Survey(
        hosts=len(platform.hosts),
        links=len(platform.links),
        cores=sum(count * cores for (cores, _), count in hosts.items()),
        peak=sum(count * cores * speed for (cores, speed), count in hosts.items()),
        speeds=_classes(speeds),
        bandwidths=_classes(Counter(platform.bandwidths())),
        examined=len(examined),
        hops=(min(hops), max(hops)) if hops else None,
        latencies=(min(latencies), max(latencies)) if latencies else None,
        unreachable=tuple(unreachable[:5]),
        unreachable_count=len(unreachable),
        unused=tuple(link.name for link in platform.links if link.index not in crossed and link.name != MADE_LOOPBACK)
        if complete
        else (),
    )


def _pairs(hosts: Sequence[Host]) -> Iterator[tuple[Host, Host]]:
    for host in hosts:
        yield host, host
    yield from permutations(hosts, 2)


def _classes(counts: Counter[float]) -> tuple[tuple[float, int], ...]:
    return tuple(sorted(counts.items(), reverse=True))
