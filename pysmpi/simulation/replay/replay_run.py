"""Replay of a program on a simulated machine."""

import os
import resource
import sys
import time
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pysmpi.errors import ConfigurationError, DeadlockError, LaunchError, SimulationError
from pysmpi.native import ffi, lib
from pysmpi.platform import Description, Platform
from pysmpi.platform.scaling import Scaling
from pysmpi.simulation.collectives.schedule import Schedule
from pysmpi.simulation.instruments.energy.meter import EnergyMeters
from pysmpi.simulation.instruments.engine_counters import read_counters
from pysmpi.simulation.instruments.instrument import Run, observed_by
from pysmpi.simulation.instruments.timeline.timeline import Timeline
from pysmpi.simulation.launch import deadlock
from pysmpi.simulation.launch.machine_setup import configured_machine, install, place_ranks
from pysmpi.simulation.launch.stop_reasons import blocked_rank, check_hosts, exhausted, unreachable, unreceived_messages
from pysmpi.simulation.replay.goal_waits import goal_waits
from pysmpi.simulation.replay.loggops import run_loggops
from pysmpi.simulation.replay.replay_result import ReplayResult
from pysmpi.simulation.replay.schedules import Schedules
from pysmpi.simulation.replay.source import Goal, ReplayError, ReplayProgram, read_program
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.network_models.loggps import LOGGPS
from pysmpi.util.stop_signals import last_stop
from pysmpi.util.traceback_text import at_caller

__all__ = ["run", "simulate_replay"]

# Return values of pysmpi_next_rank that are not ranks.
_ALL_ENDED, _DEADLOCK, _INTERRUPTED, _FAILED, _UNREACHABLE, _EXHAUSTED = -1, -2, -3, -4, -5, -7


@at_caller
def simulate_replay(
    program: str | os.PathLike[str] | ReplayProgram | Sequence[Schedule],
    *,
    platform: str | os.PathLike[str] | Platform | Description,
    np: int | None = None,
    cfg: Mapping[str, Any] | Iterable[str] = (),
    smpi: bool | None = None,
    mpi: str | None = None,
    fabric: str | None = None,
    hosts: str | os.PathLike[str] | Sequence[str] | None = None,
    seed: int = 0,
    trace: str | os.PathLike[str] | None = None,
) -> ReplayResult:
    """Simulate a replay program: actions of ranks that the engine runs without Python.

    Args:
        program: path of a file (see `pysmpi.simulation.replay.read_program`), a program that has been read, or one
            `pysmpi.Schedule` per rank. Peers in schedules are ranks of MPI_COMM_WORLD; messages with None for a buffer
            carry no data.
        platform: platform as for `pysmpi.simulate`.
        np: number of ranks, or None if the file determines it.
        cfg: settings by SimGrid's names: a mapping, or strings of the form KEY:VALUE.
        smpi: whether to take SMPI's defaults; `smpi`, `mpi` and `fabric` are as for `pysmpi.simulate`.
        mpi: MPI library, or None.
        fabric: network technology, or None.
        hosts: host name of each rank, or path of a file of hosts; None to fill the platform's cores in order.
        seed: seed of the machine's random decisions (routing).
        trace: path of a timeline file as for `pysmpi.simulate`, or None.

    Raises:
        ReplayError: if the program is malformed, or one of its messages does not fit its receive.
        ConfigurationError, PlatformError, PlacementError: as for `pysmpi.simulate`.
        DeadlockError: if ranks are blocked and no event is pending.
        KeyboardInterrupt: if Ctrl-C was pressed.
    """
    machine, configuration = configured_machine(platform, cfg, smpi=smpi, mpi=mpi, fabric=fabric)
    loaded = _read(program, np)
    hostfile, names = (hosts, None) if isinstance(hosts, str | os.PathLike) else (None, hosts)
    placed = place_ranks(loaded.ranks, machine, hostfile, names)
    return run(loaded, machine, placed, configuration, seed, trace)


def _read(program: str | os.PathLike[str] | ReplayProgram | Sequence[Schedule], np: int | None) -> ReplayProgram:
    if isinstance(program, ReplayProgram):
        return program
    if isinstance(program, str | os.PathLike):
        return read_program(program, np)
    written = Schedules(program)
    if np not in (None, written.ranks):
        raise ReplayError(f"np is {np}, but there are {written.ranks} schedules")
    return written


def run(
    program: ReplayProgram,
    platform: Platform,
    placed: Sequence[int],
    configuration: Configuration,
    seed: int = 0,
    trace: str | os.PathLike[str] | None = None,
    scalings: Sequence[Scaling] = (),
) -> ReplayResult:
    """Run a replay program to its end, and return the result.

    Args:
        program: the program; it must not have started.
        platform: the machine.
        placed: host index of each rank.
        configuration: the settings.
        seed: seed of the machine's random decisions.
        trace: path of a timeline file as for `simulate_replay`, or None.
        scalings: factors by which speeds, bandwidths or latencies of the platform are multiplied.

    Raises:
        SimulationError: if another simulation is in progress in this process.
        ReplayError, ConfigurationError, PlatformError, PlacementError, DeadlockError, KeyboardInterrupt: as for
            `simulate_replay`.
    """
    if lib.pysmpi_rank_count() > 0:
        raise SimulationError("another simulation is in progress in this process; start the next one after its end")
    if configuration.finds_best_algorithms:
        raise ConfigurationError("the selector 'best' is not supported in replays; choose another selector")
    if configuration["smpi/noise"]:
        raise ConfigurationError("smpi/noise has no effect on replays; run the program with it instead")
    if isinstance(program, Goal) and configuration.setting("smpi/progress").text == "calls":
        raise ConfigurationError("smpi/progress:calls has no effect on GOAL texts, which have no MPI calls")
    if isinstance(program, Goal) and configuration.network_model is LOGGPS:
        if configuration["plugin"]:
            raise ConfigurationError(
                "plugin has no effect on GOAL texts with network/model:LogGPS, which uses no platform"
            )
        if trace is not None:
            raise LaunchError(
                "--trace has no effect on GOAL texts with network/model:LogGPS, which has a separate simulator"
            )
        return run_loggops(program, configuration)
    install(platform, configuration, seed, scalings)
    program.load()
    ranks = len(placed)
    begun = time.perf_counter()
    lib.pysmpi_simulation_begin(ranks, ffi.new("uint32_t[]", list(placed)))
    try:
        check_hosts(platform, placed)
        meters = EnergyMeters(configuration["plugin"])
        timeline = None if trace is None else Timeline(trace)
        seen = Run(
            platform, configuration, lambda: "", [0] * ranks, lambda rank: platform.hosts[placed[rank]].name, sys.stderr
        )
        meters.begin(seen)
        program.begin()
        with observed_by([timeline] if timeline is not None else [], seen):
            _go_on_to_end(program, seen.host_name, ranks)
        if timeline is not None and timeline.failure is not None:
            raise timeline.failure
        end_times = array("d", bytes(8 * ranks))
        lib.pysmpi_replay_end_times(ffi.from_buffer("double[]", end_times))
        return ReplayResult(
            simulated_time=lib.pysmpi_now(),
            wall_time=time.perf_counter() - begun,
            peak_memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            actions=program.actions,
            counters=read_counters(),
            end_times=end_times,
            network_model=configuration.network_model.name,
            energy=meters.hosts(),
            link_energy=meters.links(),
        )
    finally:
        lib.pysmpi_simulation_end()


def _go_on_to_end(program: ReplayProgram, host_name: Any, ranks: int) -> None:
    def blocked(rank: int) -> deadlock.Blocked | None:
        return blocked_rank(rank, rank, host_name(rank), lambda: program.place(rank, lib.pysmpi_replay_line(rank)))

    while (state := lib.pysmpi_next_rank()) != _ALL_ENDED:
        if state == _INTERRUPTED:
            raise last_stop()
        if state == _UNREACHABLE:
            raise unreachable(host_name)
        if state == _EXHAUSTED:
            raise exhausted()
        if state == _FAILED:
            rank = lib.pysmpi_replay_failed_rank()
            place = program.place(rank, lib.pysmpi_replay_line(rank))
            action = ffi.string(lib.pysmpi_replay_action(rank)).decode()
            where = f"{place}: " if place else ""
            raise ReplayError(f"{where}rank {rank}: {action}: {ffi.string(lib.pysmpi_replay_failure()).decode()}")
        if state == _DEADLOCK and isinstance(program, Goal):
            waiting, unreceived = goal_waits(program, host_name)
            raise DeadlockError(deadlock.report(waiting, ranks, lib.pysmpi_now(), unreceived=unreceived))
        waiting = [found for rank in range(ranks) if (found := blocked(rank)) is not None]
        if state == _DEADLOCK:
            unreceived = unreceived_messages()
            raise DeadlockError(deadlock.report(waiting, ranks, lib.pysmpi_now(), unreceived=unreceived))
        print(f"pysmpi: {deadlock.polling_report(waiting, ranks, lib.pysmpi_now())}", file=sys.stderr)
