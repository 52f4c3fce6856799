"""The topologies that a cluster may have, and what their parameters make: hosts, cables and switches.

Parameters are written as SimGrid writes ``topo_parameters``; topologies that SimGrid lacks follow the same pattern.
What each one is stands in docs/topologies.md, with its source; the routes are in native/platform.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isqrt, prod

from pysmpi.errors import PlatformError, unknown
from pysmpi.native import lib

__all__ = [
    "ROUTINGS",
    "TOPOLOGIES",
    "Shape",
    "Topology",
    "native_routing",
    "near_prime_powers",
    "parse_shape",
    "slim_fly_degree",
    "slim_fly_hosts",
]

MAX_LEVELS = 32
MAX_NUMBER = 2**31 - 1
MAX_DIGITS = 10
MAX_ORDER = 1024  # of a Slim Fly's field; 2 million switches

ONE_WAY: dict[str, int] = {}
DETOURS = {
    "minimal": lib.PYSMPI_ROUTING_ONE,
    "valiant": lib.PYSMPI_ROUTING_VALIANT,
    "ugal": lib.PYSMPI_ROUTING_UGAL,
    "ugal-l": lib.PYSMPI_ROUTING_UGAL_LOCAL,
}
PORTS = {"d-mod-k": lib.PYSMPI_ROUTING_ONE, "random": lib.PYSMPI_ROUTING_RANDOM}
ROUTINGS = (*DETOURS, *PORTS)
"""Of all topologies together."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a topology's parameters make."""

    topology: str
    values: tuple[int, ...]
    """As the native side takes them."""
    factors: tuple[int, ...]
    """Their product is the number of hosts."""
    cables: int
    switches: int = 0
    """Those that have a limiter, if there are limiters."""

    @property
    def hosts(self) -> int:
        """How many there are."""
        return prod(self.factors)


def _numbers(text: str, what: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    for part in parts:
        if not (part.isascii() and part.isdecimal()) or len(part) > MAX_DIGITS or not 0 < int(part) <= MAX_NUMBER:
            raise PlatformError(f"{what}: {part!r} is not a number from 1 to {MAX_NUMBER}")
    return [int(part) for part in parts]


def _parts(topology: str, text: str, what: str, kinds: Sequence[str], counts: Sequence[int | None]) -> list[list[int]]:
    """The numbers of parts that semicolons part; so many in each as ``counts`` says, or any number of them."""
    parts = text.split(";")
    if len(parts) != len(kinds):
        known = TOPOLOGIES[topology]
        raise PlatformError(
            f"{what}: a {topology} takes {len(kinds)} parts, {known.syntax!r}, such as {known.example!r}; there are "
            f"{len(parts)}"
        )
    lists = []
    for part, kind, count in zip(parts, kinds, counts, strict=True):
        numbers = _numbers(part, f"{what}, {kind}")
        if count is not None and len(numbers) != count:
            takes = f"{kind} take {count} numbers" if count > 1 else f"{kind} is one number"
            raise PlatformError(f"{what}: {takes}, not {part!r}")
        lists.append(numbers)
    return lists


def _fat_tree(text: str, what: str) -> Shape:
    kinds = ("levels", "children", "parents", "cables")
    levels, *lists = _parts("FAT_TREE", text, what, kinds, (None,) * 4)
    if len(levels) != 1 or levels[0] > MAX_LEVELS:
        raise PlatformError(f"{what}: the first part is the number of levels, from 1 to {MAX_LEVELS}")
    for numbers, kind in zip(lists, kinds[1:], strict=True):
        if len(numbers) != levels[0]:
            given = ",".join(map(str, numbers))
            raise PlatformError(f"{what}: {levels[0]} levels, but {len(numbers)} numbers of {kind} ({given!r})")
    nodes = prod(lists[0])
    cables = switches = 0
    for children, parents, parallel in zip(*lists, strict=True):
        cables += nodes * parents * parallel
        nodes = nodes // children * parents
        switches += nodes
    return Shape("FAT_TREE", (*lists[0], *lists[1], *lists[2]), tuple(lists[0]), cables, switches)


def _torus(text: str, what: str) -> Shape:
    sizes = _numbers(text, what)
    return Shape("TORUS", tuple(sizes), tuple(sizes), prod(sizes) * len(sizes))


def _pairs(things: int) -> int:
    return things * (things - 1) // 2


def _dragonfly(text: str, what: str) -> Shape:
    kinds = ("groups and blue links", "chassis and black links", "blades and green links", "hosts of a blade")
    (groups, blue), (chassis, black), (blades, green), (hosts,) = _parts("DRAGONFLY", text, what, kinds, (2, 2, 2, 1))
    if groups > blades:
        raise PlatformError(
            f"{what}: {groups} groups need {groups} blades in a chassis, as blade n of a group's first chassis "
            f"holds the link to group n; there are {blades}"
        )
    factors = (groups, chassis, blades, hosts)
    cables = prod(factors) + groups * (chassis * _pairs(blades) + _pairs(chassis) * blades) + _pairs(groups)
    values = (groups, blue, chassis, black, blades, green, hosts)
    return Shape("DRAGONFLY", values, factors, cables, groups * chassis * blades)


def _dragonfly_plus(text: str, what: str) -> Shape:
    kinds = ("groups and cables between two of them", "spines of a group", "leaves of a group", "hosts of a leaf")
    (groups, between), (spines,), (leaves,), (hosts,) = _parts("DRAGONFLY_PLUS", text, what, kinds, (2, 1, 1, 1))
    factors = (groups, leaves, hosts)
    cables = prod(factors) + groups * leaves * spines + _pairs(groups) * between
    values = (groups, between, spines, leaves, hosts)
    return Shape("DRAGONFLY_PLUS", values, factors, cables, groups * (leaves + spines))


def _hyperx(text: str, what: str) -> Shape:
    kinds = ("sizes", "cables", "hosts of a switch")
    sizes, cables, (hosts,) = _parts("HYPERX", text, what, kinds, (None, None, 1))
    if len(cables) != len(sizes):
        raise PlatformError(f"{what}: {len(sizes)} sizes, but {len(cables)} numbers of cables")
    switches = prod(sizes)
    links = sum(switches // size * _pairs(size) for size in sizes)
    return Shape("HYPERX", (*sizes, *cables, hosts), (*sizes, hosts), switches * hosts + links, switches)


def _is_prime_power(number: int) -> bool:
    prime = next((divisor for divisor in range(2, isqrt(number) + 1) if number % divisor == 0), number)
    while number % prime == 0:
        number //= prime
    return number == 1


def near_prime_powers(number: int) -> list[int]:
    """The orders of fields, from 3, that lie next to a number: below, the number itself if it is one, and above."""
    number = min(max(number, 3), MAX_ORDER)
    below = next(order for order in range(number, 2, -1) if _is_prime_power(order))
    above = next(order for order in range(number, 2 * number) if _is_prime_power(order))
    return sorted({below, above})


def slim_fly_hosts(order: int) -> int:
    """Hosts of a switch that balance a Slim Fly: half of a switch's degree, rounded up (Besta and Hoefler 2014)."""
    return (slim_fly_degree(order) + 1) // 2


def slim_fly_degree(order: int) -> int:
    """Switches that each switch is joined to: (3q - d) / 2, where q = 4w + d and d is -1, 0 or 1."""
    return (3 * order - {0: 0, 1: 1, 3: -1}[order % 4]) // 2


def _slim_fly(text: str, what: str) -> Shape:
    (order,), (hosts,) = _parts("SLIM_FLY", text, what, ("the order q", "hosts of a switch"), (1, 1))
    if not 3 <= order <= MAX_ORDER or not _is_prime_power(order):
        near = " and ".join(map(str, near_prime_powers(order)))
        raise PlatformError(
            f"{what}: the order q is a power of a prime, from 3 to {MAX_ORDER}; {order} is not (nearest: {near})"
        )
    switches = 2 * order**2
    cables = switches * hosts + switches * slim_fly_degree(order) // 2
    return Shape("SLIM_FLY", (order, hosts), (switches, hosts), cables, switches)


def _hypercube(text: str, what: str) -> Shape:
    numbers = _numbers(text, what)
    if len(numbers) != 1 or numbers[0] > 30:
        raise PlatformError(f"{what}: a HYPERCUBE takes one number, its dimensions, from 1 to 30")
    hosts = 2 ** numbers[0]
    return Shape("HYPERCUBE", tuple(numbers), (hosts,), numbers[0] * hosts // 2)


def _full_mesh(text: str, what: str) -> Shape:
    numbers = _numbers(text, what)
    if len(numbers) != 1:
        raise PlatformError(f"{what}: a FULL_MESH takes one number, that of its hosts")
    return Shape("FULL_MESH", (), (numbers[0],), _pairs(numbers[0]))


@dataclass(frozen=True, slots=True)
class Topology:
    """A kind of cluster."""

    native: int
    parse: Callable[[str, str], Shape] | None
    """Makes a shape of parameters and the place to name in errors; None: there are no parameters."""
    routings: dict[str, int]
    """The ways of routing, the default first; empty when there is one way only."""
    syntax: str = ""
    example: str = ""


TOPOLOGIES = {
    "FLAT": Topology(lib.PYSMPI_FLAT, None, ONE_WAY),
    "FAT_TREE": Topology(
        lib.PYSMPI_FAT_TREE, _fat_tree, PORTS, "levels;children,…;parents,…;cables,…", "2;4,4;1,2;1,2"
    ),
    "TORUS": Topology(lib.PYSMPI_TORUS, _torus, DETOURS, "size,size,…", "4,4,4"),
    "DRAGONFLY": Topology(
        lib.PYSMPI_DRAGONFLY,
        _dragonfly,
        DETOURS,
        "groups,blue;chassis,black;blades,green;hosts",
        "3,4;3,2;4,1;2",
    ),
    "DRAGONFLY_PLUS": Topology(
        lib.PYSMPI_DRAGONFLY_PLUS,
        _dragonfly_plus,
        DETOURS,
        "groups,cables;spines;leaves;hosts",
        "9,2;4;4;4",
    ),
    "HYPERX": Topology(lib.PYSMPI_HYPERX, _hyperx, DETOURS, "size,…;cables,…;hosts", "4,4;1,1;4"),
    "SLIM_FLY": Topology(lib.PYSMPI_SLIM_FLY, _slim_fly, DETOURS, "q;hosts", "5;4"),
    "HYPERCUBE": Topology(lib.PYSMPI_HYPERCUBE, _hypercube, DETOURS, "dimensions", "10"),
    "FULL_MESH": Topology(lib.PYSMPI_FULL_MESH, _full_mesh, DETOURS, "hosts", "16"),
}


def parse_shape(topology: str, text: str, what: str) -> Shape:
    """The shape that parameters make.

    Args:
        topology: one of ``TOPOLOGIES`` that takes parameters.
        text: the parameters.
        what: where they stand, for errors.

    Raises:
        PlatformError: they are malformed.
    """
    parse = TOPOLOGIES[topology].parse
    if parse is None:
        raise PlatformError(f"{what}: a {topology} cluster takes no parameters")
    return parse(text, what)


def native_routing(topology: str, routing: str | None, what: str) -> int:
    """The number by which the native side knows a routing; without one, the topology's default.

    Raises:
        PlatformError: the topology has no such routing.
    """
    valid = TOPOLOGIES[topology].routings
    if routing is None:
        return next(iter(valid.values()), lib.PYSMPI_ROUTING_ONE)
    if not valid:
        raise PlatformError(f"{what} has routing {routing!r}, but in a {topology} cluster there is one way only")
    if routing not in valid:
        raise PlatformError(f"{what}: {unknown(f'routing of a {topology}', routing, valid)}")
    return valid[routing]
