"""Points: the simulations of a study, each with a hash of all inputs of its outcome."""

import functools
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pysmpi.errors import LaunchError, StudyError
from pysmpi.simulation.experiments.jobs_file import JobDescription, parse_jobs
from pysmpi.simulation.settings.layers import words_of_environment
from pysmpi.simulation.settings.options import BUSY_CORES, CLOCK, MPI, REPLACEMENT
from pysmpi.study import template
from pysmpi.study.designs import MOST_POINTS
from pysmpi.study.factor_levels import Value
from pysmpi.study.inputs import (
    digest,
    files_named,
    files_of_model,
    files_of_platform,
    is_file,
    matching,
    names_in_platform,
    program_files,
)
from pysmpi.study.parameters import HOSTFILE, settings_of
from pysmpi.study.study_description import Description
from pysmpi.study.task import Task
from pysmpi.study.versions import versions

__all__ = ["Point", "plan"]

# Settings that change how computation is measured; the first one decides whether it is measured at all.
_OF_COMPUTATION = ("smpi/simulate-computation:", f"{BUSY_CORES}:", f"{CLOCK}:", f"{REPLACEMENT}:", f"{MPI}:")
_RANDOM_ROUTINGS = ("random", "turns", "valiant")


@dataclass(frozen=True)
class Point:
    """One simulation of a study: a replicate of one combination of parameter values.

    Attributes:
        number: number of the point in the order of the design, counted from 1.
        replicate: number of the replicate, counted from 1.
        values: values of all parameters.
        task: the simulation's inputs.
        key: hash of everything that the outcome depends on: the task, the content of files, and pysmpi's version.
        computation: hash of everything that the ranks' computation depends on: the program with its arguments, files
            and seed, the number of ranks, and how computation is measured. Points on different machines may have the
            same hash. Empty for jobs and functions, and if no computation is measured.
    """

    number: int
    replicate: int
    values: dict[str, Value]
    task: Task
    key: str
    computation: str = ""


def plan(study: Description) -> list[Point]:
    """Return all points (simulations) of a study.

    Raises:
        StudyError: if a file cannot be read, the jobs of a point are not valid, or there are too many points.
    """
    folder = Path(study.folder).resolve()
    texts = {"platform": "" if study.function else study.platform_text, "jobs": study.jobs_text}
    places = [folder] if study.platform_path is None else [study.platform_path.resolve().parent, folder]
    names = {name: bool(template.fields(name)) for name in names_in_platform(texts["platform"])}
    named = files_of_platform([name for name, varies in names.items() if not varies], places)
    inputs = matching(study.inputs, folder)
    inputs += [module for path in inputs if path.suffix == ".py" for module in program_files(path)]
    if study.program_path is not None:
        inputs += program_files(study.program_path)
    if study.blas_path is not None:
        inputs.append(study.blas_path.resolve())
    of_inputs = _digests(inputs, folder)
    of_all = list((_digests(named, folder) | of_inputs).items())
    of_file = functools.cache(digest)
    of_program = functools.cache(program_files)  # cached, since most points have the same jobs

    points: list[Point] = []
    for values in study.combinations():
        jobs_text = template.filled_toml(texts["jobs"], _of_group("jobs", values))
        jobs = _jobs(study, jobs_text, values)
        files = [path for job in jobs for path in [*of_program(Path(job.program)), *_files_of_job(job, folder)]]
        task = _task(study, texts["platform"], folder, values, jobs_text, jobs)
        of_arguments = files_named([*task.arguments, *map(str, task.call_arguments.values())], folder)
        files += of_arguments
        varying = [template.filled(name, _of_group("platform", values)) for name, varies in names.items() if varies]
        files += files_of_platform(varying, places)
        files += files_of_model(task.platform, folder)
        if task.mapping.startswith(HOSTFILE):
            files += files_named([task.mapping.removeprefix(HOSTFILE)], folder)
        hashes = [*of_all, *((path.name, of_file(path)) for path in files)]
        replicates = study.replicates if _is_replicated(study, values, jobs) else 1
        if len(points) + replicates > MOST_POINTS:
            raise StudyError(
                f"with {study.replicates} replicates the study has more than {MOST_POINTS:,} points; "
                "use fewer replicates"
            )
        for replicate in range(1, replicates + 1):
            seeded = replace(task, seed=study.seed + replicate - 1)
            computation = _computation(
                seeded, [*of_inputs.items(), *((path.name, of_file(path)) for path in of_arguments)]
            )
            points.append(Point(len(points) + 1, replicate, values, seeded, _key(seeded, hashes, folder), computation))
    return points


def _digests(files: Sequence[Path], folder: Path) -> dict[str, str]:
    return {os.path.relpath(path, folder): digest(path) for path in files}


def _jobs(study: Description, text: str, values: dict[str, Value]) -> list[JobDescription]:
    """Return the jobs that a point (simulation) runs, or an empty list for a study of one program."""
    path = study.jobs_path
    if path is None:
        return []
    try:
        jobs = parse_jobs(text, path.resolve())
    except LaunchError as error:
        given = _of_group("jobs", values).items()
        raise StudyError(
            f"{error}{''.join(f'; jobs.{name} is {value!r} in this point' for name, value in given)}"
        ) from None
    for job in jobs:
        if not is_file(Path(job.program)):
            raise StudyError(f"{path}: job {job.name}: script {job.program!r} does not exist")
    return jobs


def _files_of_job(job: JobDescription, folder: Path) -> list[Path]:
    """Return the files that a job's arguments name, and the job's hostfile."""
    files = files_named(job.arguments, folder)
    return files if job.hostfile is None else [*files, *files_named([job.hostfile], folder)]


def _of_group(group: str, values: dict[str, Value]) -> dict[str, Value]:
    return {name.partition(".")[2]: value for name, value in values.items() if name.startswith(f"{group}.")}


def _task(
    study: Description,
    platform_text: str,
    folder: Path,
    values: dict[str, Value],
    jobs_text: str,
    jobs: Sequence[JobDescription],
) -> Task:
    """Return the inputs of the simulation for the first replicate of these parameter values."""
    program, platform, file_of_jobs = study.program_path, study.platform_path, study.jobs_path
    if (function := study.point_function) is not None:
        arguments = _of_group("arguments", values)
        return Task(str(function.path.resolve()), str(folder), study.seed, study.timeout, function.name, arguments)
    return Task(
        program=None if program is None else str(program.resolve()),
        arguments=tuple(template.filled(word, _of_group("arguments", values)) for word in study.arguments),
        jobs=jobs_text if jobs else None,
        jobs_name=None if file_of_jobs is None else str(file_of_jobs.resolve()),
        ranks=sum(job.ranks for job in jobs) if jobs else int(values["ranks"]),
        platform=template.filled(platform_text, _of_group("platform", values)),
        platform_name=None if platform is None else str(platform.resolve()),
        mapping=str(values.get("mapping", "")),
        cfg=tuple(settings_of(values)),
        seed=study.seed,
        blas=None if study.blas_path is None else str(study.blas_path.resolve()),
        folder=str(folder),
        timeout=study.timeout,
        instruments=tuple(study.instruments),
    )


def _is_replicated(study: Description, values: dict[str, Value], jobs: Sequence[JobDescription]) -> bool:
    mappings = [values.get("mapping"), *(job.mapping for job in jobs)]
    chance = "random" in mappings or values.get("cfg.platform/routing") in _RANDOM_ROUTINGS
    return chance or study.replicated == "all"


def _computation(task: Task, hashes: list[tuple[str, str]]) -> str:
    """Return the hash of what the computation of a task's ranks depends on; see `Point`."""
    settings = [item for item in task.cfg if item.startswith(_OF_COMPUTATION)]
    if task.program is None or task.function is not None or f"{_OF_COMPUTATION[0]}no" in settings:
        return ""
    depends = {
        "arguments": task.arguments,
        "ranks": task.ranks,
        "cfg": settings,
        "words": dict(words_of_environment()),
        "seed": task.seed,
        "files": hashes,
        "pysmpi": versions()["pysmpi"],
        "instruments": task.instruments,
    }
    return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:32]


def _key(task: Task, hashes: list[tuple[str, str]], folder: Path) -> str:
    """Return the hash of a task and its files, under which the outcome is stored.

    It stays the same if the study's folder is moved or the timeout is changed.
    """
    depends = {
        **{
            name: path and os.path.relpath(path, folder)
            for name, path in (("program", task.program), ("blas", task.blas))
        },
        "arguments": task.arguments,
        "jobs": task.jobs,
        "ranks": task.ranks,
        "platform": task.platform,
        "mapping": task.mapping,
        "cfg": task.cfg,
        "words": dict(words_of_environment()),
        "seed": task.seed,
        "files": hashes,
        "pysmpi": versions()["pysmpi"],
        "instruments": task.instruments,
        "function": (task.function, task.call_arguments),
    }
    return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:32]
