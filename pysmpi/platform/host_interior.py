"""Inside of hosts, and their racks: memory bandwidth, network cards, sockets, and messages by level.

These are properties of a host or cluster: ``memory_bandwidth``, ``sockets``, ``intra_core``, ``intra_socket``,
``intra_node``, ``intra_queue``, ``transport_polling``, ``memory_share``, ``forward_core``, ``forward_socket``,
``cards``, ``card_bandwidth``, ``card_gap``, ``waiting_cost``, ``rack_hosts`` and ``rack_latency``.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pysmpi.errors import PlatformError, unknown
from pysmpi.platform import units

__all__ = ["LEVELS", "NAMES", "QUEUES", "Capacity", "Node", "Step", "node_of"]

LEVELS = ("core", "socket", "node")
"""Distances of two ranks: the same socket, another socket of the host, another host."""

QUEUES = ("pairwise", "shared")
"""Queues of messages inside a host: one for each pair of ranks, or one for each receiver, which its senders share."""

NAMES = (
    "memory_bandwidth",
    "sockets",
    "intra_queue",
    "transport_polling",
    "memory_share",
    "forward_core",
    "forward_socket",
    "cards",
    "card_bandwidth",
    "card_gap",
    "waiting_cost",
    "rack_hosts",
    "rack_latency",
    *(f"intra_{level}" for level in LEVELS),
)
"""Names of the properties of hosts that describe their inside."""


@dataclass(frozen=True, slots=True)
class Step:
    """Messages above `above` bytes have this latency (s) and at most this bandwidth (bytes/s)."""

    above: int
    latency: float
    bandwidth: float


@dataclass(frozen=True, slots=True)
class Capacity:
    """Bandwidth (bytes/s) that messages share if at least `messages` of them are transferred at the same time."""

    messages: int
    bandwidth: float


@dataclass(frozen=True, slots=True)
class Node:
    """Inside of a host.

    Attributes:
        memory: bandwidth that all messages of the host share, by their number, from 1 on; empty for no limit.
        sockets: number of sockets, among which the cores are divided evenly, in order.
        levels: for each of `LEVELS`, latency and bandwidth by message size, ascending; empty if messages take the
            platform's route.
        shared_queue: whether all senders of the host share a receiver's queue.
        polling: seconds that a message takes longer if its receiver has partners both on its host and on others.
        card: bandwidth that simultaneous messages through a network card from the host to others share, by their
            number, from 1 on, and likewise those from others to the host; empty for no limit.
        cards: number of network cards, among which the cores are divided evenly, in order.
        card_gap: seconds for which a message to or from another host occupies the network card.
        shares: bandwidth of `memory` that a message inside the host uses, relative to its own bandwidth, as pairs (size
            in bytes above which the factor applies, factor), sorted by size; empty for 1.
        forwarding: highest bandwidth (bytes/s) of a message whose data the sender has received before, on a socket and
            between sockets; 0 for no such limit.
        rack: number of consecutive hosts in a rack, or 0 if messages to all hosts have the same latency.
        rack_latency: additional seconds of a message to a host of another rack.
        waiting_cost: c; if k other ranks of a host wait inside MPI, a message has 1 / (1 + c k) of its bandwidth.
    """

    memory: tuple[Capacity, ...]
    sockets: int
    levels: tuple[tuple[Step, ...], ...]
    shared_queue: bool = False
    polling: float = 0.0
    card: tuple[Capacity, ...] = ()
    card_gap: float = 0.0
    waiting_cost: float = 0.0
    shares: tuple[tuple[int, float], ...] = ()
    forwarding: tuple[float, float] = (0.0, 0.0)
    cards: int = 1
    rack: int = 0
    rack_latency: float = 0.0


def node_of(properties: Mapping[str, str], cores: int, where: str) -> Node | None:
    """Return the inside of a host that its properties describe, or None if they say nothing about it.

    Args:
        properties: properties of the host or cluster.
        cores: number of cores of the host.
        where: the host or cluster, for errors, such as ``host 'a'``.

    Raises:
        PlatformError: a property is not valid.
    """
    if not any(name in properties for name in NAMES):
        return None
    memory, card = (
        _capacities(properties[name], f"{name} of {where}") if name in properties else ()
        for name in ("memory_bandwidth", "card_bandwidth")
    )
    text = properties.get("sockets", "1")
    sockets = units.parse_whole_number(text, f"sockets of {where}", 1)
    if sockets > cores:
        raise PlatformError(f"sockets {text!r} of {where}: there are more sockets than cores ({cores})")
    if "intra_socket" in properties and sockets == 1:
        raise PlatformError(
            f"intra_socket of {where} has no effect with one socket; set the property sockets to their number"
        )
    levels = tuple(
        _table(properties[name], f"{name} of {where}") if (name := f"intra_{level}") in properties else ()
        for level in LEVELS
    )
    queue = properties.get("intra_queue", "pairwise")
    if queue not in QUEUES:
        raise PlatformError(f"intra_queue of {where}: {unknown('kind of queue', queue, QUEUES)}")
    if queue == "shared" and not levels[0]:
        raise PlatformError(f"intra_queue of {where} has no effect without intra_core, whose latency it adds; set both")
    polling = 0.0
    if "transport_polling" in properties:
        polling = units.parse_time(properties["transport_polling"], f"transport_polling of {where}")
        if not (levels[0] and levels[2]):
            raise PlatformError(
                f"transport_polling of {where} has no effect without intra_core and intra_node, whose latencies it "
                "adds to; set all three"
            )
    cards = units.parse_whole_number(properties.get("cards", "1"), f"cards of {where}", 1)
    if "cards" in properties and not card:
        raise PlatformError(f"cards of {where} has no effect without card_bandwidth, the bandwidth of each; set both")
    if cards > cores:
        raise PlatformError(f"cards {properties['cards']!r} of {where}: there are more cards than cores ({cores})")
    gap = units.parse_time(properties.get("card_gap", "0"), f"card_gap of {where}")
    cost = units.parse_number(properties.get("waiting_cost", "0"), f"waiting_cost of {where}")
    shares = _shares(properties["memory_share"], where) if "memory_share" in properties else ()
    if shares and not memory:
        raise PlatformError(
            f"memory_share of {where} has no effect without memory_bandwidth, of which it is a share; set both"
        )
    forwarding = (
        _forwarding("core", properties, levels[0], where),
        _forwarding("socket", properties, levels[1], where),
    )
    if ("rack_hosts" in properties) != ("rack_latency" in properties):
        raise PlatformError(f"rack_hosts and rack_latency of {where} have no effect without each other; set both")
    rack = 0
    if "rack_hosts" in properties:
        rack = units.parse_whole_number(properties["rack_hosts"], f"rack_hosts of {where}", 1)
    far = units.parse_time(properties.get("rack_latency", "0"), f"rack_latency of {where}")
    return Node(
        memory, sockets, levels, queue == "shared", polling, card, gap, cost, shares, forwarding, cards, rack, far
    )


def _forwarding(level: str, properties: Mapping[str, str], table: tuple[Step, ...], where: str) -> float:
    name = f"forward_{level}"
    if name not in properties:
        return 0.0
    if not table:
        raise PlatformError(f"{name} of {where} has no effect without intra_{level}, which it limits; set both")
    return units.parse_bandwidth(properties[name], f"{name} of {where}")


def _shares(text: str, where: str) -> tuple[tuple[int, float], ...]:
    what = f"memory_share of {where}"
    steps: list[tuple[int, float]] = []
    for part in text.split(";"):
        words = [word.strip() for word in part.split(":")]
        if len(words) != 2:
            raise PlatformError(f"{what}: {part.strip()!r} is not SIZE:SHARE, such as '8192:1'")
        above = units.parse_whole_number(words[0], f"size of {what}", 0)
        if steps and above <= steps[-1][0]:
            raise PlatformError(f"{what}: size {words[0]!r} follows {steps[-1][0]}; write sizes in ascending order")
        share = units.parse_number(words[1], f"share of {what}")
        if share == 0:
            raise PlatformError(f"{what}: share {words[1]!r} is not above 0")
        steps.append((above, share))
    return tuple(steps)


def _capacities(text: str, what: str) -> tuple[Capacity, ...]:
    if ":" not in text and ";" not in text:
        return (Capacity(1, units.parse_bandwidth(text, what)),)
    steps: list[Capacity] = []
    for part in text.split(";"):
        words = [word.strip() for word in part.split(":")]
        if len(words) != 2:
            raise PlatformError(f"{what}: {part.strip()!r} is not MESSAGES:BANDWIDTH, such as '8:17GBps'")
        messages = units.parse_whole_number(words[0], f"number of messages of {what}", 1)
        if not steps and messages != 1:
            raise PlatformError(f"{what}: the first step begins with {words[0]!r} messages; it must begin with 1")
        if steps and messages <= steps[-1].messages:
            raise PlatformError(
                f"{what}: {words[0]!r} messages follow {steps[-1].messages}; write their numbers in ascending order"
            )
        steps.append(Capacity(messages, units.parse_bandwidth(words[1], f"bandwidth of {what}")))
    return tuple(steps)


def _table(text: str, what: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    for part in text.split(";"):
        words = [word.strip() for word in part.split(":")]
        if len(words) != 3:
            raise PlatformError(f"{what}: {part.strip()!r} is not SIZE:LATENCY:BANDWIDTH, such as '4096:0.4us:8GBps'")
        above = units.parse_whole_number(words[0], f"size of {what}", 0)
        if steps and above <= steps[-1].above:
            raise PlatformError(f"{what}: size {words[0]!r} follows {steps[-1].above}; write sizes in ascending order")
        latency = units.parse_time(words[1], f"latency of {what}")
        steps.append(Step(above, latency, units.parse_bandwidth(words[2], f"bandwidth of {what}")))
    return tuple(steps)
