"""Reasons why more nodes do not help. They are compared by the time that each costs, relative to the computation."""

from dataclasses import dataclass

from pysmpi.estimates.cut_figures import BYTES_PER_WORD
from pysmpi.estimates.estimate_machine import Machine
from pysmpi.estimates.rows import Row

__all__ = ["Reason", "efficiency_of", "reason_of"]


@dataclass(frozen=True)
class Reason:
    """Reason of a low efficiency.

    Attributes:
        why: "parallelism" (the program has too few independent computations), "imbalance" (some nodes compute more than
            others), "serial" (one node computes alone), "latency" (of messages), "volume" (bytes of the busiest node's
            messages) or "contention" (messages share links).
        place: statement that causes it, as ``file:line``, or None.
    """

    why: str
    place: str | None = None


def efficiency_of(row: Row) -> float | None:
    """Return the efficiency of one row of an estimate, from 0 to 1.

    It is the simulated one without overlap. If nothing was simulated, it is the least of the formula, the depth limit
    and the limit by imbalance, or None if neither the formula nor the depth limit is known.
    """
    found = row.best.efficiency
    if found["simulated"] is not None:
        return float(found["simulated"][0])
    known = [found[name] for name in ("formula", "depth") if found[name] is not None]
    return min(*known, 1.0 / row.best.imbalance) if known else None


def reason_of(row: Row, machine: Machine | None) -> Reason:
    """Return the main reason of the low efficiency of one row of an estimate: the one that costs the most time.

    Args:
        row: the row; its depth limit is known.
        machine: simulated machine, or None.
    """
    efficiency, chosen = row.best.efficiency, row.candidates[row.chosen]
    lost: dict[str, float] = {
        "parallelism": 1.0 / efficiency["depth"] - 1.0,
        "imbalance": row.best.imbalance - 1.0,
    }
    if machine is not None and chosen.seconds is not None and row.speed is not None:
        computing = row.flops / row.nodes / row.speed
        latency = min(machine.latency(chosen.phases, row.nodes), chosen.seconds)
        volume = BYTES_PER_WORD * row.best.largest_share / machine.link_bandwidth()
        volume = min(volume, chosen.seconds - latency)
        lost["latency"] = latency / computing
        lost["volume"] = volume / computing
        lost["contention"] = (chosen.seconds - latency - volume) / computing
        if efficiency["simulated"] is not None:  # nodes wait for results of others in the rest of the time
            rest = 1.0 / efficiency["simulated"][0] - row.best.imbalance - chosen.seconds / computing
            lost["parallelism"] = max(lost["parallelism"], rest)
    elif efficiency["formula"] is not None:
        lost["volume"] = 1.0 / efficiency["formula"] - 1.0
    why = max(lost, key=lambda each: lost[each])
    if why == "imbalance":
        return Reason(why) if row.best.serial is None else Reason("serial", row.best.serial)
    place = row.statements[0].place if why in {"latency", "volume", "contention"} and row.statements else None
    return Reason(why, place)
