"""What a platform is like as a whole: its sizes, its speeds, how far its hosts are apart, what is wrong with it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from pysmpi.errors import PlatformError
from pysmpi.platform.graph import representative_hosts
from pysmpi.platform.machine import Host, Platform

__all__ = ["Survey", "survey"]

MOST_HOSTS = 256  # whose routes to each other are all looked at
MADE_LOOPBACK = "__loopback__"  # in no description: how hosts without one reach themselves


@dataclass(frozen=True)
class Survey:
    """Figures of a platform. A core's speed is in flop per second, latencies in seconds, bandwidths in bytes/s."""

    hosts: int
    links: int
    cores: int
    peak: float
    """Of all cores together, flop per second."""
    speeds: tuple[tuple[float, int], ...]
    """Each speed of a core with the number of hosts that have it, the fastest first."""
    bandwidths: tuple[tuple[float, int], ...]
    """Each bandwidth with the number of links that have it, the widest first."""
    examined: int
    """Hosts whose routes to each other were looked at; fewer than `hosts` on large machines."""
    hops: tuple[int, int] | None
    """Of the routes between two hosts, the fewest and the most links; None when there is no route."""
    latencies: tuple[float, float] | None
    """Of those routes, the lowest and the highest."""
    unreachable: tuple[tuple[str, str], ...]
    """Pairs of hosts without a route from the one to the other, the first few."""
    unreachable_count: int
    unused: tuple[str, ...]
    """Links that no route crosses; known when all hosts were examined."""


def survey(platform: Platform) -> Survey:
    """Look at all of a platform, or at the routes between some of its hosts when it is large."""
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
