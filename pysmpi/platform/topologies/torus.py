"""Torus topologies, as SimGrid defines them, and tori of switches with several hosts on each."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Self
from xml.etree import ElementTree

from pysmpi.errors import PlatformError
from pysmpi.platform.topologies.cluster_of_hosts import ClusterOfHosts, joined, near_cube
from pysmpi.platform.topology import WITH_DETOURS, Shape, parse_numbers, parse_parts

__all__ = ["Torus"]


@dataclass(frozen=True)
class Torus(ClusterOfHosts):
    """A lattice whose dimensions wrap around: the last node of a line is joined to the first. The nodes are the hosts,
    or switches with `hosts` hosts on each. The argument ``routing`` may be minimal, valiant, ugal or ugal-l (see
    docs/topologies.md)."""

    topology = "TORUS"
    short_name = "torus"
    syntax = "size,size,…[;hosts]"
    example = "4,4,4"
    routings = WITH_DETOURS
    in_simgrid = True

    sizes: Sequence[int]
    """Number of nodes in each dimension."""
    hosts: int | None = field(default=None, kw_only=True)
    """Number of hosts on each switch, or None if the hosts are joined directly, as in SimGrid."""

    @classmethod
    def parse(cls, text: str, what: str) -> Shape:
        if ";" not in text:
            sizes = tuple(parse_numbers(text, what))
            return Shape((*sizes, 0), sizes, math.prod(sizes) * len(sizes))
        numbers, (hosts,) = parse_parts(cls, text, what, ("sizes", "hosts of a switch"), (None, 1))
        switches = math.prod(numbers)
        return Shape((*numbers, hosts), (*numbers, hosts), switches * (hosts + len(numbers)), switches)

    @classmethod
    def from_parameters(cls, text: str, what: str, settings: dict[str, Any]) -> Self:
        *sizes, hosts = cls.parse(text, what).values
        return cls(sizes, hosts=hosts or None, **settings)

    @classmethod
    def bisection_cables(cls, shape: Shape) -> float | None:
        """Return the bisection bandwidth in units of a cable's bandwidth, or None if no formula applies.

        The bisection cuts the longest dimension at two places, because it wraps around. The result is the number of
        cables that are cut; with several hosts on a switch, it is at most the number of hosts in one half. No formula
        applies if the size of that dimension is odd.

        In a dimension of size 2, two cables join each pair of nodes, but only one counts, as SimGrid's routing uses
        one.

        Source: W. J. Dally, B. Towles, "Principles and practices of interconnection networks", 2004, section 5.2.1.
        """
        *sizes, hosts = shape.values
        longest = max(sizes)
        if longest % 2:
            return None
        across = min(longest // 2, 2) * math.prod(sizes) / longest
        return min(across, shape.hosts / 2) if hosts else across

    @classmethod
    def lattice(cls, shape: Shape) -> Sequence[int] | None:
        *sizes, hosts = shape.values
        return None if hosts else sizes

    def grown(self, factor: Fraction) -> Self:
        return replace(self, sizes=near_cube(self.sizes, factor))

    def parameters(self) -> str:
        sizes = joined(self._counts("sizes"))
        return sizes if self.hosts is None else f"{sizes};{self._count('hosts')}"

    def element(self) -> ElementTree.Element:
        if self.hosts is not None:
            raise PlatformError(
                f"SimGrid's XML has no tori of switches; {type(self).__name__} {self.name!r} cannot be written"
            )
        return super().element()
