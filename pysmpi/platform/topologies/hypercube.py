"""The hypercube topology, after H. Sullivan, T. R. Bashkow, ISCA 1977."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from pysmpi.errors import PlatformError
from pysmpi.platform.topologies.cluster_of_hosts import ClusterOfHosts
from pysmpi.platform.topology import WITH_DETOURS, Shape, parse_numbers

__all__ = ["Hypercube"]

MAX_DIMENSIONS = 30


@dataclass(frozen=True)
class Hypercube(ClusterOfHosts):
    """A hypercube with one host at each of its 2 to the power of ``dimensions`` corners, and a cable along each edge.

    The argument ``routing`` may be minimal (e-cube), valiant, ugal or ugal-l (see docs/topologies.md).
    """

    topology = "HYPERCUBE"
    short_name = "hypercube"
    syntax = "dimensions"
    example = "6"
    routings = WITH_DETOURS

    dimensions: int
    """Number of dimensions."""

    @classmethod
    def parse(cls, text: str, what: str) -> Shape:
        numbers = parse_numbers(text, what)
        if len(numbers) != 1 or numbers[0] > MAX_DIMENSIONS:
            raise PlatformError(
                f"{what}: a HYPERCUBE takes one number, the number of dimensions, from 1 to {MAX_DIMENSIONS}"
            )
        hosts = 2 ** numbers[0]
        return Shape(tuple(numbers), (hosts,), numbers[0] * hosts // 2)

    @classmethod
    def from_parameters(cls, text: str, what: str, settings: dict[str, Any]) -> Self:
        return cls(cls.parse(text, what).values[0], **settings)

    @classmethod
    def bisection_cables(cls, shape: Shape) -> float | None:
        return shape.hosts / 2

    def grown(self, factor: Fraction) -> Self:
        hosts = 2**self.dimensions * factor
        if hosts.denominator != 1 or hosts.numerator.bit_count() != 1:
            raise PlatformError(
                f"the number of hosts of a HYPERCUBE is a power of 2; {2**self.dimensions} times {float(factor):g} is "
                "not (valid factors: powers of 2)"
            )
        return replace(self, dimensions=hosts.numerator.bit_length() - 1)

    def parameters(self) -> str:
        return str(self._count("dimensions"))
