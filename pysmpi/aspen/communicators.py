"""Communicators that a program needs: one for each lane, and one for each group of ranks in a lane.

A lane is the tuple of the numbers of the parallel parts around a step. Parallel parts need different communicators,
because ranks may reach their collectives in different orders. Steps one after the other share a lane, because all ranks
reach them in the same order. Example: the parts of ``{ A, B -> C }`` have the lanes (0,) and (1,). Steps of different
kernels that have equal lanes share a communicator.
"""

from collections.abc import Iterator

from pysmpi.aspen.aspen_dialect import error_at
from pysmpi.aspen.flow import Demand, Flow
from pysmpi.aspen.messages import CARRIED
from pysmpi.aspen.runtime import Lane

__all__ = ["lanes_needed"]

_MOST_COPIES = 10_000  # largest number of parallel copies of the steps in a map, if they send messages


def lanes_needed(flow: Flow, lane: Lane = ()) -> Iterator[tuple[Lane, Demand]]:
    """Yield (lane, demand) for each statement with messages in a step and in the steps inside it, in source order.

    The demand is the amount of messages. The lane is the tuple of the numbers of the parallel parts around the
    statement; each lane needs its own communicator.

    Args:
        flow: the step, such as a whole control flow.
        lane: lane of the step.
    """
    for demand in flow.demands:
        if demand.resource in CARRIED:
            yield lane, demand
    for copy in range(_copies_of(flow)):
        for number, step in enumerate(flow.steps):
            if step.sends:
                yield from lanes_needed(step, _lane_of_part(flow, copy, number, lane))


def _lane_of_part(flow: Flow, copy: int, number: int, lane: Lane) -> Lane:
    """Return the lane of one of the steps directly inside a step.

    A lane is the tuple of the numbers of the parallel parts around a step. A copy of a map has a lane of its own, and
    so does a step that is parallel with other steps that send messages. All others have the lane of the outer step.

    Args:
        flow: the outer step.
        copy: number of the copy, if the outer step is a map, else 0.
        number: number of the inner step.
        lane: lane of the outer step.
    """
    if not flow.is_parallel or (flow.kind == "par" and sum(step.sends for step in flow.steps) == 1):
        return lane
    return (*lane, copy * len(flow.steps) + number)


def _copies_of(flow: Flow) -> int:
    """Return the number of parallel copies of a step: the count of a map that sends messages, else 1.

    Raises:
        AspenError: a map has too many copies.
    """
    copies = round(float(flow.count)) if flow.kind == "map" and flow.sends else 1
    if copies > _MOST_COPIES:
        raise error_at(
            flow.place, f"a map of {copies:,} parts with messages; at most {_MOST_COPIES:,} can be simulated"
        )
    return copies
