"""Several jobs on one platform, each with its own MPI_COMM_WORLD, hosts and start time, sharing one network.

Each job is simulated again alone on the same hosts, to measure its slowdown by the other jobs. If a rank of any job
calls MPI_Abort or raises an exception, the simulation ends.
"""

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pysmpi.errors import LaunchError, PysmpiError
from pysmpi.platform import Description, Platform
from pysmpi.platform.patterns import hosts_named
from pysmpi.simulation.experiments.best_trials import trials
from pysmpi.simulation.experiments.jobs_file import JobDescription, read_jobs
from pysmpi.simulation.instruments.outcome import Ending
from pysmpi.simulation.instruments.reports import Figure, reported
from pysmpi.simulation.launch.collect import Conclusion
from pysmpi.simulation.launch.instrument_kinds import options_of_copy
from pysmpi.simulation.launch.job import Job
from pysmpi.simulation.launch.machine_setup import configured_machine
from pysmpi.simulation.launch.placement import by_hostfile, by_mapping, free_cores
from pysmpi.simulation.launch.program import program_of_file
from pysmpi.simulation.launch.run import run
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.run_options import RunOptions
from pysmpi.util.columns import aligned
from pysmpi.util.quantities import human_seconds
from pysmpi.util.traceback_text import at_caller

__all__ = ["JobDescription", "JobOutcome", "Together", "describe_jobs", "place_jobs", "run_jobs", "simulate_jobs"]

_BY_ITSELF = (Ending.RETURNED, Ending.EXITED)


@dataclass(frozen=True)
class JobOutcome:
    """Outcome of one job.

    Attributes:
        name: name of the job.
        ranks: number of ranks.
        start: simulated seconds at which the job started.
        seconds: duration while the other jobs run, in simulated seconds, or None if the job did not end.
        alone: duration without the other jobs in simulated seconds, or None if it was not simulated or did not end.
        reported: metrics that the program reported with `pysmpi.report` while the other jobs ran.
    """

    name: str
    ranks: int
    start: float
    seconds: float | None
    alone: float | None = None
    reported: Mapping[str, Figure] = field(default_factory=dict)

    @property
    def slowdown(self) -> float | None:
        """Duration with the other jobs divided by the duration alone, or None if one of them is unknown."""
        return None if self.seconds is None or not self.alone else self.seconds / self.alone


def place_jobs(jobs: Sequence[JobDescription], platform: Platform) -> list[list[int]]:
    """Return the host number of each rank, by job. Jobs that name hosts are placed first, then all other jobs.

    Raises:
        PlacementError: if a host is unknown, or there are too few cores.
    """
    placed: dict[int, list[int]] = {}
    taken: list[int] = []
    order = sorted(range(len(jobs)), key=lambda number: not (jobs[number].hosts or jobs[number].hostfile))
    for number in order:
        job = jobs[number]
        try:
            placed[number] = _placed(job, platform, taken)
        except PysmpiError as error:
            raise type(error)(f"job {job.name}: {error}") from None
        taken += placed[number]
    return [placed[number] for number in range(len(jobs))]


def _placed(job: JobDescription, platform: Platform, taken: Sequence[int]) -> list[int]:
    if job.hostfile is not None:
        return by_hostfile(job.ranks, job.hostfile, platform)
    cores = list(free_cores(platform, () if job.hosts else taken, lambda host: True))
    if job.hosts:
        of_host: dict[int, list[int]] = {index: [] for name in job.hosts for index in hosts_named(platform, name)}
        for core in cores:
            if core in of_host:
                of_host[core].append(core)
        cores = [core for each in of_host.values() for core in each]
    return by_mapping(job.mapping, job.ranks, cores, job.seed)


@dataclass(frozen=True)
class Together:
    """Outcome of a simulation of several jobs, and of each job.

    Attributes:
        conclusion: outcome of the simulation in which all jobs run.
        jobs: outcome of each job.
    """

    conclusion: Conclusion
    jobs: list[JobOutcome] = field(default_factory=list)


def run_jobs(
    jobs: Sequence[JobDescription],
    platform: Platform,
    configuration: Configuration,
    options: RunOptions,
) -> Together:
    """Run the jobs together, and then each job alone, with the measured computation of the first run.

    Output of the jobs that run alone is discarded.

    Args:
        jobs: the jobs.
        platform: the machine.
        configuration: the settings.
        options: options of the run of all jobs.

    Raises:
        PysmpiError: as raised by `pysmpi.simulation.launch.run.run`, or if a job cannot be placed.
        SyntaxError: if a program is not valid Python.
    """
    hosts = place_jobs(jobs, platform)
    programs = [program_of_file(job.program, job.arguments, job.ranks, platform.source) for job in jobs]
    for program, job in zip(programs, jobs, strict=True):
        program.start = job.start
    numbers = [number for number, job in enumerate(jobs) for _ in range(job.ranks)]
    placed = [host for of_job in hosts for host in of_job]
    with tempfile.TemporaryDirectory(prefix="pysmpi-") as folder:
        whole = Job(
            platform,
            placed,
            programs,
            numbers,
            configuration,
            options,
            apart=True,
            trials=trials,
            shares_intervals=True,
            intervals=os.path.join(folder, "intervals"),
        )
        conclusion = run(whole)
        figures = [reported(number) for number in range(len(jobs))]
        seconds = _seconds(conclusion, numbers, jobs)
        failed = conclusion.failure is not None or conclusion.result.exit_status != 0
        outcomes = []
        for number, job in enumerate(jobs):
            by_itself = None
            if not failed and not conclusion.interrupted:
                mine = _alone(whole, number, hosts[number])
                (by_itself,) = _seconds(mine, [0] * job.ranks, [job])
                conclusion = replace(conclusion, interrupted=mine.interrupted)
            outcomes.append(JobOutcome(job.name, job.ranks, job.start, seconds[number], by_itself, figures[number]))
        return Together(conclusion, outcomes)


@at_caller
def simulate_jobs(
    jobs: Sequence[JobDescription] | str | os.PathLike[str],
    *,
    platform: str | os.PathLike[str] | Platform | Description,
    cfg: Mapping[str, Any] | Iterable[str] = (),
    smpi: bool | None = None,
    mpi: str | None = None,
    fabric: str | None = None,
    seed: int = 0,
) -> list[JobOutcome]:
    """Run jobs together on one machine, and then each job alone.

    Args:
        jobs: the jobs, or the path of a job file.
        platform: platform as for `pysmpi.simulate`.
        cfg: settings by SimGrid's names.
        smpi: whether to take SMPI's defaults; `smpi`, `mpi` and `fabric` are as for `pysmpi.simulate`.
        mpi: MPI library, or None.
        fabric: network technology, or None.
        seed: seed of random numbers that ranks do not seed.

    Returns:
        Outcome of each job: seconds with the other jobs, seconds alone, and slowdown.

    Raises:
        LaunchError: if the file is not valid, or there are no jobs.
        PysmpiError: as raised by `pysmpi.simulate`, also if any job fails.
    """
    machine, configuration = configured_machine(platform, cfg, smpi=smpi, mpi=mpi, fabric=fabric)
    described = read_jobs(jobs) if isinstance(jobs, str | os.PathLike) else jobs
    if not described:
        raise LaunchError("the list of jobs is empty")
    for job in described:
        if not isinstance(job, JobDescription):
            raise LaunchError(f"{job!r} is not a job; write JobDescription(program, ranks, …)")
    together = run_jobs(described, machine, configuration, RunOptions(seed=seed, quiet=True))
    together.conclusion.raise_failure()
    return together.jobs


def _alone(whole: Job, number: int, hosts: Sequence[int]) -> Conclusion:
    """Simulate one job without the other jobs. The start time is the same, since the machine may change over time.

    The job's ranks draw the same random numbers as in the simulation of all jobs.
    """
    mine = replace(
        whole,
        placed=hosts,
        programs=[whole.programs[number]],
        program_of=[0] * len(hosts),
        first_seeded=whole.program_of.index(number),
        options=replace(options_of_copy(whole.options), label=False),
        apart=False,
    )
    with _silence():
        return run(mine)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Discard all output of this process and its children while the context is open."""
    kept: list[tuple[int, int]] = []
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor, stream in ((1, sys.stdout), (2, sys.stderr)):
        stream.flush()
        with contextlib.suppress(OSError):  # the stream is closed
            kept.append((descriptor, os.dup(descriptor)))
            os.dup2(nowhere, descriptor)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        with contextlib.suppress(OSError):  # the program may have closed all descriptors
            for descriptor, former in kept:
                os.dup2(former, descriptor)
                os.close(former)
            os.close(nowhere)


def _seconds(conclusion: Conclusion, numbers: Sequence[int], jobs: Sequence[JobDescription]) -> list[float | None]:
    """Return each job's seconds from its start to the end of its last rank. Spawned ranks belong to no job."""
    ends: list[float | None] = [0.0] * len(jobs)
    for number, outcome in zip(numbers, conclusion.result.ranks, strict=False):
        end, last = ends[number], outcome.ended_at if outcome.ending in _BY_ITSELF else None
        ends[number] = None if end is None or last is None else max(end, last)
    return [None if end is None else end - job.start for end, job in zip(ends, jobs, strict=True)]


def describe_jobs(outcomes: Sequence[JobOutcome]) -> list[str]:
    """Return the lines of a table with each job's start, duration, duration alone, and slowdown."""

    def time(seconds: float | None) -> str:
        return "-" if seconds is None else human_seconds(float(f"{seconds:.6g}"))

    rows = [("job", "ranks", "start", "took", "alone", "slowdown")]
    rows += [
        (each.name, f"{each.ranks:,}", time(each.start), time(each.seconds), time(each.alone),
         "-" if each.slowdown is None else f"{each.slowdown:.3f}")
        for each in outcomes
    ]  # fmt: skip
    return aligned(rows, right=[1, 2, 3, 4, 5])
