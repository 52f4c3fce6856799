"""Replicas of a run: the same simulation with other seeds, each in a separate process."""

import dataclasses
import functools
from collections.abc import Callable, Sequence

from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.instruments.replicas import Replica
from pysmpi.simulation.replay import ReplayResult
from pysmpi.simulation.settings.run_options import RunOptions, options_of_copy
from pysmpi.util.processes import run_apart

__all__ = ["options_of_replica", "replica_of", "run_replicas"]


def options_of_replica(options: RunOptions, seed: int) -> RunOptions:
    """Return the options of a further replica: with another seed, and without output files and reports."""
    return dataclasses.replace(options_of_copy(options), seed=seed)


def replica_of(seed: int, result: Result | ReplayResult) -> Replica:
    """Return the figures of a finished run with this seed."""
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
    at_once: int = 1,
    quiet: bool = True,
    ended: Callable[[Replica], None] = lambda replica: None,
) -> list[Replica]:
    """Call `run` with each seed, each time in a separate process, and return the replicas in order.

    Args:
        run: function that simulates with one seed and returns the figures.
        seeds: the seeds.
        at_once: number of replicas in parallel; parallel runs distort measured computation.
        quiet: whether to discard the output of the replicas and give them no input.
        ended: function that is called with each replica that has ended, in the order of the seeds.
    """
    return run_apart(
        [functools.partial(run, seed) for seed in seeds],
        lost=lambda place, how: Replica(seeds[place], failure=f"the process ended unexpectedly: {how}", exit_status=1),
        at_once=at_once,
        quiet=quiet,
        ended=ended,
    )
