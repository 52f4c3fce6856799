"""Measurement of the insides of nodes with ranks of a real MPI (or of a simulation), on one host or on two."""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pysmpi.calibrate.campaign import Campaign, remaining
from pysmpi.calibrate.node.bisection import sizes_between
from pysmpi.calibrate.node.exchanges import Exchange, run
from pysmpi.calibrate.plan import Plan
from pysmpi.calibrate.progress import followed
from pysmpi.calibrate.table import Column, Table
from pysmpi.errors import CalibrationError
from pysmpi.platform.host_interior import LEVELS

__all__ = ["COLUMNS", "FIGURES", "Extent", "Place", "Point", "campaign_of", "places", "plan", "plan_of"]

FIGURES = ("one way", "memory", "card", "rate", "waiting")
"""Measured quantities: time of messages of one pair of ranks by level, bandwidth of several pairs inside a host,
bandwidth of several pairs between hosts, messages per second between hosts, and time of messages of one pair while
other ranks poll."""

COLUMNS = (
    Column("figure", str, choices=FIGURES),
    Column("level", str, choices=LEVELS),
    Column("bytes", int, least=1),
    Column("count", int),
    Column("amount", float),
    Column("seconds", float),
)

_KEYS = tuple(column.name for column in COLUMNS[:4])  # columns that identify a planned measurement
_AT_ONCE = 1 << 20  # bytes that a measurement exchanges, if these are 4 to 100 messages
_MOST = 80  # largest number of message sizes for a level


@dataclass(frozen=True)
class Extent:
    """Sizes and repetitions of the measurements.

    Attributes:
        largest: largest message in bytes.
        rounds: number of measurements of each quantity, of which the median is used.
    """

    largest: int = 4 << 20
    rounds: int = 5

    def __post_init__(self) -> None:
        if self.largest < 1024 or self.rounds < 1:
            raise CalibrationError(
                f"messages up to {self.largest} bytes, measured {self.rounds} times, are not valid; the largest must "
                "have at least 1024 bytes, and each is measured at least once"
            )

    def sizes(self) -> list[int]:
        """Return the sizes of messages in bytes that are measured first: 1, 16, 64, and so on by factors of 4, and the
        largest."""
        powers = [1, *(4**power for power in range(2, 24) if 4**power < self.largest)]
        return [*powers, self.largest]


class Place(NamedTuple):
    """Host and socket of a rank."""

    host: str
    socket: int


class Point(NamedTuple):
    """Planned measurement: a quantity, the level of its pairs, bytes of a message, and the number of pairs or, for
    "waiting", of ranks that poll."""

    figure: str
    level: str
    bytes: int
    number: int


def places(world: Any, sockets: int | None) -> list[Place]:
    """Return the place of each rank. All ranks call this function.

    Args:
        world: the communicator.
        sockets: number of sockets of a host, among which its ranks are divided evenly, in order; or None for the
            sockets to which the ranks are bound (a rank that may use several is on the first).
    """
    from mpi4py import MPI

    found = [Place(host, socket) for host, socket in world.allgather((MPI.Get_processor_name(), _socket()))]
    if sockets is None:
        return found
    ranks = Counter(place.host for place in found)
    seen: Counter[str] = Counter()
    divided = []
    for place in found:
        divided.append(Place(place.host, seen[place.host] * sockets // ranks[place.host]))
        seen[place.host] += 1
    return divided


def _socket() -> int:
    """Return the least number of the sockets whose cores this process may use, or 0 if the numbers are unknown."""
    numbers = []
    for core in os.sched_getaffinity(0):
        try:
            numbers.append(int(Path(f"/sys/devices/system/cpu/cpu{core}/topology/physical_package_id").read_text()))
        except (OSError, ValueError):
            return 0
    return max(0, min(numbers, default=0))


def pairs_of(ranks: Sequence[Place], level: str) -> list[tuple[int, int]]:
    """Return disjoint pairs of ranks of a level, inside the first host or from the first host to the second.

    Args:
        ranks: place of each rank.
        level: "core" (same socket), "socket" (other socket of the host) or "node" (other host).
    """
    first = [rank for rank, place in enumerate(ranks) if place.host == ranks[0].host]
    if level == "node":
        return list(zip(first, (rank for rank, place in enumerate(ranks) if place.host != ranks[0].host), strict=False))
    pairs, left = [], list(first)
    while left:
        rank = left.pop(0)
        same = level == "core"
        other = next((each for each in left if (ranks[each].socket == ranks[rank].socket) == same), None)
        if other is not None:
            left.remove(other)
            pairs.append((rank, other))
    return pairs


def plan(ranks: Sequence[Place], extent: Extent, rows: Sequence[Mapping[str, Any]]) -> list[Point]:
    """Return the measurements that are known to be needed, round by round.

    Messages of one pair are measured at sizes a factor of 4 apart first, and then at further sizes, which depend on
    the times so far. All measurements are known when the rows contain the whole plan.

    Args:
        ranks: place of each rank.
        extent: sizes and repetitions.
        rows: measurements so far, in any order.
    """
    points = []
    for level in LEVELS:
        pairs = pairs_of(ranks, level)
        if not pairs:
            continue
        points += [Point("one way", level, size, 1) for size in extent.sizes()]
        if level == "node":
            points += [Point("card", level, extent.largest, count) for count in _numbers(len(pairs))]
            points += [Point("rate", level, 1, count) for count in _numbers(len(pairs))]
        if others := _beside(ranks, pairs[0]):
            points += [Point("waiting", level, extent.largest, count) for count in (0, others)]
    inside = _pairs_inside(ranks)
    points += [Point("memory", "core", extent.largest, count) for count in _numbers(len(inside))]
    points *= extent.rounds
    for level in dict.fromkeys(point.level for point in points if point.figure == "one way"):
        points += _finer(level, extent, rows)
    return points


def _finer(level: str, extent: Extent, rows: Sequence[Mapping[str, Any]]) -> list[Point]:
    """Return the measurements of messages of one pair at the further sizes that are known so far.

    Each set of further sizes depends on the times of all sets before, so a set is known when these are complete.
    """
    times: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        if row["figure"] == "one way" and row["level"] == level:
            times[row["bytes"]].append(row["seconds"] / row["amount"])
    sizes, points = extent.sizes(), []
    while all(len(times[size]) >= extent.rounds for size in sizes):
        further = sizes_between({size: times[size] for size in sizes}, _MOST - len(sizes))
        if not further:
            break
        sizes += further
        points += [Point("one way", level, size, 1) for size in further] * extent.rounds
    return points


def _pairs_inside(ranks: Sequence[Place]) -> list[tuple[int, int]]:
    """Return disjoint pairs of ranks of the first host; ranks of the same socket are paired first."""
    pairs = pairs_of(ranks, "core")
    used = {rank for pair in pairs for rank in pair}
    left = [rank for rank, place in enumerate(ranks) if place.host == ranks[0].host and rank not in used]
    return pairs + list(zip(left[::2], left[1::2], strict=False))


def _beside(ranks: Sequence[Place], pair: tuple[int, int]) -> int:
    """Return the number of other ranks on the host of a pair; of two hosts, the greater number."""
    others = Counter(place.host for rank, place in enumerate(ranks) if rank not in pair)
    return max(others[ranks[rank].host] for rank in pair)


def _numbers(most: int) -> list[int]:
    return sorted({most, *(1 << power for power in range(most.bit_length()))} - {0})


def exchange_of(ranks: Sequence[Place], point: Point) -> Exchange:
    """Return the exchange of messages for a planned measurement."""
    pairs = _pairs_inside(ranks) if point.figure == "memory" else pairs_of(ranks, point.level)
    used = pairs[: 1 if point.figure in ("one way", "waiting") else point.number]
    times = max(4, min(100, _AT_ONCE // point.bytes))
    return Exchange(point.figure, tuple(used), point.bytes, times, point.figure == "waiting" and point.number > 0)


def campaign_of(
    world: Any,
    path: str | os.PathLike[str],
    extent: Extent,
    notify: Callable[[str], None],
    sockets: int | None = None,
) -> Table | None:
    """Measure messages, and append the measurements to a file, except those that the file contains already.

    All ranks call this function.

    Args:
        world: the communicator.
        path: path of the file.
        extent: sizes and repetitions.
        notify: function that prints a message.
        sockets: number of sockets of a host, or None for those that the ranks are bound to.

    Returns:
        The table at rank 0, None at other ranks.

    Raises:
        CalibrationError: at all ranks, if there is only one rank, there are more than two hosts, or the file cannot be
            continued.
    """
    return plan_of(world, extent, notify, sockets).carry_out(path, world)


def plan_of(world: Any, extent: Extent, notify: Callable[[str], None], sockets: int | None = None) -> Plan:
    """Return the plan of the measurements that `campaign_of` makes. All ranks call this function.

    Raises:
        CalibrationError: at all ranks, if there is only one rank or there are more than two hosts.
    """
    from mpi4py import MPI

    ranks = places(world, sockets)
    hosts = list(dict.fromkeys(place.host for place in ranks))
    if len(ranks) < 2 or len(hosts) > 2:
        raise CalibrationError(
            f"{len(ranks)} ranks on {len(hosts)} hosts cannot be measured; start one rank on each core of one host or "
            "of two, such as mpiexec -n 48 pysmpi-calibrate node …"
        )
    described = ", ".join(f"{count} on {host} socket {socket}" for (host, socket), count in Counter(ranks).items())

    def measure(campaign: Campaign) -> None:
        notify(f"ranks: {described}")
        while True:
            planned = plan(ranks, extent, campaign.rows)
            left = remaining(planned, (Point(*(row[name] for name in _KEYS)) for row in campaign.rows))
            world.bcast(left)
            if not left:
                return
            for point in followed(left, "node", len(planned) - len(left)):
                exchange = exchange_of(ranks, point)
                seconds = run(world, exchange)
                campaign.add({**dict(zip(_KEYS, point, strict=True)), "amount": exchange.amount(), "seconds": seconds})

    def follow() -> None:
        while points := world.bcast(None):
            for point in points:
                run(world, exchange_of(ranks, point))

    facts = {
        "library": MPI.Get_library_version().partition("\n")[0].strip("\0 "),
        "sockets": str(1 + max(place.socket for place in ranks)),
    }
    return Plan("node", COLUMNS, f"{extent}, ranks: {described}", measure, facts, follow)
