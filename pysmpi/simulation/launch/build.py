"""Construction of a simulation from a job: platform, settings, engine, worlds, isolation and ranks."""

import sys
import time
from _tracemalloc import is_tracing  # tracemalloc itself takes long to import
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from pysmpi.errors import SimulationError
from pysmpi.native import ffi, lib
from pysmpi.simulation import mpi as objects
from pysmpi.simulation.compute import forget_samples
from pysmpi.simulation.instruments.instrument import Run
from pysmpi.simulation.isolation import Isolated, isolated
from pysmpi.simulation.isolation.mpi4py_settings import abort_status
from pysmpi.simulation.isolation.own_stacks import on_own_stack
from pysmpi.simulation.launch.binding import bind
from pysmpi.simulation.launch.child_process import PROLOGUE
from pysmpi.simulation.launch.debugging import Debugger, Debugging
from pysmpi.simulation.launch.job import Job
from pysmpi.simulation.launch.local_work import set_local_work
from pysmpi.simulation.launch.machine_setup import install
from pysmpi.simulation.launch.program import ExecutableProgram, FunctionProgram, MainProgram, Program
from pysmpi.simulation.launch.program_runner import ProgramRunner
from pysmpi.simulation.launch.rank_threads import threads_of_ranks
from pysmpi.simulation.launch.ranks import Ranks
from pysmpi.simulation.launch.spawning import Spawner
from pysmpi.simulation.launch.stop_reasons import check_hosts
from pysmpi.simulation.launch.worlds import Worlds
from pysmpi.simulation.mpi.spawn import set_launcher
from pysmpi.simulation.settings.options import STACK_SIZE
from pysmpi.util.open_files import raise_limit
from pysmpi.util.traceback_text import register_our_files

__all__ = ["Simulation", "built"]


@dataclass(frozen=True)
class Simulation:
    """A simulation that is ready to run.

    Attributes:
        run: information for the instruments, which observe the run.
        ranks: the ranks, which `Ranks.run_all` runs.
        isolated: isolation of the ranks, which gives each rank its own modules, variables and streams.
        begun: value of ``time.perf_counter()`` when the engine began.
    """

    run: Run
    ranks: Ranks
    isolated: Isolated
    begun: float


@contextmanager
def built(job: Job) -> Iterator[Simulation]:
    """Build the simulation of a job, yield it ready to run, and tear it down when the context ends.

    Raises:
        PysmpiError: as `pysmpi.simulation.launch.run.run` describes.
    """
    if lib.pysmpi_rank_count() > 0:
        raise SimulationError("a simulation is under way in this process; another can begin when it has ended")
    debugging = Debugging(job.options.pdb, job.options.break_at)
    debugging.prepare(len(job.placed))
    on_stack = on_own_stack if job.options.own_stacks else _on_common_stack
    mpi = bind()
    _prepare_process(job)
    search_path = list(sys.path)
    install(job.platform, job.configuration, job.options.seed, job.scalings)
    lib.pysmpi_set_number(b"threads", threads_of_ranks(job.configuration))
    # Spawned programs and their ranks are appended to these lists.
    placed, programs, program_of = list(job.placed), list(job.programs), list(job.program_of)
    job = replace(job, placed=placed, programs=programs, program_of=program_of)
    begun, errors = time.perf_counter(), sys.stderr
    spans = _spans_of_worlds(job)
    _begin_engine(job, spans)
    try:
        check_hosts(job.platform, job.placed)
        set_local_work(job.platform, job.placed, job.configuration)

        def start_thread(number: int, body: Callable[[], None]) -> None:
            ranks.start_thread(number, on_stack(body))

        worlds = Worlds(job.placed)
        for first, _ in spans:
            worlds.add(first)
        with (
            _isolated_job(job, worlds, start_thread) as streams,
            closing(ProgramRunner(job, mpi, streams)) as runner,
        ):
            ranks = Ranks(
                count=len(job.placed),
                host_name=lambda rank: _host_name(job, rank),
                run=on_stack(runner.run),
                ended=on_stack(runner.end),
                forget=streams.forget,
                aborts_at_its_end=lambda rank: abort_status(rank) != 0,
                all_sends_wait=not job.configuration["smpi/buffering"],
                errors=errors,
                hook=sys.excepthook,  # hook of the host, such as a notebook, as ranks see it
                report=streams.errors.report,
                debugger=Debugger(debugging),
            )
            seconds = job.configuration["smpi/spawn-time"]
            set_launcher(
                Spawner(job.platform, placed, programs, program_of, seconds, ranks, worlds, streams, search_path)
            )
            run = Run(
                platform=job.platform,
                configuration=job.configuration,
                command_line=lambda: " : ".join(each.words for each in programs),
                program_of=program_of,
                host_name=lambda rank: _host_name(job, rank),
                errors=errors,
                scalings=job.scalings,
            )
            yield Simulation(run, ranks, streams, begun)
    finally:
        lib.pysmpi_simulation_end()
        objects.reset()


def _on_common_stack(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _prepare_process(job: Job) -> None:
    if not all(isinstance(each, ExecutableProgram) for each in job.programs):
        import numpy.random  # noqa: F401 - loaded once for all ranks; executables start the sooner without it
    register_our_files()
    raise_limit()
    lib.pysmpi_pool_frames()
    # When tracemalloc stops, it restores the allocator that it replaced, which would then be asked to free blocks of
    # the pool.
    if not is_tracing():
        lib.pysmpi_pool_stacks()


def _spans_of_worlds(job: Job) -> list[tuple[int, int]]:
    """Return for each MPI_COMM_WORLD of a job its first rank, and its last rank plus one."""
    firsts = [job.program_of.index(number) for number in range(len(job.programs))] if job.apart else [0]
    return list(zip(firsts, [*firsts[1:], len(job.placed)], strict=True))


def _begin_engine(job: Job, spans: Sequence[tuple[int, int]]) -> None:
    for first, end in spans:
        hosts = ffi.new("uint32_t[]", job.placed[first:end])
        if first == 0:
            lib.pysmpi_simulation_begin(end, hosts)
        else:
            lib.pysmpi_add_ranks(end - first, hosts)
    objects.reset()
    forget_samples()
    numbers = [0] * len(job.placed) if job.apart else job.program_of
    lib.pysmpi_set_application_numbers(len(numbers), ffi.new("int[]", numbers))


def _host_name(job: Job, rank: int) -> str:
    return job.platform.hosts[job.placed[rank]].name


def _isolated_job(
    job: Job, worlds: Worlds, start_thread: Callable[[int, Callable[[], None]], None]
) -> AbstractContextManager[Isolated]:
    outside = list(sys.argv)

    def program(rank: int) -> Program:
        return job.programs[job.program_of[rank]]

    def arguments(rank: int) -> list[str]:
        own = program(rank)
        if isinstance(own, FunctionProgram):
            return outside
        fills = job.options.fill_rank
        return [word.replace("{rank}", str(rank)) for word in own.arguments] if fills else own.arguments

    def search_path(rank: int) -> list[str]:
        own = program(rank)
        return [own.search_path] if isinstance(own, MainProgram) else []

    mains = [own for own in job.programs if isinstance(own, MainProgram)]
    return isolated(
        len(job.placed),
        arguments=arguments,
        search_path=search_path,
        host_name=lambda rank: _host_name(job, rank),
        host_cores=lambda rank: job.platform.hosts[job.placed[rank]].cores,
        variables=worlds.variables,
        host_number=job.platform.find_number,
        seed=job.options.seed,
        first_seeded=job.first_seeded,
        models_arithmetic=job.options.blas is not None,
        label=job.options.label,
        directories=[*(own.search_path for own in mains), "."] if mains else [],
        packages=[own.package for own in mains if own.package],
        chosen={**dict.fromkeys(job.options.share, False), **dict.fromkeys(job.options.private, True)},
        shared_threads=job.options.share_threads,
        stack_size=job.configuration[STACK_SIZE],
        private_libraries=job.options.private_libs,
        start_thread=start_thread,
        child_prologue=PROLOGUE,
        output_directory=job.options.rank_stdout,
        debugged=job.options.pdb,
    )
