"""Communicators that a program needs: of lanes of parts side by side, and of groups of ranks in them.

Parts side by side need communicators of their own, because ranks may come to their collectives in different orders.
Steps one after the other share a lane: all ranks come to them in the same order. The parts of `{ A, B -> C }` have the
lanes (0,) and (1,), and those of the same statement in another kernel have them, too.
"""

from collections.abc import Iterator

from pysmpi.aspen.aspen_dialect import error_at
from pysmpi.aspen.flow import Demand, Flow
from pysmpi.aspen.messages import CARRIED
from pysmpi.aspen.runtime import Lane

__all__ = ["lanes_needed"]

_MOST_COPIES = 10_000  # parts of a map with messages


def lanes_needed(flow: Flow, lane: Lane = ()) -> Iterator[tuple[Lane, Demand]]:
    """Yield the messages of a control flow with their lanes, in the order of the text."""
    for demand in flow.demands:
        if demand.resource in CARRIED:
            yield lane, demand
    for copy in range(_copies_of(flow)):
        for number, step in enumerate(flow.steps):
            if step.sends:
                yield from lanes_needed(step, _lane_of_part(flow, copy, number, lane))


def _lane_of_part(flow: Flow, copy: int, number: int, lane: Lane) -> Lane:
    """Return the lane of a part of a step that is in a lane: its own if it is side by side with others that send."""
    if not flow.is_parallel or (flow.kind == "par" and sum(step.sends for step in flow.steps) == 1):
        return lane
    return (*lane, copy * len(flow.steps) + number)


def _copies_of(flow: Flow) -> int:
    """Return how often the steps of a flow that sends messages are done side by side.

    Raises:
        AspenError: a map has too many parts.
    """
    copies = round(float(flow.count)) if flow.kind == "map" and flow.sends else 1
    if copies > _MOST_COPIES:
        raise error_at(
            flow.place, f"a map of {copies:,} parts with messages; at most {_MOST_COPIES:,} can be simulated"
        )
    return copies
