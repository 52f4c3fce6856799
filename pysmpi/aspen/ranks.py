"""Control flow of an application on a rank: computation is injected, messages are sent.

A step is a generator. It yields the seconds that it computes, or lists of requests of which one list must be complete
before it goes on. Steps side by side can thus have messages under way at once, while one of them computes.

Messages to neighbours beside which nothing is computed are schedules, which the engine executes by itself, a loop
at once.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from pysmpi.aspen.exchanges import Exchange
from pysmpi.aspen.flow import Flow
from pysmpi.aspen.lanes import Communicators, Lane, copies_of, lane_of_part, lanes_needed
from pysmpi.aspen.messages import CARRIED
from pysmpi.collectives.schedule import Schedule

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["RankProgram"]

_MOST_SCHEDULED = 1_000_000  # schedules in a list
_MOST_AT_ONCE = 1000  # of them that the engine gets at once

Yielded: TypeAlias = "float | list[list[MPI.Request]]"
Path: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class _Scheduled:
    """Schedules of a step in the order in which they run, and the kernel to which their time belongs, or empty."""

    rounds: list[Schedule]
    kernel: str


@dataclass
class RankProgram:
    """Program of a rank.

    Attributes:
        mpi: module ``mpi4py.MPI``.
        comm: communicator of all ranks.
        seconds: function that returns the predicted seconds of a step without messages.
        compute: function that computes for a number of seconds.
        now: function that returns the time in seconds.
        seed: seed of random patterns.
        simulated: seconds by kernel, filled while the program runs.
    """

    mpi: Any
    comm: "MPI.Intracomm"
    seconds: Callable[[Flow], float]
    compute: Callable[[float], None]
    now: Callable[[], float]
    seed: int = 1
    simulated: dict[str, float] = field(default_factory=dict)
    _exchanges: dict[Path, list[Exchange]] = field(default_factory=dict)
    _communicators: Communicators = field(init=False)
    _drawn: dict[str, random.Random] = field(default_factory=dict)
    _computed: float = 0.0  # seconds of the last computation

    def run(self, flow: Flow) -> None:
        """Execute a control flow.

        Raises:
            AspenError: messages have no pattern, or ranks do not form whole groups.
        """
        self._communicators = Communicators(self.comm)
        for lane, demand in lanes_needed(flow):  # before any message is under way
            self._communicators.of(demand, lane)
        self._prepare(flow, (), ())
        for each in self._step(flow, (), (), alone=True):
            if isinstance(each, list):
                self._wait_for_one(each)
            else:
                begin = self.now()
                self.compute(each)
                self._computed = self.now() - begin

    def thin_grids(self) -> list[str]:
        """Return descriptions of grids of ranks that are far longer than wide."""
        found = [each.thin_grid for exchanges in self._exchanges.values() for each in exchanges if each.thin_grid]
        return list(dict.fromkeys(found))

    def _prepare(self, flow: Flow, path: Path, lane: Lane) -> None:
        """Make the exchanges of all blocks, with their buffers."""
        carried = [each for each in flow.demands if each.resource in CARRIED]
        if carried:
            self._exchanges[path] = [
                Exchange(self.mpi, each, flow, self.comm.size, self._communicators.of(each, lane), self.seed)
                for each in carried
            ]
        for copy in range(copies_of(flow)):
            for number, step in enumerate(flow.steps):
                if step.sends:
                    self._prepare(step, (*path, copy, number), lane_of_part(flow, copy, number, lane))

    def _step(self, flow: Flow, path: Path, lane: Lane, *, alone: bool = False) -> "Iterator[Yielded]":
        """Execute a step.

        Args:
            flow: the step.
            path: place of the step in the control flow.
            lane: lane of the step.
            alone: whether no other step is under way.
        """
        if not flow.acts:
            yield from self._computation(flow)
            return
        begin = self.now()
        scheduled = self._scheduled(flow, path) if alone else None
        if scheduled is not None:
            for first in range(0, len(scheduled.rounds), _MOST_AT_ONCE):
                Schedule.run_in_turn(scheduled.rounds[first : first + _MOST_AT_ONCE])
            if scheduled.kernel:
                self._note(scheduled.kernel, self.now() - begin)
            return
        if flow.demands:
            yield from self._block(flow, path)
        elif flow.is_parallel:
            yield from self._side_by_side(flow, path, lane)
        elif flow.kind == "choice":
            number = self._drawn_case(flow, lane)
            if number is not None:
                yield from self._step(flow.steps[number], (*path, 0, number), lane, alone=alone)
        else:
            for _ in range(_rounds(flow)):
                for number, step in enumerate(flow.steps):
                    yield from self._step(step, (*path, 0, number), lane, alone=alone)
        if flow.kind == "kernel":
            self._note(flow.name, self.now() - begin)

    def _drawn_case(self, flow: Flow, lane: Lane) -> int | None:
        """Return the number of the alternative to take, the same on all ranks, or None to take none.

        Each statement has random numbers of its own in each lane, because ranks may reach parallel parts in different
        orders.
        """
        key = f"{self.seed} {flow.place.line} {lane}"
        if key not in self._drawn:
            self._drawn[key] = random.Random(key)
        rest = self._drawn[key].random()
        for number, case in enumerate(flow.steps):
            rest -= float(case.count)
            if rest < 0:
                return number
        return None

    def _scheduled(self, flow: Flow, path: Path) -> "_Scheduled | None":
        """Return the schedules of a step, or None if it has other things than messages to neighbours, or messages of
        several kernels, whose times are noted one by one."""
        if flow.demands:
            schedule = self._exchanges[path][0].schedule if path in self._exchanges else None
            if len(flow.demands) != 1 or schedule is None:
                return None
            return _Scheduled([schedule], flow.name if flow.kind == "kernel" else "")
        if flow.is_parallel or flow.kind == "choice":
            return None
        steps = [self._scheduled(step, (*path, 0, number)) for number, step in enumerate(flow.steps)]
        inner = [each for each in steps if each is not None]
        kernels = {each.kernel for each in inner}
        if len(inner) < len(steps) or len(kernels) != 1 or (flow.kind == "kernel" and kernels != {""}):
            return None
        body = [schedule for each in inner for schedule in each.rounds]
        if len(body) * _rounds(flow) > _MOST_SCHEDULED:
            return None
        return _Scheduled(body * _rounds(flow), flow.name if flow.kind == "kernel" else inner[0].kernel)

    def _computation(self, flow: Flow) -> "Iterator[Yielded]":
        yield float(self.seconds(flow))
        self._note_computation(flow, self._computed)

    def _block(self, flow: Flow, path: Path) -> "Iterator[Yielded]":
        requests = [request for exchange in self._exchanges[path] for request in exchange.start()]
        rest = [each for each in flow.demands if each.resource not in CARRIED]
        if rest:
            yield float(self.seconds(Flow("block", "", flow.place, parallelism=flow.parallelism, demands=rest)))
        yield [requests]

    def _side_by_side(self, flow: Flow, path: Path, lane: Lane) -> "Iterator[Yielded]":
        """Execute parts side by side: messages of all at once, computation of one after the other.

        Of several parts that can compute, the first one does, so that all ranks choose alike.
        """
        parts = [
            self._step(step, (*path, copy, number), lane_of_part(flow, copy, number, lane))
            for copy in range(copies_of(flow))
            for number, step in enumerate(flow.steps)
        ]
        ready = list(range(len(parts)))
        computing: dict[int, float] = {}
        waiting: dict[int, list[list[MPI.Request]]] = {}
        has_computed = False  # since the requests were looked at
        while ready or computing or waiting:
            for number in sorted(ready):
                each = next(parts[number], None)
                if isinstance(each, list):
                    waiting[number] = each
                elif each is not None:
                    computing[number] = each
            ready = []
            if computing and has_computed and waiting:  # not after each computation: a test takes simulated time
                for requests in (each for lists in waiting.values() for each in lists):
                    self.mpi.Request.Testall(requests)
                has_computed = False
            elif computing:
                first = min(computing)
                yield computing.pop(first)
                ready.append(first)
                has_computed = True
            elif waiting:
                yield [requests for lists in waiting.values() for requests in lists]
                has_computed = False
            complete = [number for number, lists in waiting.items() if any(map(self._is_complete, lists))]
            for number in complete:
                del waiting[number]
            ready += complete

    def _wait_for_one(self, lists: "list[list[MPI.Request]]") -> None:
        """Wait until all requests of one list are complete."""
        if len(lists) == 1:
            self.mpi.Request.Waitall(lists[0])
            lists[0][:] = []
            return
        while not any(map(self._is_complete, lists)):
            pending = [each for requests in lists for each in requests if each != self.mpi.REQUEST_NULL]
            self.mpi.Request.Waitany(pending)

    def _is_complete(self, requests: "list[MPI.Request]") -> bool:
        return all(each == self.mpi.REQUEST_NULL for each in requests)

    def _note(self, name: str, seconds: float) -> None:
        self.simulated[name] = self.simulated.get(name, 0.0) + seconds

    def _note_computation(self, flow: Flow, seconds: float) -> None:
        """Note the seconds of each kernel in a step without messages."""
        if flow.kind == "kernel":
            self._note(flow.name, seconds)
        elif flow.steps:
            inner = [float(self.seconds(step)) * float(step.count) for step in flow.steps]
            for step, each in zip(flow.steps, inner, strict=True):
                self._note_computation(step, each * seconds / (sum(inner) or 1.0))


def _rounds(flow: Flow) -> int:
    return round(float(flow.count)) if flow.kind == "iterate" else 1
