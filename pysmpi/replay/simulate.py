"""Runs a skeleton on a simulated machine."""

import os
import resource
import sys
import time
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pysmpi.collectives.schedule import Schedule
from pysmpi.errors import ConfigurationError, DeadlockError, LaunchError, SimulationError
from pysmpi.instruments.energy.meter import EnergyMeters
from pysmpi.instruments.engine_counters import read_counters
from pysmpi.instruments.instrument import Run, observed_by
from pysmpi.instruments.timeline.timeline import Timeline
from pysmpi.launch import deadlock
from pysmpi.launch.machine import configured_machine, install, place_ranks
from pysmpi.launch.obstacles import blocked_rank, check_hosts, exhausted, unreachable
from pysmpi.native import ffi, lib
from pysmpi.platform import Description, Platform
from pysmpi.platform.scaling import Scaling
from pysmpi.replay.loggops import run_loggops
from pysmpi.replay.outcome import SkeletonResult
from pysmpi.replay.schedules import Schedules
from pysmpi.replay.source import Goal, Skeleton, SkeletonError, read_skeleton
from pysmpi.settings.configuration import Configuration

__all__ = ["run", "simulate_skeleton"]

_ALL_ENDED, _DEADLOCK, _INTERRUPTED, _FAILED, _UNREACHABLE, _EXHAUSTED = -1, -2, -3, -4, -5, -7  # of pysmpi_next_rank


def simulate_skeleton(
    skeleton: str | os.PathLike[str] | Skeleton | Sequence[Schedule],
    *,
    platform: str | os.PathLike[str] | Platform | Description,
    np: int | None = None,
    cfg: Mapping[str, Any] | Iterable[str] = (),
    hostfile: str | os.PathLike[str] | None = None,
    hosts: Sequence[str] | None = None,
    seed: int = 0,
    trace: str | os.PathLike[str] | None = None,
    trace_format: str | None = None,
) -> SkeletonResult:
    """Simulate a program of ranks without Python.

    Args:
        skeleton: the path of one (see `pysmpi.replay.read_skeleton`), one that has been read, or a `pysmpi.Schedule`
            for each rank, whose peers are ranks of the world; messages with None for a buffer carry no data.
        platform: as `pysmpi.simulate` has it.
        np: how many ranks, where the skeleton does not say it.
        cfg: settings by SimGrid's names: a mapping, or strings of the form KEY:VALUE.
        hostfile: a file of hosts to place ranks on; without it they fill the platform's cores in order.
        hosts: the same as a list of names, one for each rank.
        seed: of what the machine does at random (routings).
        trace: the file that is to hold the run's timeline, as `pysmpi.simulate` has it.
        trace_format: of that file.

    Raises:
        SkeletonError: the skeleton is malformed, or a message of it does not fit its receive.
        ConfigurationError, PlatformError, PlacementError: as `pysmpi.simulate` has them.
        DeadlockError: ranks wait for messages that can never come.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    machine, configuration = configured_machine(platform, cfg)
    program = _read(skeleton, np)
    placed = place_ranks(program.ranks, machine, hostfile, hosts)
    return run(program, machine, placed, configuration, seed, trace, trace_format)


def _read(skeleton: str | os.PathLike[str] | Skeleton | Sequence[Schedule], np: int | None) -> Skeleton:
    if isinstance(skeleton, Skeleton):
        return skeleton
    if isinstance(skeleton, str | os.PathLike):
        return read_skeleton(skeleton, np)
    written = Schedules(skeleton)
    if np not in (None, written.ranks):
        raise SkeletonError(f"there are schedules of {written.ranks} ranks, and not of {np}")
    return written


def run(
    skeleton: Skeleton,
    platform: Platform,
    placed: Sequence[int],
    configuration: Configuration,
    seed: int = 0,
    trace: str | os.PathLike[str] | None = None,
    trace_format: str | None = None,
    scalings: Sequence[Scaling] = (),
) -> SkeletonResult:
    """Run a skeleton to its end.

    Args:
        skeleton: one that has not begun.
        platform: the machine.
        placed: each rank's host.
        configuration: the settings.
        seed: of what the machine does at random.
        trace: as `simulate_skeleton` has it.
        trace_format: of that file.
        scalings: factors on what the platform says.

    Raises:
        SimulationError: another simulation is under way in this process.
        SkeletonError, ConfigurationError, PlatformError, PlacementError, DeadlockError, KeyboardInterrupt: as
            `simulate_skeleton` has them.
    """
    if lib.pysmpi_rank_count() > 0:
        raise SimulationError("a simulation is under way in this process; one can begin when it has ended")
    if configuration.finds_best_algorithms:
        raise ConfigurationError("the selector 'best' tries algorithms in programs, not in skeletons; name one")
    if isinstance(skeleton, Goal) and configuration.network_model.name == "LogGPS":
        if configuration["plugin"]:
            raise ConfigurationError("plugin has no effect on GOAL under network/model:LogGPS, which uses no platform")
        if trace is not None:
            raise LaunchError(
                "--trace has no effect on GOAL under network/model:LogGPS, which has a simulator of its own"
            )
        return run_loggops(skeleton, configuration)
    install(platform, configuration, seed, scalings)
    skeleton.load()
    ranks = len(placed)
    begun = time.perf_counter()
    lib.pysmpi_simulation_begin(ranks, ffi.new("uint32_t[]", list(placed)))
    try:
        check_hosts(platform, placed)
        meters, timeline = EnergyMeters(configuration["plugin"]), Timeline.of(trace, trace_format)
        seen = Run(
            platform, configuration, lambda: "", [0] * ranks, lambda rank: platform.hosts[placed[rank]].name, sys.stderr
        )
        meters.begin(seen)
        skeleton.begin()
        with observed_by([timeline] if timeline is not None else [], seen):
            _go_on_to_end(skeleton, seen.host_name, ranks)
        if timeline is not None and timeline.failure is not None:
            raise timeline.failure
        end_times = array("d", bytes(8 * ranks))
        lib.pysmpi_skeleton_end_times(ffi.from_buffer("double[]", end_times))
        return SkeletonResult(
            simulated_time=lib.pysmpi_now(),
            wall_time=time.perf_counter() - begun,
            peak_memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            actions=skeleton.actions,
            counters=read_counters(),
            end_times=end_times,
            network_model=configuration.network_model.name,
            energy=meters.hosts(),
            link_energy=meters.links(),
        )
    finally:
        lib.pysmpi_simulation_end()


def _go_on_to_end(skeleton: Skeleton, host_name: Any, ranks: int) -> None:
    def blocked(rank: int) -> deadlock.Blocked | None:
        return blocked_rank(rank, rank, host_name(rank), lambda: skeleton.place(rank, lib.pysmpi_skeleton_line(rank)))

    while (state := lib.pysmpi_next_rank()) != _ALL_ENDED:
        if state == _INTERRUPTED:
            raise KeyboardInterrupt
        if state == _UNREACHABLE:
            raise unreachable(host_name)
        if state == _EXHAUSTED:
            raise exhausted()
        if state == _FAILED:
            rank = lib.pysmpi_skeleton_failed_rank()
            place = skeleton.place(rank, lib.pysmpi_skeleton_line(rank))
            action = ffi.string(lib.pysmpi_skeleton_action(rank)).decode()
            where = f"{place}: " if place else ""
            raise SkeletonError(f"{where}rank {rank}: {action}: {ffi.string(lib.pysmpi_skeleton_failure()).decode()}")
        waiting = [found for rank in range(ranks) if (found := blocked(rank)) is not None]
        if state == _DEADLOCK:
            raise DeadlockError(deadlock.report(waiting, ranks, lib.pysmpi_now()))
        print(f"pysmpi: {deadlock.polling_report(waiting, ranks, lib.pysmpi_now())}", file=sys.stderr)
