"""Full meshes: each pair of hosts has its own cable."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from pysmpi.errors import PlatformError
from pysmpi.platform.topologies.cluster_of_hosts import ClusterOfHosts, multiplied
from pysmpi.platform.topology import WITH_DETOURS, Shape, pair_count, parse_numbers

__all__ = ["FullMesh"]


@dataclass(frozen=True)
class FullMesh(ClusterOfHosts):
    """Hosts with a cable between each pair of them.

    The argument ``routing`` may be minimal, valiant, ugal or ugal-l (see docs/topologies.md).
    """

    topology = "FULL_MESH"
    short_name = "fullmesh"
    syntax = "hosts"
    example = "16"
    routings = WITH_DETOURS

    hosts: int
    """Number of hosts."""

    @classmethod
    def parse(cls, text: str, what: str) -> Shape:
        numbers = parse_numbers(text, what)
        if len(numbers) != 1:
            raise PlatformError(f"{what}: a FULL_MESH takes one number, the number of hosts")
        return Shape((), (numbers[0],), pair_count(numbers[0]))

    @classmethod
    def from_parameters(cls, text: str, what: str, settings: dict[str, Any]) -> Self:
        return cls(cls.parse(text, what).hosts, **settings)

    @classmethod
    def bisection_cables(cls, shape: Shape) -> float | None:
        return (shape.hosts // 2) * (shape.hosts - shape.hosts // 2)

    def grown(self, factor: Fraction) -> Self:
        return replace(self, hosts=multiplied(self.hosts, factor, "hosts"))

    def parameters(self) -> str:
        return str(self._count("hosts"))
