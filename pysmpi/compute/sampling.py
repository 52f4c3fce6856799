"""Sampling: code that is run and timed a few times, and then takes the mean of that without being run.

The rules are SMPI's (SMPI_SAMPLE_LOCAL and SMPI_SAMPLE_GLOBAL; SimGrid 3.32, src/smpi/internals/smpi_bench.cpp): a loop
takes the mean of all measurements so far times its number of iterations, the measured ones included, and later passes
through the same place begin with the measurements of the earlier ones.
"""

import functools
import math
import operator
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, ParamSpec, Self, TypeVar, get_args

from pysmpi.compute.execution import is_simulated
from pysmpi.errors import SimulationError, unknown
from pysmpi.native import lib

__all__ = ["Sample", "forget_samples", "sample"]

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")
Scope = Literal["local", "global"]


@dataclass(slots=True)
class _Measurements:
    """What has been measured at one place: by one rank, or by all."""

    count: int = 0
    mean: float = 0.0  # s
    squares: float = 0.0  # sum of squared deviations from the mean, s²
    result: Any = None  # of the last one, where a function is sampled

    def add(self, seconds: float) -> None:
        """One more (Welford's update)."""
        self.count += 1
        before = seconds - self.mean
        self.mean += before / self.count
        self.squares += before * (seconds - self.mean)

    def relative_error(self) -> float:
        """The standard error of the mean over the mean, with the population's deviation as in SMPI."""
        return math.sqrt(self.squares) / self.count / self.mean if self.mean > 0 else 0.0


@dataclass(frozen=True, slots=True)
class _Rules:
    """When measurements suffice, and whose they are."""

    count: int
    threshold: float | None
    scope: Scope

    def need_more(self, data: _Measurements) -> bool:
        """They do not suffice."""
        if data.count == 0:
            return True
        if data.count >= self.count:
            return False
        return self.threshold is None or data.count < 2 or data.relative_error() >= self.threshold


@dataclass
class _Registry:
    """Of one simulation: measurements by place and rank, the rules by place, and which threads are in a sample."""

    data: dict[tuple[Any, ...], _Measurements] = field(default_factory=dict)
    rules: dict[tuple[Any, ...], _Rules] = field(default_factory=dict)
    sampling: set[int] = field(default_factory=set)


_registry = _Registry()


def forget_samples() -> None:
    """Another simulation begins."""
    global _registry
    _registry = _Registry()


class Sample:
    """What `sample` returns: a loop, a block or a decorator."""

    def __init__(self, place: tuple[Any, ...], where: str, rules: _Rules, iterations: Collection[Any] | None) -> None:
        self._place = place
        self._where = where
        self._rules = rules
        self._iterations = iterations
        self._data: _Measurements | None = None
        self._run = True

    @property
    def run(self) -> bool:
        """The block is to be executed; false when its mean is taken instead."""
        return self._run

    def __iter__(self) -> Iterator[Any]:
        if self._iterations is None:
            raise SimulationError(f"{self._where}: a sampled loop needs its iterations: sample(100), or sample(rows)")
        return self._loop(self._iterations)

    def _loop(self, iterations: Collection[Any]) -> Iterator[Any]:
        data = self._measurements() if iterations else None
        if data is None:
            yield from iterations
            return
        taken = 0  # iterations of the program, run or not
        self._enter()
        try:
            for item in iterations:
                if not self._rules.need_more(data):
                    taken = len(iterations)
                    break
                lib.pysmpi_begin_sampled_block()
                taken += 1
                left = True
                try:
                    yield item
                    left = False
                finally:  # the program may leave the loop: what it has begun counts as measured
                    self._record(data, complain=not left)
        finally:
            self._leave(data.mean * taken)

    def __enter__(self) -> Self:
        self._data = self._measurements()
        self._run = True
        if self._data is not None:
            self._run = self._rules.need_more(self._data)
            self._enter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        data, self._data = self._data, None
        if data is None:
            return
        try:
            if self._run and error is None:
                self._record(data, complain=True)
        finally:
            self._leave(data.mean if error is None else 0.0)

    def __call__(self, function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
        """The function, run while measurements are needed; afterwards it returns what it returned last when it was.

        With the scope "global" that may be what it returned in another rank.
        """

        @functools.wraps(function)
        def sampled(*arguments: Parameters.args, **named: Parameters.kwargs) -> Returned:
            block = Sample(self._place, self._where, self._rules, None)
            with block:
                if block._data is None:
                    return function(*arguments, **named)
                if block.run:
                    block._data.result = function(*arguments, **named)
                result: Returned = block._data.result
                return result

        return sampled

    def _measurements(self) -> _Measurements | None:
        """Those of this place; None where code is just to run: nothing is simulated, or another sample is around it."""
        if not is_simulated() or lib.pysmpi_running_thread() in _registry.sampling:
            return None
        before = _registry.rules.setdefault(self._place, self._rules)
        if before != self._rules:
            raise SimulationError(
                f"{self._where}: sampled with count={self._rules.count}, threshold={self._rules.threshold}, "
                f"scope={self._rules.scope!r}, but before with count={before.count}, threshold={before.threshold}, "
                f"scope={before.scope!r}; give each its own tag"
            )
        rank = lib.pysmpi_running_rank() if self._rules.scope == "local" else -1
        return _registry.data.setdefault((*self._place, rank), _Measurements())

    def _enter(self) -> None:
        _registry.sampling.add(lib.pysmpi_running_thread())
        lib.pysmpi_begin_sampled_block()

    def _record(self, data: _Measurements, *, complain: bool) -> None:
        seconds = lib.pysmpi_end_sampled_block()
        if seconds >= 0:
            data.add(seconds)
        elif complain:
            raise SimulationError(
                f"{self._where}: the sampled code communicates, sleeps or waits; sample what lies between such calls"
            )

    def _leave(self, seconds: float) -> None:
        lib.pysmpi_end_sampling(seconds)
        _registry.sampling.discard(lib.pysmpi_running_thread())


def sample(
    iterations: int | Collection[Any] | None = None,
    *,
    count: int = 10,
    threshold: float | None = None,
    scope: Scope = "local",
    tag: str = "",
) -> Sample:
    """Measures a computation that is repeated, until enough is known, and then takes the mean instead of doing it.

    In three forms: ``for i in sample(100): …`` runs the first iterations only; ``with sample() as s:`` is to hold
    ``if s.run: …``; ``@sample()`` makes a function that returns its last measured result when it is not run. What is
    not run leaves its results as they were: it must not decide what the program does next. Measurements belong to the
    place in the source at which ``sample`` is called. The code must not communicate or sleep; the clock stands still in
    it. Measured seconds are scaled as all measured computation is (``smpi/host-speed``), and injected whether or not
    the rest is (``smpi/simulate-computation``, `untimed`). In a real run, outside ranks, and inside another sample, the
    code simply runs.

    Args:
        iterations: of a loop: their number, or what it goes through, of a known length.
        count: at most so many are measured.
        threshold: fewer are, but two at least, when the standard error of their mean falls below this part of it.
        scope: "local": each rank measures for itself; "global": all ranks together.
        tag: tells apart what is sampled at one place, such as a function that samples on behalf of its callers.

    Raises:
        SimulationError: the count or threshold is not positive; the iterations have no length; the scope is unknown;
            one place is sampled under different rules; the code communicates.
    """
    if not count >= 1:
        raise SimulationError(f"sample(count={count!r}): at least one measurement is needed")
    if threshold is not None and not threshold > 0:
        raise SimulationError(f"sample(threshold={threshold!r}): the relative standard error must be above zero")
    if scope not in get_args(Scope):
        raise SimulationError(f"sample: {unknown('scope', scope, get_args(Scope))}")
    frame = sys._getframe(1)
    place = (frame.f_code.co_filename, frame.f_code.co_firstlineno, frame.f_lasti, tag)
    where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    return Sample(place, where, _Rules(count, threshold, scope), _items(iterations))


def _items(iterations: Any) -> Collection[Any] | None:
    """What a loop goes through."""
    if iterations is None or isinstance(iterations, Collection):
        return iterations
    try:
        return range(operator.index(iterations))
    except TypeError as error:
        raise SimulationError(
            f"sample({type(iterations).__name__}): how many iterations there are must be known beforehand; give their "
            "number, or something that has a length"
        ) from error
