"""GOAL programs in the LogGOPS model, with the times of LogGOPSim."""

import resource
import time
from array import array

from pysmpi.errors import DeadlockError
from pysmpi.native import ffi, lib
from pysmpi.simulation.instruments.outcome import Counters
from pysmpi.simulation.launch import deadlock
from pysmpi.simulation.replay.goal_waits import goal_waits
from pysmpi.simulation.replay.replay_result import ReplayResult
from pysmpi.simulation.replay.source import Goal
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.network_models.loggps import LOGGPS

__all__ = ["run_loggops"]

_NS = 1e-9


def run_loggops(goal: Goal, configuration: Configuration) -> ReplayResult:
    """Run a GOAL program with one rank per host and without network contention, as LogGOPSim does.

    Hoefler, Schneider, Lumsdaine, "LogGOPSim - Simulating Large-Scale Applications in the LogGOPS Model", HPDC 2010.

    Args:
        goal: the program.
        configuration: settings, of which only ``loggps/L``, ``loggps/o``, ``loggps/g``, ``loggps/G``, ``loggps/O`` and
            ``loggps/S`` are used.

    Raises:
        DeadlockError: if operations are blocked and no event is pending.
    """
    goal.load()
    names = {"latency": "L", "overhead": "o", "overhead_per_byte": "O", "gap": "g", "gap_per_byte": "G"}
    parameters = ffi.new(
        "pysmpi_loggops_parameters *",
        {name: _in_ns(configuration[f"loggps/{letter}"]) for name, letter in names.items()}
        | {"rendezvous_above": int(configuration["loggps/S"])},
    )
    outcome = ffi.new("pysmpi_loggops_outcome *")
    ends = array("d", bytes(8 * goal.ranks))
    begun = time.perf_counter()
    lib.pysmpi_replay_run_loggops(parameters, outcome, ffi.from_buffer("double[]", ends))
    wall_time = time.perf_counter() - begun
    end_times = array("d", [end * _NS for end in ends])
    if outcome.waits > 0:
        blocked, unreceived = goal_waits(goal, lambda rank: "")
        raise DeadlockError(deadlock.report(blocked, goal.ranks, max(end_times), unreceived=unreceived))
    return ReplayResult(
        simulated_time=max(end_times, default=0.0),
        wall_time=wall_time,
        peak_memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        actions=goal.actions,
        counters=Counters(messages=outcome.messages, bytes=outcome.bytes, events=outcome.events),
        end_times=end_times,
        network_model=LOGGPS.name,
    )


def _in_ns(seconds: float) -> float:
    """Convert seconds to nanoseconds; a result that is nearly a whole number is rounded to it.

    LogGOPSim uses whole nanoseconds. Without rounding, times that are equal there would differ here.
    """
    ns = seconds / _NS
    return float(round(ns)) if abs(ns - round(ns)) < 1e-6 else ns
