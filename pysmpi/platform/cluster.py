"""What a cluster is: the numbers in its hosts' names, its topology, and how many links that takes.

Topologies and their parameters are SimGrid's: FLAT; FAT_TREE ``levels;children,…;parents,…;cables,…``; TORUS
``size,size,…``; DRAGONFLY ``groups,blue;chassis,black;blades,green;hosts``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod

from pysmpi.errors import PlatformError

__all__ = ["MAX_HOSTS", "MAX_LINKS", "ClusterDescription", "Radical", "parse_radical"]

MAX_HOSTS = 2**31 - 1
MAX_LINKS = 2**32 - 2
MAX_LEVELS = 32
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


def _numbers(text: str, what: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    for part in parts:
        if not (part.isascii() and part.isdecimal()) or len(part) > MAX_DIGITS or not 0 < int(part) <= MAX_NUMBER:
            raise PlatformError(f"{what}: {part!r} is not a number from 1 to {MAX_NUMBER}")
    return [int(part) for part in parts]


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

    def native_parameters(self) -> tuple[list[int], int]:
        """The topology's parameters as the native side takes them, and the number of the cluster's links.

        Raises:
            PlatformError: they are malformed, or their product is not the number of hosts.
        """
        what = f"topo_parameters {self.parameters!r}"
        width = 2 if self.split_duplex else 1
        hosts = self.host_count
        links = hosts if self.loopback else 0
        switches = 0
        match self.topology:
            case "FAT_TREE":
                values, cables, switches = self._fat_tree(what)
            case "TORUS":
                values = _numbers(self.parameters, what)
                self._check_hosts(what, values)
                cables = hosts * len(values)
            case "DRAGONFLY":
                values, cables, switches = self._dragonfly(what)
            case _:
                values, cables = [], hosts
                links += 1 if self.backbone else 0
        if self.limiter:
            links += hosts + switches
        return values, links + cables * width

    def _check_hosts(self, what: str, factors: Sequence[int]) -> None:
        if prod(factors) != self.host_count:
            product = " x ".join(map(str, factors))
            raise PlatformError(
                f"{what}: {product} makes {prod(factors)} hosts, but the radical names {self.host_count}"
            )

    def _fat_tree(self, what: str) -> tuple[list[int], int, int]:
        parts = self.parameters.split(";")
        if len(parts) != 4:
            raise PlatformError(
                f"{what}: a FAT_TREE takes 4 parts, 'levels;children,…;parents,…;cables,…', such as '2;4,4;1,2;1,2'; "
                f"there are {len(parts)}"
            )
        levels = _numbers(parts[0], f"{what}, levels")
        if len(levels) != 1 or levels[0] > MAX_LEVELS:
            raise PlatformError(f"{what}: the first part is the number of levels, from 1 to {MAX_LEVELS}")
        lists = []
        for part, kind in zip(parts[1:], ("children", "parents", "cables"), strict=True):
            numbers = _numbers(part, f"{what}, {kind}")
            if len(numbers) != levels[0]:
                raise PlatformError(f"{what}: {levels[0]} levels, but {len(numbers)} numbers of {kind} ({part!r})")
            lists.append(numbers)
        self._check_hosts(what, lists[0])
        nodes = self.host_count
        cables = switches = 0
        for children, parents, parallel in zip(*lists, strict=True):
            cables += nodes * parents * parallel
            nodes = nodes // children * parents
            switches += nodes
        return lists[0] + lists[1] + lists[2], cables, switches

    def _dragonfly(self, what: str) -> tuple[list[int], int, int]:
        parts = self.parameters.split(";")
        kinds = ("groups and blue links", "chassis and black links", "blades and green links", "hosts of a blade")
        if len(parts) != 4:
            raise PlatformError(
                f"{what}: a DRAGONFLY takes 4 parts, 'groups,blue;chassis,black;blades,green;hosts', such as "
                f"'3,4;3,2;4,1;2'; there are {len(parts)}"
            )
        values: list[int] = []
        for part, kind, expected in zip(parts, kinds, (2, 2, 2, 1), strict=True):
            numbers = _numbers(part, f"{what}, {kind}")
            if len(numbers) != expected:
                raise PlatformError(f"{what}: {kind} take {expected} numbers, not {part!r}")
            values += numbers
        groups, _, chassis, _, blades, _, hosts = values
        self._check_hosts(what, (groups, chassis, blades, hosts))
        if groups > blades:
            raise PlatformError(
                f"{what}: {groups} groups need {groups} blades in a chassis, as blade n of a group's first chassis "
                f"holds the link to group n; there are {blades}"
            )
        green = groups * chassis * (blades * (blades - 1) // 2)
        black = groups * (chassis * (chassis - 1) // 2) * blades
        blue = groups * (groups - 1) // 2
        return values, self.host_count + green + black + blue, groups * chassis * blades
