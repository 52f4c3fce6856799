"""Replicas of a run: the same simulation with other random draws, and the spread of its results."""

import functools
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from pysmpi.errors import LaunchError, PysmpiError, SimulationError
from pysmpi.simulation.experiments.simulate import simulate
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.instruments.reports import Figure
from pysmpi.simulation.launch.instrument_kinds import instrument_options
from pysmpi.simulation.replay.replay_result import ReplayResult
from pysmpi.util.columns import aligned
from pysmpi.util.processes import run_apart
from pysmpi.util.quantities import human_seconds
from pysmpi.util.spread import Spread
from pysmpi.util.traceback_text import at_caller

__all__ = ["Replica", "Replicas", "replica_of", "replicate", "run_replicas"]

_SIMULATED_TIME, _ENERGY = "simulated time", "energy"


@dataclass(frozen=True, slots=True)
class Replica:
    """Results of one replica.

    Attributes:
        seed: seed of its random draws (``--seed``).
        simulated_time: simulated seconds; 0 after a failure.
        joules: energy of all hosts, and of links if these are metered; None without an energy plugin.
        reported: metrics that the program reported (`pysmpi.report`), by name.
        measured: share of the ranks' time that was measured or sampled on this machine.
        failure: reason why the replica failed; empty after success.
        exit_status: exit status of the program.
    """

    seed: int
    simulated_time: float = 0.0
    joules: float | None = None
    reported: dict[str, Figure] = field(default_factory=dict)
    measured: float = 0.0
    failure: str = ""
    exit_status: int = 0


@dataclass(frozen=True)
class Replicas:
    """Replicas of a run, in the order of their seeds.

    Attributes:
        each: the replicas, the run itself first.
    """

    each: tuple[Replica, ...]

    @property
    def simulated_time(self) -> Spread:
        """Spread of the simulated time in seconds."""
        return self.figures[_SIMULATED_TIME]

    @property
    def figures(self) -> dict[str, Spread]:
        """Spread of each figure over the replicas that succeeded, by name.

        The figures are "simulated time" in seconds, "energy" in joules if it was metered, and those numbers that all
        of these replicas reported (`pysmpi.report`), by the program's names.
        """
        done = [one for one in self.each if not one.failure]
        found = {_SIMULATED_TIME: Spread.of(one.simulated_time for one in done)}
        joules = [one.joules for one in done if one.joules is not None]
        if joules:
            found[_ENERGY] = Spread.of(joules)
        for name in done[0].reported:
            values = [value for one in done if isinstance(value := one.reported.get(name), int | float)]
            if len(values) == len(done) and all(map(math.isfinite, values)):
                found[name] = Spread.of(map(float, values))
        return found

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return a table with the median and the interval of each result (see `figures`), and remarks on it."""
        figures = self.figures
        done, first, last = len(figures[_SIMULATED_TIME].values), self.each[0].seed, self.each[-1].seed
        failed = f", {len(self.each) - done} of them failed" if done < len(self.each) else ""
        lines = [f"{len(self.each)} replicas, seeds {first} to {last}{failed}"]
        if all(spread.is_constant for spread in figures.values()):
            return [*lines, f"all are equal to the bit: {_in_words(figures)}; no random draw changes them"]
        rows = [("figure", "median", "interval", "")]
        rows += [(name, *spread.cells(_writer(name))) for name, spread in figures.items()]
        lines += aligned(rows, right=[1])
        lines.append(
            f"a further run lies in the interval of a figure with a probability of {_probability(figures):.0%}"
        )
        if any(one.measured > 0 for one in self.each):
            share = max(one.measured for one in self.each)
            lines.append(
                f"each replica has measured its code again, up to {share:.1%} of the ranks' time: the load of this "
                "machine is part of the spread, and the seeds do not reproduce it"
            )
        return lines


def _probability(figures: dict[str, Spread]) -> float:
    return figures[_SIMULATED_TIME].probability


def _in_words(figures: dict[str, Spread]) -> str:
    return ", ".join(f"{name} {_writer(name)(spread.median)}" for name, spread in figures.items())


def _writer(name: str) -> Callable[[float], str]:
    if name == _SIMULATED_TIME:
        return human_seconds
    return (lambda value: f"{value:,.6g} J") if name == _ENERGY else (lambda value: f"{value:.6g}")


@at_caller
def replicate(
    program: Callable[..., Any] | str | os.PathLike[str],
    count: int,
    *,
    seed: int = 0,
    parallel: int = 1,
    **settings: Any,
) -> Replicas:
    """Run a program several times with other random draws.

    Each run has its own process, a copy of this one, so changes that the program makes in memory are lost. Only the
    first run shows its output.

    Args:
        program: program as for `pysmpi.simulate`.
        count: number of runs; they have the seeds from `seed` on.
        seed: seed of the first run.
        parallel: number of runs in parallel; parallel runs distort measured computation.
        settings: other arguments of `pysmpi.simulate`; only the first run writes files.

    Raises:
        LaunchError: if `count` or `parallel` is below 1.
        SimulationError: if a run fails.
    """
    for name, number in (("count", count), ("parallel", parallel)):
        if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
            raise LaunchError(f"{name} = {number!r} is not valid; give a whole number, 1 or more")

    others = _without_outputs(settings)

    def run_with(one: int) -> Replica:
        try:
            result = simulate(program, seed=one, **(settings if one == seed else others))
        except PysmpiError as error:
            return Replica(one, failure=str(error))
        if status := result.exit_status:
            return Replica(one, failure=f"the program ended with exit status {status}", exit_status=status)
        return replica_of(one, result)

    (first,) = run_replicas(run_with, [seed], quiet=False)
    found = (first, *run_replicas(run_with, range(seed + 1, seed + count), parallel=parallel))
    for each in found:
        if each.failure:
            raise SimulationError(f"replica {each.seed - seed + 1} (seed {each.seed}) failed: {each.failure}")
    return Replicas(found)


def _without_outputs(settings: dict[str, Any]) -> dict[str, Any]:
    own = {row.field for row in instrument_options() if row.of_one_run}
    return {name: value for name, value in settings.items() if name not in own}


def replica_of(seed: int, result: Result | ReplayResult) -> Replica:
    """Return the results of a finished run with this seed as a replica."""
    metered = [each.total for each in (result.energy, result.link_energy) if each is not None]
    joules = sum(metered) if metered else None
    if not isinstance(result, Result):
        return Replica(seed, result.simulated_time, joules)
    spent = result.time_spent
    measured = (spent.measured + spent.sampled) / spent.total if spent.total > 0 else 0.0
    return Replica(seed, result.simulated_time, joules, result.reported, measured)


def run_replicas(
    run: Callable[[int], Replica],
    seeds: Sequence[int],
    *,
    parallel: int = 1,
    quiet: bool = True,
    ended: Callable[[Replica], None] = lambda replica: None,
) -> list[Replica]:
    """Call `run` with each seed, each time in a separate process, and return the replicas in order.

    Args:
        run: function that simulates with one seed and returns the results.
        seeds: the seeds.
        parallel: number of replicas in parallel; parallel runs distort measured computation.
        quiet: whether to discard the output of the replicas and give them no input.
        ended: function that is called with each replica that has ended, in the order of the seeds.
    """
    return run_apart(
        [functools.partial(run, seed) for seed in seeds],
        lost=lambda place, how: Replica(seeds[place], failure=f"the process ended unexpectedly: {how}", exit_status=1),
        parallel=parallel,
        quiet=quiet,
        ended=ended,
    )
