"""Results of one run in a what-if table: time, energy, exit status and so on."""

from dataclasses import dataclass

from pysmpi.simulation.instruments.outcome import IntervalUse, Result
from pysmpi.simulation.replay import ReplayResult
from pysmpi.simulation.settings.switches import Switch

__all__ = ["Variation", "variation_of"]


@dataclass(frozen=True, slots=True)
class Variation:
    """Result of the run with one switch (a change of machine or settings), or of the unchanged run.

    Attributes:
        switch: text of the switch, such as "links*2", or "as it is" for the unchanged run.
        simulated_time: simulated seconds; 0 after a failure.
        in_mpi: simulated seconds spent in MPI calls, waiting included, averaged over ranks; None if unknown, as for
            replays.
        joules: energy of all hosts, and of links if these are metered; None without an energy plugin.
        failure: reason why the run failed; empty after success.
        exit_status: exit status of the program.
        unscaled: parts of the ranks' time that the platform's speed does not change, with reasons (`Result.unscaled`).
        ranks: number of ranks; 0 for replays.
        nodes: number of hosts with ranks; 0 for replays.
        intervals: measured intervals of computation, those that the run shares with the unchanged one and those that it
            has measured for itself; None for replays.
        own_share: largest part of the simulated time that one rank spent in computation which this run has measured for
            itself.
    """

    switch: str
    simulated_time: float = 0.0
    in_mpi: float | None = None
    joules: float | None = None
    failure: str = ""
    exit_status: int = 0
    unscaled: str = ""
    ranks: int = 0
    nodes: int = 0
    intervals: IntervalUse | None = None
    own_share: float = 0.0


def variation_of(switch: Switch, result: Result | ReplayResult) -> Variation:
    """Return the results of a finished run that a comparison shows: time, energy, exit status and so on."""
    metered = [each.total for each in (result.energy, result.link_energy) if each is not None]
    joules = sum(metered) if metered else None
    if not isinstance(result, Result):
        return Variation(switch.text, result.simulated_time, joules=joules)
    return Variation(
        switch.text,
        result.simulated_time,
        result.time_spent.in_mpi / max(len(result.ranks), 1),
        joules,
        unscaled=result.unscaled,
        ranks=len(result.ranks),
        nodes=len({each.host for each in result.ranks}),
        intervals=result.intervals,
        own_share=_own_share(result),
    )


def _own_share(result: Result) -> float:
    if result.intervals is None or result.simulated_time <= 0:
        return 0.0
    spent = result.time_spent
    here = spent.clock_seconds - spent.saved
    scale = spent.measured / here if here > 0 else 1.0  # simulated seconds of a measured one
    longest: float = result.intervals.longest
    return min(1.0, longest * scale / result.simulated_time)
