"""What a cluster is: the numbers in its hosts' names, its parts, its topology, and how many links that takes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pysmpi.errors import PlatformError
from pysmpi.platform.shape import Shape, parse_shape

__all__ = ["MAX_HOSTS", "MAX_LINKS", "ClusterDescription", "Radical", "parse_radical"]

MAX_HOSTS = 2**31 - 1
MAX_LINKS = 2**32 - 2
MAX_NUMBER = 2**31 - 1
MAX_DIGITS = 10

Radical = list[tuple[int, int]]
"""Runs of numbers in host names, each as its first number and how many there are."""


def parse_radical(text: str) -> Radical:
    """The runs that a radical such as ``0-7,9,12-13`` stands for.

    Raises:
        PlatformError: it is malformed, a run goes backwards, or a number comes twice.
    """
    runs: Radical = []
    for part in text.split(","):
        ends = [end.strip() for end in part.split("-")]
        if len(ends) > 2 or not all(end.isascii() and end.isdecimal() for end in ends):
            raise PlatformError(f"radical {text!r}: {part!r} is neither a number nor a run such as '0-7'")
        if max(map(len, ends)) > MAX_DIGITS:
            raise PlatformError(f"radical {text!r}: {part!r} is too large; numbers go up to {MAX_NUMBER}")
        first, last = int(ends[0]), int(ends[-1])
        if last < first:
            raise PlatformError(f"radical {text!r}: {part!r} goes backwards; write '{last}-{first}'")
        if last > MAX_NUMBER:
            raise PlatformError(f"radical {text!r}: {last} is too large; numbers go up to {MAX_NUMBER}")
        runs.append((first, last - first + 1))
    ordered = sorted(runs)
    for (first, count), (following, _) in pairwise(ordered):
        if following < first + count:
            raise PlatformError(f"radical {text!r} has the number {following} twice")
    return runs


@dataclass
class ClusterDescription:
    """A cluster of equal hosts. Bandwidths in bytes per second, latencies in seconds, speeds in flop per second."""

    name: str
    prefix: str
    suffix: str
    radical: Radical
    speeds: Sequence[float]
    """Of one core, in each performance state; simulations begin in the first."""
    bandwidth: float
    latency: float
    cores: int = 1
    split_duplex: bool = True
    topology: str = "FLAT"
    """One of those in `pysmpi.platform.shape`, with its parameters."""
    parameters: str = ""
    loopback: tuple[float, float] | None = None
    """Bandwidth and latency of each host's link to itself."""
    limiter: float = 0.0
    """Bandwidth of what each host (and switch) sends and receives together; 0 for no limit."""
    backbone: tuple[float, float, str] | None = None
    """Bandwidth, latency and sharing policy of what all messages of a FLAT cluster cross."""
    router: str = ""
    """The way out of a FLAT cluster; by default prefix + name + ``_router`` + suffix."""
    properties: dict[str, str] = field(default_factory=dict)

    @property
    def host_count(self) -> int:
        """Hosts that the radical stands for."""
        return sum(count for _, count in self.radical)

    @property
    def router_name(self) -> str:
        """The router's name, given or made up."""
        return self.router or f"{self.prefix}{self.name}_router{self.suffix}"

    @property
    def routing(self) -> str | None:
        """How ways are chosen, which a property of that name says; None: the topology's default."""
        return self.properties.get("routing")

    def shape(self) -> Shape:
        """What the topology's parameters make.

        Raises:
            PlatformError: they are malformed, or their product is not the number of hosts.
        """
        hosts = self.host_count
        if self.topology == "FLAT":
            return Shape("FLAT", (), (hosts,), hosts)
        what = f"topo_parameters {self.parameters!r}"
        shape = parse_shape(self.topology, self.parameters, what)
        if shape.hosts != hosts:
            product = " x ".join(map(str, shape.factors))
            raise PlatformError(f"{what}: {product} makes {shape.hosts} hosts, but the radical names {hosts}")
        return shape

    def link_count(self, shape: Shape) -> int:
        """Links that the cluster has: loopbacks, limiters, a backbone, and the cables, which count twice when split."""
        links = shape.cables * (2 if self.split_duplex else 1)
        if self.loopback:
            links += shape.hosts
        if self.limiter:
            links += shape.hosts + shape.switches
        if self.backbone:
            links += 1
        return links
