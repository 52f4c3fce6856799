"""Run-time library of the programs that are generated from applications: computation and messages of one rank.

Each of several parallel parts of an application is a generator. It yields seconds to compute, messages to exchange, or
several lists of requests, of which one list must be complete before the part goes on. So parallel parts can have
messages under way at the same time, while one of them computes.
"""

import functools
import inspect
import random
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from pysmpi.aspen.aspen_dialect import Place
from pysmpi.aspen.distributions import drawn_value
from pysmpi.aspen.exchanges import Exchange
from pysmpi.simulation.collectives.schedule import Schedule
from pysmpi.simulation.compute import execute_flops, host, is_simulated, untimed_program

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["Lane", "Rank", "Time"]

_MOST_DEFERRED = 1000  # largest number of deferred exchanges of messages that the engine executes together

Lane: TypeAlias = tuple[int, ...]
"""Position of a step among parallel parts: the numbers of the parts around it, outermost first.

Each lane has its own communicator, because ranks may reach the collectives of parallel parts in different orders."""

Part: TypeAlias = "Generator[float | Exchange | list[list[MPI.Request]], None, None]"
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Time(float):
    """Seconds of computation.

    Attributes:
        busy: for each resource, such as "flops", the seconds if all components that serve it shared the work evenly.
        kernels: seconds that each kernel contributes, by its name.
    """

    __slots__ = ("busy", "kernels")
    busy: Mapping[str, float]
    kernels: Mapping[str, float]

    def __new__(
        cls, seconds: float, busy: Mapping[str, float] | None = None, kernels: Mapping[str, float] | None = None
    ) -> "Time":
        """Return a number of seconds with its attributes; an attribute that is None becomes an empty dict."""
        self = super().__new__(cls, seconds)
        self.busy, self.kernels = busy or {}, kernels or {}
        return self

    def __add__(self, other: float) -> "Time":
        """Return the time of two steps, one after the other."""
        seconds = float(self) + float(other)
        if not isinstance(other, Time):
            return Time(seconds, self.busy, self.kernels)
        return Time(seconds, _added(self.busy, other.busy), _added(self.kernels, other.kernels))

    __radd__ = __add__

    def __mul__(self, count: float) -> "Time":
        """Return the time of a step that is repeated."""
        return Time(float(self) * float(count), _scaled(self.busy, count), _scaled(self.kernels, count))

    __rmul__ = __mul__


class Rank:
    """Rank that executes a generated program.

    Args:
        seed: seed of random messages, samples and alternatives.
        conflicts: groups of resources that cannot be used at the same time: name of the group for each resource in one.
            A resource that is not in the dict is a group of its own.

    Attributes:
        comm: communicator of all ranks.
        kernels: seconds by kernel, recorded on rank 0 only.
    """

    def __init__(self, seed: int = 1, conflicts: Mapping[str, str] | None = None) -> None:
        untimed_program()  # only the seconds of `compute` count as computation
        from mpi4py import MPI

        self._mpi, self._seed, self._conflicts = MPI, seed, conflicts or {}
        self.comm: MPI.Intracomm = MPI.COMM_WORLD
        self.kernels: dict[str, float] = {}
        self._is_observed = self.comm.rank == 0
        self._speed = host().speed if is_simulated() else None
        self._communicators: dict[tuple[Lane, tuple[int, ...]], MPI.Intracomm] = {((), ()): self.comm}
        self._exchanges: dict[tuple[Any, ...], Exchange] = {}
        self._random: dict[str, random.Random] = {}
        self._deferring = 0  # number of ``with`` blocks of `deferred` around the present step
        self._deferred: list[Schedule] = []

    # Computation

    def compute(self, seconds: float) -> None:
        """Compute for a number of seconds on the simulated host; in a real run, do nothing."""
        begin = self._now() if self._is_observed else 0.0
        if self._speed is not None and seconds > 0:
            self._run_deferred()
            execute_flops(seconds * self._speed)
        if self._is_observed and isinstance(seconds, Time):
            slowness = (self._now() - begin) / (float(seconds) or 1.0)
            for name, part in seconds.kernels.items():
                self._note(name, part * slowness)

    def overlapped(self, parts: Sequence[float], copies: float = 1.0) -> Time:
        """Return the time of parallel parts: that of the longest part, or of the busiest resources if that is longer.

        Args:
            parts: times of the parts.
            copies: number of parallel copies of all parts.
        """
        total = Time(0.0)
        for part in parts:
            total += part * copies
        together: dict[str, float] = {}
        for name, seconds in total.busy.items():
            group = self._conflicts.get(name, name)
            together[group] = together[group] + seconds if group in together else seconds
        longest = [float(part) * min(copies, 1.0) for part in parts]
        seconds = max([*longest, *together.values()], default=0.0)
        return Time(seconds, total.busy, _scaled(total.kernels, seconds / (float(total) or 1.0)))

    # Messages

    def communicator(self, lane: Lane = (), within: Sequence[float] = ()) -> "MPI.Intracomm":
        """Return the communicator for messages in a parallel part, of all ranks or of this rank's group.

        Args:
            lane: numbers of the parallel parts around the messages; see `Lane`.
            within: size of the groups, and stride of the ranks of a group (default 1); empty for all ranks.
        """
        shape = tuple(round(each) for each in (*within, 1)[:2]) if within else ()
        key = (lane, shape)
        if key not in self._communicators:
            if shape:
                size, stride = shape
                comm = self.communicator(lane)
                color = comm.rank // (size * stride) * stride + comm.rank % stride
                self._communicators[key] = cast("MPI.Intracomm", comm.Split(color, comm.rank))
            else:
                self._communicators[key] = self.comm.Dup()
        return self._communicators[key]

    def share(self, amount: float, elements: float) -> float:
        """Return the bytes that each rank sends if `elements` elements, spread evenly, send `amount` bytes each."""
        return amount if elements == self.comm.size else amount * elements / self.comm.size

    def messages(
        self,
        kind: str,
        size: float,
        *modifiers: str,
        side: float | None = None,
        lane: Lane = (),
        within: Sequence[float] = (),
    ) -> Exchange:
        """Return messages that a rank can start or exchange; the same arguments give the same object.

        The arguments `lane` and `within` are those of `communicator`, all others those of `Exchange`.
        """
        key = (kind, size, modifiers, side, lane, within)
        found = self._exchanges.get(key)
        if found is None:
            comm = self.communicator(lane, within)
            found = self._exchanges[key] = Exchange(comm, kind, size, modifiers, side=side, seed=self._seed)
        return found

    def start(self, *messages: Exchange) -> "list[MPI.Request]":
        """Start messages and return their requests."""
        self._run_deferred()
        return [request for each in messages for request in each.start()]

    def wait(self, requests: "list[MPI.Request]") -> None:
        """Wait until all requests in a list are complete, and empty the list."""
        self._mpi.Request.Waitall(requests)
        requests[:] = []

    def exchange(self, *messages: Exchange) -> None:
        """Start messages and wait until all are complete."""
        schedule = messages[0].schedule if len(messages) == 1 else None
        if schedule is None:
            self.wait(self.start(*messages))
        elif self._deferring:
            self._deferred.append(schedule)
            if len(self._deferred) == _MOST_DEFERRED:
                self._run_deferred()
        else:
            schedule.run()

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Collect the point-to-point messages of `exchange`, so that the engine executes many together without Python.

        They are executed in order at the end of the ``with`` block. If the rank computes, starts other messages or
        reads the time before, they are executed first.
        """
        self._deferring += 1
        try:
            yield
        finally:
            self._deferring -= 1
        if not self._deferring:
            self._run_deferred()

    def _run_deferred(self) -> None:
        if self._deferred:
            schedules, self._deferred = self._deferred, []
            Schedule.run_in_turn(schedules)

    # Parallel parts

    def run(self, steps: Part) -> None:
        """Execute the steps that the outermost generator of a program yields; see `side_by_side` for the inner ones."""
        for each in steps:
            if isinstance(each, Exchange):
                self.exchange(each)
            elif isinstance(each, list):
                self._wait_for_one(each)
            else:
                self.compute(each)

    def side_by_side(self, *parts: Part) -> Part:
        """Execute parallel parts: messages at the same time, computations one after the other.

        If several parts can compute, the first one does, so that all ranks make the same choice.

        Args:
            parts: generators of the parts.

        Yields:
            The seconds that a part computes next, or, if all parts wait, their lists of requests.
        """
        ready = list(range(len(parts)))
        computing: dict[int, float] = {}
        waiting: dict[int, list[list[MPI.Request]]] = {}
        has_computed = False  # whether a part has computed since the requests were last tested
        while ready or computing or waiting:
            for number in sorted(ready):
                each = next(parts[number], None)
                if isinstance(each, Exchange):
                    waiting[number] = [self.start(each)]
                elif isinstance(each, list):
                    waiting[number] = each
                elif each is not None:
                    computing[number] = each
            ready = []
            if computing and has_computed and waiting:  # not after each computation: a test takes simulated time
                for requests in (each for lists in waiting.values() for each in lists):
                    self._mpi.Request.Testall(requests)
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
        """Wait until all requests are complete in at least one of several lists."""
        if len(lists) == 1:
            self.wait(lists[0])
            return
        while not any(map(self._is_complete, lists)):
            pending = [each for requests in lists for each in requests if each != self._mpi.REQUEST_NULL]
            self._mpi.Request.Waitany(pending)

    def _is_complete(self, requests: "list[MPI.Request]") -> bool:
        return all(each == self._mpi.REQUEST_NULL for each in requests)

    # Random numbers

    def choose(self, line: int, chances: Sequence[float], lane: Lane = ()) -> int:
        """Draw one of several alternatives, the same on all ranks, and return its number.

        The number ``len(chances)`` stands for the remaining probability. Each statement has its own random numbers in
        each lane, because ranks may reach parallel parts in different orders.

        Args:
            line: line of the ``probability`` statement in the application's file.
            chances: probabilities of the alternatives.
            lane: numbers of the parallel parts around the statement; see `Lane`.
        """
        key = f"{self._seed} {line} {lane}"
        if key not in self._random:
            self._random[key] = random.Random(key)
        rest = self._random[key].random()
        for number, chance in enumerate(chances):
            rest -= chance
            if rest < 0:
                return number
        return len(chances)

    def sample(self, line: int, distribution: str, *arguments: float) -> float:
        """Return the random number of a ``sample`` statement, the same on all ranks and at each execution.

        Args:
            line: line of the statement in the application's file.
            distribution: name of the distribution, such as "uniform".
            arguments: arguments of the distribution.
        """
        return drawn_value(self._seed, distribution, arguments, Place("sample", line))

    # Kernels

    def kernel(self, name: str) -> Callable[[_Function], _Function]:
        """Return a decorator for a function that executes a kernel; on rank 0, it adds the seconds to `kernels`."""

        def decorated(function: _Function) -> _Function:
            def call(*arguments: Any) -> None:
                begin = self._now()
                function(*arguments)
                self._note(name, self._now() - begin)

            def generate(*arguments: Any) -> Part:
                begin = self._now()
                yield from function(*arguments)
                self._note(name, self._now() - begin)

            if not self._is_observed:
                return function
            found = generate if inspect.isgeneratorfunction(function) else call
            return cast(_Function, functools.wraps(function)(found))

        return decorated

    def cost(self, name: str) -> Callable[[_Function], _Function]:
        """Return a decorator for a function that returns the seconds of a kernel without messages or random choices.

        On rank 0, the seconds are marked with the kernel's name, so that `compute` adds them to `kernels`.
        """

        def decorated(function: _Function) -> _Function:
            def named(*arguments: Any) -> Time:
                seconds = function(*arguments)
                busy = seconds.busy if isinstance(seconds, Time) else None
                return Time(seconds, busy, {name: float(seconds)})

            found: Any = functools.wraps(function)(named) if self._is_observed else function
            has_arguments = bool(function.__code__.co_argcount)
            return cast(_Function, found if has_arguments else functools.cache(found))

        return decorated

    def thin_grids(self) -> list[str]:
        """Return descriptions of grids of ranks that are far longer than wide."""
        return list(dict.fromkeys(each.thin_grid for each in self._exchanges.values() if each.thin_grid))

    def _now(self) -> float:
        """Execute deferred messages, then return the time in seconds; reading it takes no simulated time."""
        self._run_deferred()
        if not is_simulated():
            return self._mpi.Wtime()
        from pysmpi.native import lib

        return float(lib.pysmpi_own_time())

    def _note(self, name: str, seconds: float) -> None:
        self.kernels[name] = self.kernels.get(name, 0.0) + seconds


def _added(first: Mapping[str, float], second: Mapping[str, float]) -> Mapping[str, float]:
    if not first or not second:
        return first or second
    found = dict(first)
    for name, seconds in second.items():
        found[name] = found.get(name, 0.0) + seconds
    return found


def _scaled(parts: Mapping[str, float], count: float) -> Mapping[str, float]:
    return {name: seconds * count for name, seconds in parts.items()} if parts else parts
