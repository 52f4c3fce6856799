"""Model of the inside of a node from a table of measurements: properties of hosts of a platform."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pysmpi.calibrate.node.tables import capacities, steps_through
from pysmpi.calibrate.table import Table, above_zero
from pysmpi.errors import CalibrationError
from pysmpi.platform.host_interior import LEVELS

__all__ = ["FORMAT", "NodeModel", "model_document", "model_of", "node_model", "properties_of"]

FORMAT = "pysmpi-node-1"

_FALLS = 0.95  # a card's total bandwidth falls if it drops below this part of the best one with fewer messages
_SATURATED = 0.8  # a card limits the message rate if n ranks reach less than this part of n times the rate of one rank
_NOTICED = 0.05  # relative slow-down by polling ranks that is more than the measurement error
_LEAST = 1e-9  # seconds: least time of a message without the time of its MPI calls

Curves = dict[str, dict[int, float]]


@dataclass(frozen=True)
class NodeModel:
    """Measured performance of messages inside a node and through its network card.

    Attributes:
        sockets: number of sockets.
        one_way: seconds of a message, with the time of its MPI calls: first key "core" (between ranks of a socket),
            "socket" (between sockets) or "node" (between hosts), second key the size in bytes.
        memory: total bytes/s of simultaneous messages inside a host, by their number.
        card: total bytes/s of simultaneous messages from a host to another, by their number.
        rate: total messages/s from a host to another, by the number of ranks that send.
        waiting: factor by which polling ranks slow down a message, and the number of these ranks, by level as in
            `one_way`.
    """

    sockets: int
    one_way: Curves
    memory: dict[int, float]
    card: dict[int, float]
    rate: dict[int, float]
    waiting: dict[str, tuple[float, int]]

    def waiting_cost(self) -> float:
        """Return the value of the host property waiting_cost: the relative slow-down of a message by each polling rank.

        A slow-down within the measurement error counts as 0. The property applies to all levels, so that it has the
        least value of all levels.
        """
        costs = [(factor - 1) / ranks if factor > 1 + _NOTICED else 0.0 for factor, ranks in self.waiting.values()]
        return min(costs, default=0.0)

    def card_gap(self) -> float:
        """Return the seconds for which a message occupies the card, or 0 if the measured ranks did not saturate it."""
        most = max(self.rate, default=1)
        if most == 1 or self.rate[most] >= _SATURATED * most * self.rate[1]:
            return 0.0
        return 1 / max(self.rate.values())

    def falls(self) -> bool:
        """Return whether the card's total bandwidth falls when more messages share it."""
        best = 0.0
        for _, rate in sorted(self.card.items()):
            if rate < _FALLS * best:
                return True
            best = max(best, rate)
        return False


def node_model(table: Table) -> NodeModel:
    """Return the model with the median of each quantity's measurements.

    Raises:
        CalibrationError: if a value is not above zero or the sizes of a level are too few; the message starts with the
            table's path, and with the line if there is one.
    """
    found: dict[tuple[str, str, int, int], list[float]] = defaultdict(list)
    for index, row in enumerate(table.rows):
        if row["seconds"] <= 0 or row["amount"] <= 0:
            raise CalibrationError(f"{table.place(index)}: {row['figure']}: amount and seconds must be above zero")
        found[row["figure"], row["level"], row["bytes"], row["count"]].append(row["amount"] / row["seconds"])
    rates = {key: statistics.median(values) for key, values in sorted(found.items())}
    one_way: Curves = defaultdict(dict)
    several: dict[str, dict[int, float]] = {"memory": {}, "card": {}, "rate": {}}
    beside: dict[str, dict[int, float]] = defaultdict(dict)
    for (figure, level, size, count), rate in rates.items():
        if figure == "one way":
            one_way[level][size] = 1 / rate
        elif figure == "waiting":
            beside[level][count] = 1 / rate
        else:
            several[figure][count] = rate
    for level, curve in one_way.items():
        if len(curve) < 2:
            raise CalibrationError(f"{table.source}: level {level!r} has only one message size; two are needed")
    for figure, by_count in several.items():
        if by_count and min(by_count) != 1:
            raise CalibrationError(f"{table.source}: {figure!r} was not measured with one pair")
    waiting = {level: (times[max(times)] / times[0], max(times))
               for level, times in beside.items() if 0 in times and max(times) > 0}  # fmt: skip
    try:
        sockets = max(1, int(table.provenance.get("sockets", "1")))
    except ValueError:
        raise CalibrationError(f"{table.source}: sockets {table.provenance['sockets']!r} is not a number") from None
    ordered = {level: one_way[level] for level in LEVELS if level in one_way}
    return NodeModel(sockets, ordered, several["memory"], several["card"], several["rate"], waiting)


def properties_of(model: NodeModel, spent: Callable[[int], float]) -> dict[str, str]:
    """Return the properties of hosts (docs/platforms.md) by name.

    Args:
        model: measured performance of messages.
        spent: function that returns the seconds of a message's MPI calls (settings smpi/os and smpi/or) for its size in
            bytes. They are subtracted, because simulations add them.
    """
    found: dict[str, str] = {}
    for level, curve in model.one_way.items():
        rest = {size: max(_LEAST, seconds - spent(size)) for size, seconds in curve.items()}
        found[f"intra_{level}"] = "; ".join(steps_through(rest))
    if model.sockets > 1:
        found["sockets"] = str(model.sockets)
    if len(model.memory) > 1:
        found["memory_bandwidth"] = capacities(model.memory)
    if model.falls():
        found["card_bandwidth"] = capacities(model.card)
    if gap := model.card_gap():
        found["card_gap"] = f"{gap:.4g}s"
    if cost := model.waiting_cost():
        found["waiting_cost"] = f"{cost:.4g}"
    return found


def model_document(model: NodeModel, provenance: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of the model file as JSON values."""
    return {
        "format": FORMAT,
        "provenance": dict(provenance),
        "sockets": model.sockets,
        "one_way": {level: [[size, seconds] for size, seconds in sorted(curve.items())]
                    for level, curve in model.one_way.items()},
        "memory": sorted(model.memory.items()),
        "card": sorted(model.card.items()),
        "rate": sorted(model.rate.items()),
        "waiting": {level: list(value) for level, value in model.waiting.items()},
    }  # fmt: skip


def model_of(document: Mapping[str, Any]) -> NodeModel:
    """Return the model from the content of a model file, the reverse of `model_document`.

    Raises:
        KeyError, TypeError, ValueError: a value is missing or malformed.
    """
    memory, card, rate = (
        {int(count): above_zero(value) for count, value in document[name]} for name in ("memory", "card", "rate")
    )
    return NodeModel(
        sockets=int(document["sockets"]),
        one_way={level: {int(size): above_zero(seconds) for size, seconds in curve}
                 for level, curve in document["one_way"].items()},
        memory=memory,
        card=card,
        rate=rate,
        waiting={level: (above_zero(factor), int(ranks)) for level, (factor, ranks) in document["waiting"].items()},
    )  # fmt: skip
