"""Several jobs on one platform: each with a world, hosts and a start of its own, and all with the same network.

What a job loses by the others is told by running it alone afterwards, on the same hosts. Ranks that call MPI_Abort or
raise, in whichever job, end the simulation, as they do where there is only one.
"""

import contextlib
import io
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pysmpi.compute.blas.model import BlasModel
from pysmpi.errors import LaunchError, PysmpiError
from pysmpi.experiments.jobs_file import JobDescription, read_jobs
from pysmpi.instruments.reports import Figure, reported
from pysmpi.launch.job import Conclusion, Job, run
from pysmpi.launch.machine import configured_machine
from pysmpi.launch.outcome import Ending
from pysmpi.launch.placement import by_hostfile, by_mapping, free_cores
from pysmpi.launch.program import script_program
from pysmpi.launch.simulate import raise_what_went_wrong
from pysmpi.platform import Description, Platform
from pysmpi.platform.patterns import hosts_named
from pysmpi.settings.configuration import Configuration
from pysmpi.util.columns import aligned
from pysmpi.util.quantities import human_seconds

__all__ = ["JobDescription", "JobOutcome", "Together", "describe_jobs", "place_jobs", "run_jobs", "simulate_jobs"]

_BY_ITSELF = (Ending.RETURNED, Ending.EXITED)


@dataclass(frozen=True)
class JobOutcome:
    """What became of a job.

    Attributes:
        name: its name.
        ranks: how many.
        start: simulated seconds at which it began.
        seconds: that it took beside the others; None: it has not come to its end.
        alone: that it took without them; None: it was not tried, or did not come to its end.
        reported: what its program has told by `pysmpi.report`, beside the others.
    """

    name: str
    ranks: int
    start: float
    seconds: float | None
    alone: float | None = None
    reported: Mapping[str, Figure] = field(default_factory=dict)

    @property
    def slowdown(self) -> float | None:
        """How many times as long it took beside the others as alone."""
        return None if self.seconds is None or not self.alone else self.seconds / self.alone


def place_jobs(jobs: Sequence[JobDescription], platform: Platform) -> list[list[int]]:
    """The host of each rank of each job: first those of jobs that name hosts, then the others' on cores that are free.

    Raises:
        PlacementError: a host is unknown, or there are too few cores.
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
    """What came of all jobs.

    Attributes:
        conclusion: of the simulation in which all run.
        jobs: what became of each.
    """

    conclusion: Conclusion
    jobs: list[JobOutcome] = field(default_factory=list)


def run_jobs(
    jobs: Sequence[JobDescription],
    platform: Platform,
    configuration: Configuration,
    *,
    seed: int = 0,
    label: bool = False,
    progress: bool = False,
    blas: BlasModel | None = None,
    timeline: str | os.PathLike[str] | None = None,
    timeline_format: str | None = None,
) -> Together:
    """Runs the jobs together, and then each alone; what it prints then is not shown.

    Args:
        jobs: the jobs.
        platform: the machine.
        configuration: the settings.
        seed: of random numbers that ranks do not seed.
        label: lines of output begin with the rank.
        progress: a progress line is shown on a terminal.
        blas: how long calls of BLAS and LAPACK take; None: as long as they took here.
        timeline: the file that is to hold what all do together; None: none.
        timeline_format: of that file; None: as its ending has it.

    Raises:
        PysmpiError: what `pysmpi.launch.job.run` raises, or a job cannot be placed.
        SyntaxError: a program is not Python.
    """
    hosts = place_jobs(jobs, platform)
    programs = [script_program(job.program, job.arguments) for job in jobs]
    for program, job in zip(programs, jobs, strict=True):
        program.start = job.start
    numbers = [number for number, job in enumerate(jobs) for _ in range(job.ranks)]
    placed = [host for of_job in hosts for host in of_job]
    whole = Job(
        platform,
        placed,
        programs,
        numbers,
        configuration,
        seed=seed,
        label=label,
        progress=progress,
        blas=blas,
        timeline=timeline,
        timeline_format=timeline_format,
        apart=True,
    )
    conclusion = run(whole)
    told = [reported(number) for number in range(len(jobs))]
    seconds = _seconds(conclusion, numbers, jobs)
    failed = conclusion.failure is not None or conclusion.result.exit_status != 0
    outcomes = []
    for number, job in enumerate(jobs):
        by_itself = None
        if not failed and not conclusion.interrupted:
            mine = _alone(whole, number, hosts[number])
            (by_itself,) = _seconds(mine, [0] * job.ranks, [job])
            conclusion = replace(conclusion, interrupted=mine.interrupted)
        outcomes.append(JobOutcome(job.name, job.ranks, job.start, seconds[number], by_itself, told[number]))
    return Together(conclusion, outcomes)


def simulate_jobs(
    jobs: Sequence[JobDescription] | str | os.PathLike[str],
    *,
    platform: str | os.PathLike[str] | Platform | Description,
    cfg: Mapping[str, Any] | Iterable[str] = (),
    seed: int = 0,
) -> list[JobOutcome]:
    """Runs jobs together on one machine, and then each alone.

    Args:
        jobs: the jobs, or the path of the file that describes them.
        platform: as for `pysmpi.simulate`.
        cfg: settings by SimGrid's names.
        seed: of random numbers that ranks do not seed.

    Returns:
        What became of each: its seconds, those it takes alone, and the slowdown.

    Raises:
        LaunchError: the file is not valid, or there are no jobs.
        PysmpiError: as `pysmpi.simulate` has them; a failure of any job is one.
    """
    machine, configuration = configured_machine(platform, cfg)
    described = read_jobs(jobs) if isinstance(jobs, str | os.PathLike) else jobs
    if not described:
        raise LaunchError("there are no jobs")
    for job in described:
        if not isinstance(job, JobDescription):
            raise LaunchError(f"{job!r} is not a job; valid are JobDescription(program, ranks, …)")
    together = run_jobs(described, machine, configuration, seed=seed)
    raise_what_went_wrong(together.conclusion)
    return together.jobs


def _alone(whole: Job, number: int, hosts: Sequence[int]) -> Conclusion:
    """What comes of a job by itself, from the same start: machines change in time.

    Its ranks draw the random numbers that they draw beside the others.
    """
    mine = replace(
        whole,
        placed=hosts,
        programs=[whole.programs[number]],
        program_of=[0] * len(hosts),
        first_seeded=whole.program_of.index(number),
        label=False,
        progress=False,
        timeline=None,
        apart=False,
    )
    with _silence():
        return run(mine)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Nothing is seen of what is printed meanwhile, by processes that programs start neither."""
    kept: list[tuple[int, int]] = []
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor, stream in ((1, sys.stdout), (2, sys.stderr)):
        stream.flush()
        with contextlib.suppress(OSError):  # it is closed
            kept.append((descriptor, os.dup(descriptor)))
            os.dup2(nowhere, descriptor)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        with contextlib.suppress(OSError):  # the program has closed what it does not know
            for descriptor, former in kept:
                os.dup2(former, descriptor)
                os.close(former)
            os.close(nowhere)


def _seconds(conclusion: Conclusion, numbers: Sequence[int], jobs: Sequence[JobDescription]) -> list[float | None]:
    """How long each took, from its start to its last rank's end. Ranks that were spawned belong to none."""
    ends: list[float | None] = [0.0] * len(jobs)
    for number, outcome in zip(numbers, conclusion.result.ranks, strict=False):
        end, last = ends[number], outcome.ended_at if outcome.ending in _BY_ITSELF else None
        ends[number] = None if end is None or last is None else max(end, last)
    return [None if end is None else end - job.start for end, job in zip(ends, jobs, strict=True)]


def describe_jobs(outcomes: Sequence[JobOutcome]) -> list[str]:
    """Lines that tell what became of each."""

    def time(seconds: float | None) -> str:
        return "-" if seconds is None else human_seconds(float(f"{seconds:.6g}"))

    rows = [("job", "ranks", "start", "took", "alone", "slowdown")]
    rows += [
        (each.name, f"{each.ranks:,}", time(each.start), time(each.seconds), time(each.alone),
         "-" if each.slowdown is None else f"{each.slowdown:.3f}")
        for each in outcomes
    ]  # fmt: skip
    return aligned(rows, right=[1, 2, 3, 4, 5])
