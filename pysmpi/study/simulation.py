"""Simulation of one point of a study, or call of its function, in a separate process.

The task comes as JSON from standard input. The outcome is written as JSON to an open file of the parent process. The
first argument is the file's descriptor in the parent, the second one the parent's process id. The process ends when
its parent ends.
"""

import ctypes
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysmpi.errors import PysmpiError, StudyError
from pysmpi.study.task import Task

if TYPE_CHECKING:
    from pysmpi.platform import Platform
    from pysmpi.simulation.instruments.outcome import Result
    from pysmpi.simulation.instruments.reports import Figure

__all__ = ["main"]

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux's prctl
_LONGEST = 4000  # characters kept of an error


def main() -> int:
    """Simulate a task. The exit status is 0 if an outcome has been written, even if the outcome is an error."""
    parent = int(sys.argv[2])
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # the parent ended before the signal was set
        return 1
    task = Task.from_json(json.load(sys.stdin))
    try:
        outcome = _simulate(task)
    except PysmpiError as error:
        outcome = _failed(error.slug, str(error))
    except SyntaxError as error:
        outcome = _failed("program", f"{error.filename}:{error.lineno}: {error.msg}")
    except MemoryError:
        outcome = _failed("memory", "out of memory")
    # The file is opened only now: programs may close or overwrite descriptors that they do not know.
    try:
        with open(f"/proc/{parent}/fd/{sys.argv[1]}", "w") as file:
            json.dump(outcome, file)
    except OSError as error:
        print(f"pysmpi: cannot report the outcome of a study's point: {error.strerror}", file=sys.stderr)
        return 1
    return 0


def _simulate(task: Task) -> dict[str, Any]:
    from pysmpi.study.point_function import call
    from pysmpi.study.point_platform import machine_of

    try:
        os.chdir(task.folder)
    except OSError as error:
        raise StudyError(
            f"on {socket.gethostname()}: cannot use the study's folder {task.folder!r}: {error.strerror}"
        ) from None
    if task.function is not None:
        assert task.program is not None
        returned = call(task.program, task.function, task.call_arguments)
        if isinstance(returned, dict):
            peak_memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            return {"status": "done", "reported": returned, "peak_memory": peak_memory}
        return _outcome_of(task, returned, returned.reported, returned.better)
    with machine_of(task) as machine:
        return _outcome_of(task, *(_run_program(task, machine) if task.jobs is None else _run_jobs(task, machine)))


def _outcome_of(
    task: Task, result: "Result", figures: "Mapping[str, Figure]", better: Mapping[str, str]
) -> dict[str, Any]:
    columns: dict[str, float | str] = {}
    for name in task.instruments:
        columns |= _columns(name, result)
    if result.exit_status != 0:
        return _failed("program", f"the program ended with status {result.exit_status}")
    return {
        "status": "done",
        "simulated_time": result.simulated_time,
        "wall_time": result.wall_time,
        "peak_memory": result.peak_memory,
        "messages": result.counters.messages,
        "events": result.counters.events,
        "energy": None if result.energy is None else result.energy.total,
        "energy_used": None if result.energy is None else result.energy.of_used_hosts,
        "link_energy": None if result.link_energy is None else result.link_energy.total,
        "reported": figures,
        "better": better,
        "columns": columns,
        "busy": result.busy or None,
        **_shared_intervals(result),
        "unscaled": result.unscaled,
        "without_effect": "\n".join(result.without_effect),
    }


def _run_program(task: Task, machine: "Platform") -> "tuple[Result, dict[str, Figure], dict[str, str]]":
    from pysmpi.simulation.experiments.simulate import simulate
    from pysmpi.study.mapping import host_names

    assert task.program is not None
    instruments: dict[str, Any] = dict.fromkeys(task.instruments, True)
    result = simulate(
        task.program,
        np=task.ranks,
        platform=machine,
        cfg=task.cfg,
        args=task.arguments,
        hosts=host_names(task.mapping, task.ranks, machine, task.seed),
        seed=task.seed,
        blas=task.blas,
        **instruments,
        intervals=task.intervals,
    )
    return result, result.reported, result.better


def _columns(instrument: str, result: "Result") -> "dict[str, float | str]":
    from pysmpi.simulation.launch.instrument_kinds import kinds_with_columns

    columns = kinds_with_columns()[instrument].columns
    assert columns is not None
    return columns(result)


def _shared_intervals(result: "Result") -> dict[str, int | None]:
    use = result.intervals
    return {
        "intervals_reused": None if use is None else use.reused,
        "intervals_unmatched": None if use is None or use.spread is not None else use.unmatched,
    }


def _run_jobs(task: Task, machine: "Platform") -> "tuple[Result, dict[str, Figure], dict[str, str]]":
    """Simulate the jobs of a task; return the result of all jobs together, and their metrics and directions by name.

    The metrics of each job are its seconds, its seconds when it runs alone, its slowdown, and what its program
    reported.
    """
    from pysmpi.simulation.experiments.jobs import run_jobs
    from pysmpi.simulation.experiments.jobs_file import parse_jobs
    from pysmpi.simulation.launch.machine_setup import configured_machine
    from pysmpi.simulation.settings.run_options import RunOptions

    assert task.jobs is not None
    assert task.jobs_name is not None
    jobs = [replace(job, seed=job.seed + task.seed) for job in parse_jobs(task.jobs, Path(task.jobs_name))]
    machine, configuration = configured_machine(machine, task.cfg)
    options = RunOptions(seed=task.seed, blas=task.blas, quiet=True)
    together = run_jobs(jobs, machine, configuration, options)
    together.conclusion.raise_failure()
    of_jobs = {name for job in together.jobs for name in job.reported}
    reported = together.conclusion.result.reported
    declared = together.conclusion.result.better
    figures = {
        name: figure for name, figure in reported.items() if name not in of_jobs
    }  # figures of spawned ranks, which belong to no job
    better = {name: declared[name] for name in figures if name in declared}
    for job in together.jobs:
        for name in ("seconds", "alone", "slowdown"):
            value = getattr(job, name)
            if value is not None:
                figures[f"{job.name}.{name}"] = value
                better[f"{job.name}.{name}"] = "less"
        figures |= {f"{job.name}.reported.{name}": value for name, value in job.reported.items()}
        better |= {f"{job.name}.reported.{name}": declared[name] for name in job.reported if name in declared}
    slowdowns = [job.slowdown for job in together.jobs if job.slowdown is not None]
    if slowdowns:
        figures["worst_slowdown"] = max(slowdowns)
    return together.conclusion.result, figures, better


def _failed(kind: str, error: str) -> dict[str, Any]:
    return {"status": "failed", "kind": kind, "error": error[:_LONGEST]}


if __name__ == "__main__":
    sys.exit(main())
