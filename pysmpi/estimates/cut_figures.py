"""Figures of a cut: words, messages, neighbours and bytes for each flop, as tables and JSON show them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pysmpi.estimates.block_cuts import Cut
from pysmpi.estimates.record import Array
from pysmpi.estimates.value_flow import Flow
from pysmpi.estimates.word_count import Traffic

__all__ = ["BYTES_PER_WORD", "TREE", "CutFigures", "figures_of", "flops_of"]

BYTES_PER_WORD = 8
TREE = 3
"""Least number of nodes that read a value, or hold parts of a sum, for which it can travel along a tree of messages."""


@dataclass
class CutFigures:
    """Figures of one cut at one size. A word has 8 bytes.

    Attributes:
        by: kind of the cut; see `pysmpi.estimates.block_cuts.Cut`.
        blocks: number of blocks along each axis, by name of the array, for arrays that are divided into blocks.
        step: words that all nodes together send in a steady step (a repeated part of the run, such as a time step), or
            None if no period was found.
        once: words that are sent outside the steady steps, such as before the first one, or None if no period was
            found.
        run: words of the whole run.
        values: words of the values and sums that are sent in a step (or in the run), each counted once.
        run_values: words of the values and sums that are sent in the whole run, each counted once.
        recomputed: values that readers compute themselves in a steady step instead of receiving them; of the run if
            no period was found.
        messages: messages that the busiest node sends in a step (or in the run).
        neighbours: nodes that the busiest node sends to.
        largest_share: lower bound of the words that the busiest node sends or receives in a step (or in the run). A
            value that three or more nodes read counts once for its sender, and a sum of three or more parts once for
            its receiver, because they can travel along trees of messages.
        bytes_per_flop: bytes that all nodes send, over the floating-point operations of the step (or of the run).
        imbalance: time of the busiest nodes over that with evenly divided work; see
            `pysmpi.estimates.block_cuts.Cut`.
        serial: statement as ``file:line`` that one node computes alone, if it causes more than half of the time that
            nodes lose by imbalance; else None.
        efficiency: estimates of the efficiency by name; see `pysmpi.estimates.efficiency`.
    """

    by: str
    blocks: dict[str, list[int]]
    step: float | None
    once: float | None
    run: float
    values: float
    run_values: float
    recomputed: float
    messages: float
    neighbours: float
    largest_share: float
    bytes_per_flop: float
    imbalance: float
    serial: str | None
    efficiency: dict[str, Any]

    @property
    def words(self) -> float:
        """Words of 8 bytes that all nodes send in a steady step, or in the run if no repeated steps were found."""
        return self.run if self.step is None else self.step

    def to_json(self) -> dict[str, Any]:
        """Return the figures as objects for JSON, in the form that `pysmpi estimate --json` prints."""
        return {
            "by": self.by,
            "blocks": self.blocks,
            "words": {"step": _whole(self.step), "once": _whole(self.once), "run": _whole(self.run)},
            "recomputed": {"step": _whole(self.recomputed)},
            "messages": _whole(self.messages),
            "neighbours": _whole(self.neighbours),
            "bytes_per_flop": self.bytes_per_flop,
            "imbalance": self.imbalance,
            "efficiency": self.efficiency,
        }


def _whole(number: float | None) -> float | int | None:
    return None if number is None else round(number)


def flops_of(flow: Flow) -> float:
    """Return the flops of the last step of the program's periodic part, or of the whole run if no period was found."""
    return float(flow.step_work()[2].sum(dtype=np.float64))


def _copies(traffic: Traffic) -> Array:
    """Return for each entry of a cut's traffic how many entries have the same value, or parts of the same sum.

    An entry is a value, or a part of a sum, that is sent to one node.
    """
    _, number, count = np.unique(2 * traffic.value + traffic.partial, return_inverse=True, return_counts=True)
    found: Array = count[number.reshape(-1)]
    return found


def _largest_share(traffic: Traffic, copies: Array) -> float:
    copies = np.where(copies >= TREE, copies, 1)
    sent = np.bincount(traffic.sender, traffic.words / np.where(traffic.partial, 1, copies), minlength=traffic.nodes)
    got = np.bincount(traffic.receiver, traffic.words / np.where(traffic.partial, copies, 1), minlength=traffic.nodes)
    return float(np.maximum(sent, got).max())


def figures_of(flow: Flow, cut: Cut) -> CutFigures:
    """Return the words, messages and other figures of a cut, for the data-flow graph that it divides."""
    steady = cut.traffic.in_step(flow)
    step = once = None
    if flow.steps is not None:
        step = steady.total
        once = max(cut.traffic.total - flow.steps.count * step, 0)
    sender, _, _ = steady.pairs()
    # For each statement, a node sends one message to each node that reads its values.
    keys = np.unique(np.stack([steady.at, steady.sender, steady.receiver]), axis=1)
    flops = flops_of(flow)
    copies = _copies(steady)
    return CutFigures(
        by=cut.by,
        blocks=cut.blocks,
        step=step,
        once=once,
        run=cut.traffic.total,
        values=float((steady.words / copies).sum()),
        run_values=float((cut.traffic.words / _copies(cut.traffic)).sum()),
        recomputed=int(flow.step_times[steady.again_at].sum()),
        messages=int(np.bincount(keys[1], flow.step_times[keys[0]], minlength=1).max()) if keys.size else 0,
        neighbours=int(np.bincount(sender, minlength=1).max()) if len(sender) else 0,
        largest_share=_largest_share(steady, copies),
        bytes_per_flop=BYTES_PER_WORD * steady.total / flops if flops else 0.0,
        imbalance=cut.imbalance,
        serial=cut.serial,
        efficiency={"simulated": None, "formula": None, "link": None, "depth": None},
    )
