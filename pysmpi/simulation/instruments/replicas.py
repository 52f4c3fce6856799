"""Replicas of a run: the same simulation with other random draws, and the spread of its figures."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from pysmpi.simulation.instruments.reports import Figure
from pysmpi.util.columns import aligned
from pysmpi.util.quantities import human_seconds
from pysmpi.util.spread import Spread

__all__ = ["Replica", "Replicas"]

_SIMULATED_TIME, _ENERGY = "simulated time", "energy"


@dataclass(frozen=True, slots=True)
class Replica:
    """Figures of one replica.

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
        """Return a table with the median and the interval of each figure, and remarks on what differed."""
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
