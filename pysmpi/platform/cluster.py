"""Descriptions of clusters: hosts and the numbers in their names, cables, and topology."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod

from pysmpi.errors import PlatformError

__all__ = ["MAX_HOSTS", "MAX_LINKS", "ClusterDescription", "Radical", "Shape", "parse_radical"]

MAX_HOSTS = 2**31 - 1
MAX_LINKS = 2**32 - 2
MAX_NUMBER = 2**31 - 1
MAX_DIGITS = 10

Radical = list[tuple[int, int]]
"""Runs of consecutive numbers in host names, each as its first number and its length."""


def parse_radical(text: str) -> Radical:
    """Return the ranges of host numbers in a radical (part of SimGrid's cluster syntax) such as ``0-7,9,12-13``.

    Raises:
        PlatformError: the radical is malformed, a range is descending, or a number occurs twice.
    """
    runs: Radical = []
    for part in text.split(","):
        ends = [end.strip() for end in part.split("-")]
        if len(ends) > 2 or not all(end.isascii() and end.isdecimal() for end in ends):
            raise PlatformError(f"radical {text!r}: {part!r} is neither a number nor a run such as '0-7'")
        if max(map(len, ends)) > MAX_DIGITS:
            raise PlatformError(f"radical {text!r}: {part!r} is too large; the limit is {MAX_NUMBER}")
        first, last = int(ends[0]), int(ends[-1])
        if last < first:
            raise PlatformError(f"radical {text!r}: {part!r} goes backwards; write '{last}-{first}'")
        if last > MAX_NUMBER:
            raise PlatformError(f"radical {text!r}: {last} is too large; the limit is {MAX_NUMBER}")
        runs.append((first, last - first + 1))
    ordered = sorted(runs)
    for (first, count), (following, _) in pairwise(ordered):
        if following < first + count:
            raise PlatformError(f"radical {text!r} has the number {following} twice")
    return runs


@dataclass(frozen=True, slots=True)
class Shape:
    """Numbers of hosts, cables and switches of a cluster, computed from the parameters of its topology."""

    values: tuple[int, ...]
    """Parameters in the order in which the topology's C++ code reads them."""
    factors: tuple[int, ...]
    """Numbers whose product is the number of hosts."""
    cables: int
    switches: int = 0
    """Number of switches whose total bandwidth is limited if the cluster sets `limiter`."""

    @property
    def hosts(self) -> int:
        """Number of hosts."""
        return prod(self.factors)


@dataclass
class ClusterDescription:
    """A cluster of equal hosts. Bandwidths in bytes per second, latencies in seconds, speeds in flop per second."""

    name: str
    prefix: str
    suffix: str
    radical: Radical
    speeds: Sequence[float]
    """Speed of one core in each performance state; simulations begin in the first."""
    bandwidth: float
    latency: float
    cores: int = 1
    split_duplex: bool = True
    topology: str = "FLAT"
    """Name of the topology, a key of `pysmpi.platform.topology.TOPOLOGIES`."""
    parameters: str = ""
    """Parameters of the topology in the syntax of SimGrid's attribute ``topo_parameters``."""
    loopback: tuple[float, float] | None = None
    """Bandwidth and latency of each host's link to itself."""
    limiter: float = 0.0
    """Bandwidth that each host (and switch) sends and receives in total; 0 for no limit."""
    backbone: tuple[float, float, str] | None = None
    """Bandwidth, latency and sharing policy of the link that all messages of a cluster with a router cross."""
    router: str = ""
    """Name of the router if the topology has one; by default prefix + name + ``_router`` + suffix."""
    properties: dict[str, str] = field(default_factory=dict)
    from_fabric: frozenset[str] = frozenset()
    """Values that the description leaves to the fabric: ``bandwidth``, ``latency``, ``loopback_latency``."""

    @property
    def host_count(self) -> int:
        """Number of hosts of the cluster."""
        return sum(count for _, count in self.radical)

    @property
    def router_name(self) -> str:
        """Name of the cluster's router: the given name or SimGrid's default name."""
        return self.router or f"{self.prefix}{self.name}_router{self.suffix}"

    @property
    def routing(self) -> str | None:
        """Name of the routing from the property ``routing``, or None for the topology's default."""
        return self.properties.get("routing")

    def link_count(self, shape: Shape) -> int:
        """Return the number of links: loopbacks, a backbone, cables (a split one counts twice), and limiters.

        A limiter is a link that bounds the total bandwidth of one host or switch.
        """
        links = shape.cables * (2 if self.split_duplex else 1)
        if self.loopback:
            links += shape.hosts
        if self.limiter:
            links += shape.hosts + shape.switches
        if self.backbone:
            links += 1
        return links
