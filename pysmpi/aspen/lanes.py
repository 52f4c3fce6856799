"""Communicators of a program: each part side by side has a lane, and groups of ranks are made within lanes.

Parts side by side need communicators of their own, because ranks may come to their collectives in different orders.
Steps one after the other share a lane: all ranks come to them in the same order. The parts of `{ A, B -> C }` have the
lanes (0,) and (1,), and those of the same statement in another kernel have them, too.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias, cast

from pysmpi.aspen.exchanges import group_shape
from pysmpi.aspen.flow import Demand, Flow
from pysmpi.aspen.messages import CARRIED
from pysmpi.aspen.tokens import error_at

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["Communicators", "Lane", "copies_of", "lane_of_part", "lanes_needed"]

Lane: TypeAlias = tuple[int, ...]
"""Numbers of the parts around a step, outermost first."""

_MOST_COPIES = 10_000  # parts of a map with messages


class Communicators:
    """Communicators of lanes and of groups in them, made when they are first asked for.

    Args:
        comm: communicator of all ranks.
    """

    def __init__(self, comm: "MPI.Intracomm") -> None:
        self._lanes: dict[Lane, MPI.Intracomm] = {(): comm}
        self._groups: dict[tuple[Lane, int, int], MPI.Intracomm] = {}

    def lane(self, lane: Lane) -> "MPI.Intracomm":
        """Return the communicator of a lane, which has all ranks."""
        if lane not in self._lanes:
            self._lanes[lane] = self._lanes[()].Dup()
        return self._lanes[lane]

    def of(self, demand: Demand, lane: Lane) -> "MPI.Intracomm":
        """Return the communicator of a need's messages: of the rank's group if it has the trait `within`.

        Raises:
            AspenError: the ranks do not form whole groups.
        """
        comm = self.lane(lane)
        shape = group_shape(demand, comm.size)
        if shape is None:
            return comm
        size, stride = shape
        if (lane, size, stride) not in self._groups:
            color = comm.rank // (size * stride) * stride + comm.rank % stride
            self._groups[lane, size, stride] = cast("MPI.Intracomm", comm.Split(color, comm.rank))
        return self._groups[lane, size, stride]


def lanes_needed(flow: Flow, lane: Lane = ()) -> Iterator[tuple[Lane, Demand]]:
    """Yield the messages of a control flow with their lanes, in the order of the text."""
    for demand in flow.demands:
        if demand.resource in CARRIED:
            yield lane, demand
    for copy in range(copies_of(flow)):
        for number, step in enumerate(flow.steps):
            if step.sends:
                yield from lanes_needed(step, lane_of_part(flow, copy, number, lane))


def lane_of_part(flow: Flow, copy: int, number: int, lane: Lane) -> Lane:
    """Return the lane of a part of a step that is in a lane: its own if it is side by side with others that send."""
    if not flow.is_parallel or (flow.kind == "par" and sum(step.sends for step in flow.steps) == 1):
        return lane
    return (*lane, copy * len(flow.steps) + number)


def copies_of(flow: Flow) -> int:
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
