"""Torus topologies, as SimGrid defines them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from pysmpi.platform.topologies.base import ClusterOfHosts, joined, near_cube
from pysmpi.platform.topology import WITH_DETOURS, Shape, parse_numbers

__all__ = ["Torus"]


@dataclass(frozen=True)
class Torus(ClusterOfHosts):
    """Hosts in a lattice whose dimensions wrap around: the last host of a line is joined to the first. ``routing``:
    minimal, valiant, ugal or ugal-l."""

    topology = "TORUS"
    short_name = "torus"
    syntax = "size,size,…"
    example = "4,4,4"
    routings = WITH_DETOURS
    in_simgrid = True

    sizes: Sequence[int]
    """Number of hosts in each dimension."""

    @classmethod
    def parse(cls, text: str, what: str) -> Shape:
        sizes = tuple(parse_numbers(text, what))
        return Shape(sizes, sizes, math.prod(sizes) * len(sizes))

    @classmethod
    def from_parameters(cls, text: str, what: str, settings: dict[str, Any]) -> Self:
        return cls(cls.parse(text, what).values, **settings)

    @classmethod
    def bisection_cables(cls, shape: Shape) -> float | None:
        """Return the number of cables in two cuts across the longest dimension.

        Source: W. J. Dally, B. Towles, "Principles and practices of interconnection networks", 2004, section 5.2.1.

        In a dimension of size 2, two cables join each pair of hosts; SimGrid's routing uses one of them.
        """
        longest = max(shape.values)
        return min(longest // 2, 2) * shape.hosts / longest if longest % 2 == 0 else None

    @classmethod
    def lattice(cls, shape: Shape) -> Sequence[int]:
        return shape.values

    def grown(self, factor: Fraction) -> Self:
        return replace(self, sizes=near_cube(self.sizes, factor))

    def parameters(self) -> str:
        return joined(self._counts("sizes"))
