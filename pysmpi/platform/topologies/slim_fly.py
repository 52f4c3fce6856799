"""The topology Slim Fly, after M. Besta, T. Hoefler, SC 2014, and P. R. Hafner, J. Combinatorial Theory B 90, 2004."""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any, NoReturn, Self

from pysmpi.errors import PlatformError
from pysmpi.platform.topologies.cluster_of_hosts import ClusterOfHosts
from pysmpi.platform.topology import WITH_DETOURS, Shape, parse_parts

__all__ = ["SlimFly"]

MAX_ORDER = 1024  # of the field; a Slim Fly of this order has 2 million switches


@dataclass(frozen=True)
class SlimFly(ClusterOfHosts):
    """2q² switches, any two of them at most two cables apart, with several hosts on each.

    The argument ``routing`` may be minimal, valiant, ugal or ugal-l (see docs/topologies.md).
    """

    topology = "SLIM_FLY"
    short_name = "slimfly"
    syntax = "q;hosts"
    example = "5;4"
    routings = WITH_DETOURS

    q: int
    """Order of the topology, which has 2q² switches: a power of a prime, from 3 to 1024."""
    hosts: int | None = None
    """Number of hosts on a switch; by default half the number of cables to other switches, rounded up (Besta and
    Hoefler 2014)."""

    @classmethod
    def parse(cls, text: str, what: str) -> Shape:
        (order,), (hosts,) = parse_parts(cls, text, what, ("the order q", "hosts of a switch"), (1, 1))
        if not 3 <= order <= MAX_ORDER or not _is_prime_power(order):
            near = " and ".join(map(str, _near_prime_powers(order)))
            raise PlatformError(
                f"{what}: the order q must be a power of a prime from 3 to {MAX_ORDER}, but it is {order} "
                f"(nearest: {near})"
            )
        switches = 2 * order**2
        cables = switches * hosts + switches * _degree(order) // 2
        return Shape((order, hosts), (switches, hosts), cables, switches)

    @classmethod
    def from_parameters(cls, text: str, what: str, settings: dict[str, Any]) -> Self:
        order, hosts = cls.parse(text if ";" in text else f"{text};1", what).values
        return cls(order, hosts if ";" in text else None, **settings)

    # bisection_cables: no formula is known; Besta and Hoefler approximate it with a partitioner.

    def grown(self, factor: Fraction) -> NoReturn:
        raise PlatformError(
            "a SLIM_FLY has 2q² switches, where q is a power of a prime, and few factors lead to such a number; "
            "compare two platforms instead, such as slimfly:5 and slimfly:7"
        )

    def parameters(self) -> str:
        order = self._count("q")
        if self.hosts is None:
            self.parse(f"{order};1", type(self).__name__)
            return f"{order};{(_degree(order) + 1) // 2}"
        return f"{order};{self._count('hosts')}"


def _is_prime_power(number: int) -> bool:
    prime = next((divisor for divisor in range(2, isqrt(number) + 1) if number % divisor == 0), number)
    while number % prime == 0:
        number //= prime
    return number == 1


def _near_prime_powers(number: int) -> list[int]:
    number = min(max(number, 3), MAX_ORDER)
    below = next(order for order in range(number, 2, -1) if _is_prime_power(order))
    above = next(order for order in range(number, 2 * number) if _is_prime_power(order))
    return sorted({below, above})


def _degree(order: int) -> int:
    """Return the number of switches to which each switch is joined: (3q - d) / 2.

    d is 0 if the order q is even, 1 if q = 4w + 1, and -1 if q = 4w - 1.
    """
    return (3 * order - {0: 0, 1: 1, 3: -1}[order % 4]) // 2
