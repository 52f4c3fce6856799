"""One simulation from its description to its result."""

import os
import resource
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from types import FunctionType, ModuleType
from typing import Any, TextIO

from pysmpi import mpi as objects
from pysmpi.compute import forget_samples
from pysmpi.compute.blas.charging import activate, deactivate
from pysmpi.compute.blas.model import BlasModel
from pysmpi.compute.folded.settings import folding
from pysmpi.errors import PysmpiError, SimulationError
from pysmpi.experiments.best import Best
from pysmpi.instruments.check.checking import observed
from pysmpi.instruments.energy import Meters
from pysmpi.instruments.observation import observing
from pysmpi.instruments.profile.phases import forget_phases, phase_uses
from pysmpi.instruments.reports import forget_reports, reported
from pysmpi.instruments.saved_run.saved_run import saving_run
from pysmpi.instruments.ti_trace import recording
from pysmpi.instruments.timeline.timeline import timeline
from pysmpi.isolation import Isolated, isolated
from pysmpi.isolation.current import isolate_entry
from pysmpi.isolation.interpreter import isolate_assignments
from pysmpi.isolation.modules import own_module
from pysmpi.isolation.mpi4py_settings import abort_status
from pysmpi.launch.binding import bind
from pysmpi.launch.debugging import Debugger, Debugging
from pysmpi.launch.interpreter_options import Flags
from pysmpi.launch.machine import install, read_counters
from pysmpi.launch.memory import memory_machine, share_memory
from pysmpi.launch.obstacles import check_hosts
from pysmpi.launch.outcome import Result, TimeSpent
from pysmpi.launch.program import FunctionProgram, MainProgram, Program
from pysmpi.launch.ranks import Ranks
from pysmpi.launch.spawning import Spawner
from pysmpi.launch.stopping import RankStopped
from pysmpi.launch.summary import progress_line
from pysmpi.launch.traceback_text import tell_our_files
from pysmpi.launch.worlds import Worlds
from pysmpi.mpi.spawn import set_launcher
from pysmpi.native import ffi, lib
from pysmpi.platform import Platform
from pysmpi.platform.scaling import Scaling
from pysmpi.settings.configuration import Configuration

__all__ = ["Conclusion", "Job", "run"]


@dataclass
class Job:
    """What is to be simulated.

    Attributes:
        platform: the simulated machine.
        placed: each rank's host, by rank.
        programs: each rank's program is the one at its place in `program_of`.
        program_of: by rank, an index into `programs`.
        configuration: the settings.
        seed: of random numbers that ranks do not seed.
        first_seeded: as which rank the first one draws these: its place among jobs that it is to be compared with.
        label: lines of output begin with the rank.
        progress: a progress line is shown when the standard error is a terminal.
        check: mistakes of the program are looked for.
        trace: the directory of time-independent traces that are to be recorded; None: none.
        timeline: the file that its timeline is to be written to; None: none.
        timeline_format: one of `pysmpi.instruments.timeline.timeline.FORMATS`; None: as the file's ending has it.
        profile: where the ranks' time goes is found out.
        network_report: so is what the links carry.
        save_run: the directory that is to hold what the run tells, both included; None: none.
        blas: how long calls of BLAS and LAPACK take; None: as long as they took here.
        apart: each program has an MPI_COMM_WORLD of its own; else all share one.
        scalings: factors on what the platform says.
        debugging: what is to be looked at.
        output_directory: where what each rank prints goes to files of its own; None: all prints to the same streams.
        fills_rank: in the programs' arguments ``{rank}`` stands for each rank's number.
    """

    platform: Platform
    placed: Sequence[int]
    programs: Sequence[Program]
    program_of: Sequence[int]
    configuration: Configuration = field(default_factory=Configuration)
    seed: int = 0
    first_seeded: int = 0
    label: bool = False
    progress: bool = False
    check: bool = False
    blas: BlasModel | None = None
    trace: str | os.PathLike[str] | None = None
    timeline: str | os.PathLike[str] | None = None
    timeline_format: str | None = None
    apart: bool = False
    profile: bool = False
    network_report: bool = False
    save_run: str | os.PathLike[str] | None = None
    scalings: Sequence[Scaling] = ()
    debugging: Debugging = field(default_factory=Debugging)
    output_directory: str | os.PathLike[str] | None = None
    fills_rank: bool = False


@dataclass(frozen=True)
class Conclusion:
    """How a simulation came to its end.

    Attributes:
        result: what came out of it.
        failure: why it could not go on, when that is no rank's doing.
        interrupted: Ctrl-C ended it.
        modules: which modules each rank had for itself, which all shared, and why; a line each.
    """

    result: Result
    failure: PysmpiError | None
    interrupted: bool
    modules: list[str]


def run(job: Job) -> Conclusion:
    """Runs it to its end, whichever that is.

    Raises:
        SimulationError: another simulation is under way in this process.
        BindingError: mpi4py cannot be bound to the simulator.
        ConfigurationError: a setting has no effect.
        PlatformError: the platform has not got the routing that the settings ask for, or says nothing of power where
            they ask for energy.
        PlacementError: a rank's host is off when the simulation begins.
    """
    if lib.pysmpi_rank_count() > 0:
        raise SimulationError("a simulation is under way in this process; one can begin when it has ended")
    job.debugging.prepare(len(job.placed))
    mpi = bind()
    tell_our_files()
    lib.pysmpi_pool_frames()
    if not tracemalloc.is_tracing():  # as it stops it puts back what was there before, which would be given our blocks
        lib.pysmpi_pool_stacks()
    search_path = list(sys.path)
    install(job.platform, job.configuration, job.seed, job.scalings)
    placed, programs, program_of = list(job.placed), list(job.programs), list(job.program_of)  # spawned ones follow
    job = replace(job, placed=placed, programs=programs, program_of=program_of)
    count = len(placed)
    begun = time.perf_counter()
    errors = sys.stderr
    firsts = [program_of.index(number) for number in range(len(programs))] if job.apart else [0]
    for first, end in zip(firsts, [*firsts[1:], count], strict=True):
        hosts = ffi.new("uint32_t[]", placed[first:end])
        if first == 0:
            lib.pysmpi_simulation_begin(end, hosts)
        else:
            lib.pysmpi_add_ranks(end - first, hosts)
    objects.reset()
    forget_samples()
    forget_phases()
    forget_reports(program_of)
    if job.blas is not None:
        activate(job.blas, job.seed, job.first_seeded)
    numbers = [0] * count if job.apart else program_of
    lib.pysmpi_set_application_numbers(count, ffi.new("int[]", numbers))
    try:
        check_hosts(job.platform, placed)
        meters = Meters(job.platform, job.configuration["plugin"])

        def start_thread(number: int, body: Callable[[], None]) -> None:
            ranks.start_thread(number, body)

        def host_name(rank: int) -> str:
            return job.platform.hosts[job.placed[rank]].name

        worlds = Worlds(placed)
        for first, end in zip(firsts, [*firsts[1:], count], strict=True):
            worlds.add(first, end)
        with (
            saving_run(job.save_run) as saved,
            observed() if job.check else nullcontext() as observation,
            _isolated_job(job, worlds, start_thread) as streams,
        ):
            runner = _Runner(job, mpi, streams)
            ranks = Ranks(
                count=count,
                host_name=host_name,
                run=runner.run,
                ended=runner.end,
                forget=streams.forget,
                aborts_at_its_end=lambda rank: abort_status(rank) != 0,
                all_sends_wait=not job.configuration["smpi/buffering"],
                errors=errors,
                report=streams.errors.report,
                debugger=Debugger(job.debugging),
            )
            seconds = job.configuration["smpi/spawn-time"]
            spawner = Spawner(job.platform, placed, programs, program_of, seconds, ranks, worlds, streams, search_path)
            set_launcher(spawner)
            best = _best(job)
            with (
                best or nullcontext(),
                progress_line(errors, _look) if job.progress else nullcontext(),
                _folding(job, errors),
                recording(job.trace, count) as traces,
                timeline(job.timeline, job.timeline_format) as written,
                observing(
                    job.platform,
                    host_name,
                    times=job.profile or job.save_run is not None,
                    traffic=job.network_report or job.save_run is not None,
                ) as profiled,
            ):
                ranks.run_all()
                profile = profiled.profile() if profiled else None
                network = profiled.network() if profiled else None
                if traces is not None and not ranks.failed:
                    traces.keep()
            if written is not None and written.failure is None and ranks.failed:
                errors.write(f"pysmpi: the timeline in {job.timeline} ends where the run did, before its time\n")
            result = Result(
                simulated_time=lib.pysmpi_now(),
                wall_time=time.perf_counter() - begun,
                peak_memory=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                counters=read_counters(),
                ranks=ranks.outcomes,
                network_model=job.configuration.network_model.name,
                time_spent=_time_spent(),
                best=best.choices() if best else (),
                findings=observation.findings(ranks.outcomes, complete=not ranks.failed) if observation else (),
                routines=deactivate(),
                energy=meters.hosts(),
                link_energy=meters.links(),
                phases=phase_uses(),
                reported=reported(),
                profile=profile,
                network=network,
            )
            if saved is not None:
                saved.keep(result, job.configuration, job.platform, " : ".join(own.words for own in job.programs))
    finally:
        deactivate()
        lib.pysmpi_simulation_end()
        objects.reset()
    failure = ranks.failure
    for record in (traces, written):
        failure = failure or (record.failure if record is not None else None)
    return Conclusion(result, failure, ranks.interrupted, streams.verdicts.lines())


def _best(job: Job) -> Best | None:
    if not job.configuration.finds_best_algorithms:
        return None
    return Best(
        job.platform.source,
        lambda rank: job.platform.hosts[job.placed[rank]].name,
        job.configuration.without_algorithms(),
    )


def _folding(job: Job, errors: TextIO) -> AbstractContextManager[None]:
    def report(text: str) -> None:
        errors.write(f"pysmpi: {text}\n")

    machine = memory_machine(job.platform, job.configuration)
    share_memory(job.platform, job.configuration, machine)
    return folding(
        folds=job.configuration["smpi/shared-malloc"] != "no",
        block=int(job.configuration["smpi/shared-malloc-blocksize"]),
        huge_pages=job.configuration["smpi/shared-malloc-hugepage"],
        threshold=int(job.configuration["smpi/auto-shared-malloc-thresh"]),
        machine=machine,
        report=report,
    )


def _isolated_job(
    job: Job, worlds: Worlds, start_thread: Callable[[int, Callable[[], None]], None]
) -> AbstractContextManager[Isolated]:
    outside = list(sys.argv)

    def program(rank: int) -> Program:
        return job.programs[job.program_of[rank]]

    def arguments(rank: int) -> list[str]:
        own = program(rank)
        if not isinstance(own, MainProgram):
            return outside
        return [word.replace("{rank}", str(rank)) for word in own.arguments] if job.fills_rank else own.arguments

    def search_path(rank: int) -> list[str]:
        own = program(rank)
        return [own.search_path] if isinstance(own, MainProgram) else []

    mains = [own for own in job.programs if isinstance(own, MainProgram)]
    return isolated(
        len(job.placed),
        arguments=arguments,
        search_path=search_path,
        host_name=lambda rank: job.platform.hosts[job.placed[rank]].name,
        host_cores=lambda rank: job.platform.hosts[job.placed[rank]].cores,
        variables=worlds.variables,
        host_number=job.platform.find_number,
        seed=job.seed,
        first_seeded=job.first_seeded,
        models_arithmetic=job.blas is not None,
        label=job.label,
        directories=[*(own.search_path for own in mains), "."] if mains else [],
        packages=[own.package for own in mains if own.package],
        start_thread=start_thread,
        output_directory=job.output_directory,
        debugged=job.debugging.rank,
    )


class _Runner:
    """Runs the ranks' programs."""

    def __init__(self, job: Job, mpi: Any, streams: Isolated) -> None:
        self._job = job
        self._mpi = mpi
        self._streams = streams
        self._mains: dict[int, ModuleType] = {}
        for program in job.programs:
            if isinstance(program, FunctionProgram) and program.globals is not None:
                isolate_assignments(program.globals)

    def run(self, rank: int) -> Any:
        """The rank's program from its beginning to its end."""
        program = self._job.programs[self._job.program_of[rank]]
        if isinstance(program, FunctionProgram):
            return program.function(*program.positional, **program.named)
        if program.start > 0 and lib.pysmpi_sleep(program.start) < 0:
            raise RankStopped
        if program.directory is not None:
            os.chdir(program.directory)
        if program.flags:
            sys.flags = Flags(dict(program.flags))  # type: ignore[assignment]
        for name in program.modules_by_name():
            isolate_entry(rank, sys.modules, name, sys.modules[name])
        module = self._mains[rank] = program.new_main()
        own_module(rank, module)
        # What exec would do, without its place on the stack: of each rank that is blocked the stack is kept.
        FunctionType(program.code, module.__dict__)()
        return None

    def end(self, rank: int) -> None:
        """What a process does between its program's end and its own."""
        lib.pysmpi_account_computation()
        try:
            self._streams.end_rank(rank)
            status = abort_status(rank)
            if status and not self._mpi.Is_finalized():
                lib.pysmpi_abort(status)
        finally:
            lib.pysmpi_keep_messages()
            main = self._mains.pop(rank, None)
            if main is not None:
                _tear_down(main.__dict__)


def _tear_down(namespace: dict[str, Any]) -> None:
    """Lets a rank's objects go, while the rank still runs. Its functions refer to them: the collector would be late.

    As at an interpreter's end, finalisers see the other globals.
    """
    for name in [name for name, value in namespace.items() if hasattr(type(value), "__del__")]:
        del namespace[name]
    namespace.clear()


def _time_spent() -> TimeSpent:
    native = ffi.new("pysmpi_time_spent *")
    lib.pysmpi_read_time_spent(native)
    return TimeSpent(**{name: getattr(native, name) for name in TimeSpent.__slots__})


def _look() -> tuple[float, int]:
    return lib.pysmpi_now(), read_counters().events
