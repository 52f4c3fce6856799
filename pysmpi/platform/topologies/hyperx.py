"""The topology HyperX, after J. H. Ahn et al., SC 2009."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from pysmpi.errors import PlatformError
from pysmpi.platform.topologies.cluster_of_hosts import ClusterOfHosts, joined, near_cube
from pysmpi.platform.topology import WITH_DETOURS, Shape, pair_count, parse_parts

__all__ = ["HyperX"]


@dataclass(frozen=True)
class HyperX(ClusterOfHosts):
    """Switches in a lattice, each joined to all switches whose position differs in one dimension only.

    The argument ``routing`` may be minimal, valiant, ugal or ugal-l (see docs/topologies.md).
    """

    topology = "HYPERX"
    short_name = "hyperx"
    syntax = "size,…;cables,…;hosts"
    example = "4,4;1,1;4"
    routings = WITH_DETOURS

    sizes: Sequence[int]
    """Number of switches along each dimension of the lattice."""
    hosts: int
    """Number of hosts on a switch."""
    cables: Sequence[int] | None = None
    """For each dimension, the number of parallel cables between two switches that differ in it; by default 1."""

    @classmethod
    def parse(cls, text: str, what: str) -> Shape:
        sizes, cables, (hosts,) = parse_parts(
            cls, text, what, ("sizes", "cables", "hosts of a switch"), (None, None, 1)
        )
        if len(cables) != len(sizes):
            raise PlatformError(f"{what}: {len(sizes)} sizes, but {len(cables)} numbers of cables")
        switches = math.prod(sizes)
        links = sum(switches // size * pair_count(size) for size in sizes)
        return Shape((*sizes, *cables, hosts), (*sizes, hosts), switches * hosts + links, switches)

    @classmethod
    def from_parameters(cls, text: str, what: str, settings: dict[str, Any]) -> Self:
        *values, hosts = cls.parse(text, what).values
        dimensions = len(values) // 2
        return cls(values[:dimensions], hosts, values[dimensions:], **settings)

    @classmethod
    def bisection_cables(cls, shape: Shape) -> float | None:
        """Return the bisection bandwidth in units of a cable's bandwidth, or None if no formula applies.

        It is the number of cables across the middle of the dimension where they are fewest, or half the number of hosts
        if that is lower (J. H. Ahn et al., SC 2009). No formula applies if the size of that dimension is odd.
        """
        values = shape.values
        dimensions = len(values) // 2
        sizes, cables, hosts = values[:dimensions], values[dimensions:-1], values[-1]
        switches = math.prod(sizes)
        in_line = [(size * width, size) for size, width in zip(sizes, cables, strict=True) if size > 1]
        if not in_line:
            return switches * hosts // 2
        narrowest, size = min(in_line)
        return min(switches * narrowest / 4, switches * hosts / 2) if size % 2 == 0 else None

    def grown(self, factor: Fraction) -> Self:
        return replace(self, sizes=near_cube(self.sizes, factor))

    def parameters(self) -> str:
        sizes, cables = self._counts("sizes"), self._counts("cables", "sizes")
        return f"{joined(sizes)};{joined(cables)};{self._count('hosts')}"
