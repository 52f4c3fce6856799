"""Sampling: run and time a piece of code a few times, then charge the mean of these times instead of running it.

The rules are SMPI's (SMPI_SAMPLE_LOCAL and SMPI_SAMPLE_GLOBAL; SimGrid 3.32, src/smpi/internals/smpi_bench.cpp). A loop
takes the mean of all measurements so far times its number of iterations, the measured ones included. Later passes
through the same place reuse the measurements of earlier ones.

Example: each of 4 ranks runs ``for i in sample(100): …`` with the default count of 10.

- scope="local": each rank runs iterations 0 to 9 and skips the other 90. If their mean is 0.2 s, the loop takes 100 *
  0.2 s = 20 s. A second pass through the loop runs no iteration at all.
- scope="global": the ranks share their measurements. Rank 0 runs first and makes all 10; ranks 1 to 3 run none, and
  take 100 times rank 0's mean.
- threshold=0.05: sampling may stop earlier. After the measurements 1.0 s and 1.1 s the mean is 1.05 s, and the standard
  error is sqrt(0.05² + 0.05²) / 2 = 0.035 s, 3.4 % of the mean. That is below 5 %, so 2 measurements suffice.
"""

import functools
import math
import operator
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, ParamSpec, Self, TypeVar, get_args

from pysmpi.errors import SimulationError, unknown
from pysmpi.native import lib
from pysmpi.simulation.compute.execution import is_simulated

__all__ = ["Sample", "forget_samples", "sample"]

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")
Scope = Literal["local", "global"]


@dataclass(slots=True)
class _Measurements:
    """Measured times of the code at one call of `sample` in the source, by one rank or by all ranks."""

    count: int = 0
    mean: float = 0.0  # mean of the measurements, s
    squares: float = 0.0  # sum of squared deviations from the mean, s²
    result: Any = None  # last result of a sampled function

    def add(self, seconds: float) -> None:
        """Add a measurement in seconds (Welford's update)."""
        self.count += 1
        before = seconds - self.mean
        self.mean += before / self.count
        self.squares += before * (seconds - self.mean)

    def relative_error(self) -> float:
        """Return the standard error divided by the mean; as in SMPI, the variance has the divisor n, not n - 1."""
        return math.sqrt(self.squares) / self.count / self.mean if self.mean > 0 else 0.0


@dataclass(frozen=True, slots=True)
class _Rules:
    """Rules for one call of `sample` in the source: how many measurements suffice, and which ranks share them."""

    count: int
    threshold: float | None
    scope: Scope

    def need_more(self, data: _Measurements) -> bool:
        """Return whether these rules require more measurements than `data` holds."""
        if data.count == 0:
            return True
        if data.count >= self.count:
            return False
        return self.threshold is None or data.count < 2 or data.relative_error() >= self.threshold


@dataclass
class _Registry:
    """Sampling state of one simulation.

    It holds the measurements by call of `sample` and rank, the rules by call, and the threads that are inside a sample.
    """

    data: dict[tuple[Any, ...], _Measurements] = field(default_factory=dict)
    rules: dict[tuple[Any, ...], _Rules] = field(default_factory=dict)
    sampling: set[int] = field(default_factory=set)


_registry = _Registry()


def forget_samples() -> None:
    """Discard all measurements, because another simulation begins."""
    global _registry
    _registry = _Registry()


class Sample:
    """Sampled loop, block or decorator, as returned by `sample`."""

    def __init__(self, place: tuple[Any, ...], where: str, rules: _Rules, iterations: Collection[Any] | None) -> None:
        self._place = place
        self._where = where
        self._rules = rules
        self._iterations = iterations
        self._data: _Measurements | None = None
        self._run = True

    @property
    def run(self) -> bool:
        """True if the block is to be executed, False if the mean of its measurements is taken instead."""
        return self._run

    def __iter__(self) -> Iterator[Any]:
        if self._iterations is None:
            raise SimulationError(
                f"{self._where}: a sampled loop needs its iterations; write sample(100) or sample(rows)"
            )
        return self._loop(self._iterations)

    def _loop(self, iterations: Collection[Any]) -> Iterator[Any]:
        data = self._measurements() if iterations else None
        if data is None:
            yield from iterations
            return
        taken = 0  # iterations to charge, whether run or skipped
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
                finally:  # if the program leaves the loop, the iteration that it broke off counts as measured
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
        """Return a function that runs the given one only while measurements are needed; later calls return the last
        measured result.

        With the scope "global" that result may come from another rank.
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
        """Return the measurements of this place, or None outside simulations and inside another sample.

        None means that the code runs without being measured.
        """
        if not is_simulated() or lib.pysmpi_running_thread() in _registry.sampling:
            return None
        before = _registry.rules.setdefault(self._place, self._rules)
        if before != self._rules:
            raise SimulationError(
                f"{self._where}: sampled with count={self._rules.count}, threshold={self._rules.threshold}, "
                f"scope={self._rules.scope!r}, but earlier with count={before.count}, threshold={before.threshold}, "
                f"scope={before.scope!r}; use the same rules, or give each use its own tag"
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
                f"{self._where}: the sampled code communicates, sleeps or waits; sample only code between such calls"
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
    """Run and time a repeated computation a few times, then take the mean of these times instead of running it.

    There are three forms:

    - ``for i in sample(100): …`` runs only the first iterations.
    - ``with sample() as s:`` encloses ``if s.run: …``.
    - ``@sample()`` makes a function that returns its last measured result when it is not run.

    Code that is skipped leaves its results unchanged, so later control flow must not depend on them. Measurements
    belong to the place in the source that calls ``sample``. The code must not communicate or sleep; the simulated clock
    stands still in it. Measured seconds are scaled like all measured computation (``smpi/host-speed``), and are charged
    even where other computation is not (``smpi/simulate-computation``, `untimed`). In a real run, outside ranks, and
    inside another sample, the code simply runs.

    Args:
        iterations: for a loop: number of iterations, or a collection with a length to loop over.
        count: largest number of measurements.
        threshold: relative standard error of the mean below which fewer measurements suffice (at least two), or None to
            take `count`.
        scope: "local" if each rank measures for itself; "global" if all ranks share their measurements.
        tag: name that distinguishes several uses at one place, for example in a function that samples for its callers.

    Raises:
        SimulationError: the count or threshold is not positive; the iterations have no length; the scope is unknown;
            one place is sampled under different rules; the code communicates.
    """
    if not count >= 1:
        raise SimulationError(f"sample(count={count!r}): invalid count; at least one measurement is needed")
    if threshold is not None and not threshold > 0:
        raise SimulationError(f"sample(threshold={threshold!r}): invalid threshold; it must be above zero")
    if scope not in get_args(Scope):
        raise SimulationError(f"sample: {unknown('scope', scope, get_args(Scope))}")
    frame = sys._getframe(1)
    place = (frame.f_code.co_filename, frame.f_code.co_firstlineno, frame.f_lasti, tag)
    where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    return Sample(place, where, _Rules(count, threshold, scope), _items(iterations))


def _items(iterations: Any) -> Collection[Any] | None:
    """Return the collection that a loop iterates over."""
    if iterations is None or isinstance(iterations, Collection):
        return iterations
    try:
        return range(operator.index(iterations))
    except TypeError as error:
        raise SimulationError(
            f"sample({type(iterations).__name__}): unknown number of iterations; give their number, or a collection "
            "with a length"
        ) from error
