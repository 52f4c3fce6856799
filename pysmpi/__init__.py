"""Simulation of unmodified Python MPI programs on machines that need not exist.

The package has two kinds of users. A simulated program may call the functions of `pysmpi.simulation.compute`, and
`Schedule`; they also work in a real run, without the simulator. A program that starts simulations calls `simulate`; if
it imports mpi4py itself, it calls `use` first. `simulate_replay` simulates without programs, `explain` shows where the
time of one message goes, and `Study` sweeps parameters. Importing pysmpi does not load MPI.
"""

import importlib
from typing import TYPE_CHECKING, Any

from pysmpi.source_tree import use_installation

use_installation(__path__)

if TYPE_CHECKING:
    from pysmpi.errors import PysmpiError
    from pysmpi.estimates import estimate, estimate_rule
    from pysmpi.simulation.collectives.schedule import Schedule
    from pysmpi.simulation.compute import (
        FoldedMemoryError,
        Host,
        Sample,
        execute,
        execute_flops,
        folded_empty,
        host,
        is_folded,
        is_simulated,
        partial_shared_malloc,
        pstate,
        sample,
        set_pstate,
        shared_cache,
        shared_free,
        shared_malloc,
        sleep,
        untimed,
        untimed_program,
    )
    from pysmpi.simulation.compute.blas.charging import modelled_routines, routine_seconds
    from pysmpi.simulation.experiments.explanation import explain
    from pysmpi.simulation.experiments.jobs import JobOutcome, simulate_jobs
    from pysmpi.simulation.experiments.jobs_file import JobDescription
    from pysmpi.simulation.experiments.replicas import Replicas, replicate
    from pysmpi.simulation.experiments.simulate import simulate
    from pysmpi.simulation.experiments.what_if_runs import WhatIf, what_if
    from pysmpi.simulation.instruments import phase, report
    from pysmpi.simulation.instruments.outcome import Result
    from pysmpi.simulation.launch.binding import use
    from pysmpi.simulation.replay import ReplayResult, simulate_replay
    from pysmpi.study import Study

__all__ = [
    "FoldedMemoryError",
    "Host",
    "JobDescription",
    "JobOutcome",
    "PysmpiError",
    "ReplayResult",
    "Replicas",
    "Result",
    "Sample",
    "Schedule",
    "Study",
    "WhatIf",
    "estimate",
    "estimate_rule",
    "execute",
    "execute_flops",
    "explain",
    "folded_empty",
    "host",
    "is_folded",
    "is_simulated",
    "modelled_routines",
    "partial_shared_malloc",
    "phase",
    "pstate",
    "replicate",
    "report",
    "routine_seconds",
    "sample",
    "set_pstate",
    "shared_cache",
    "shared_free",
    "shared_malloc",
    "simulate",
    "simulate_jobs",
    "simulate_replay",
    "sleep",
    "untimed",
    "untimed_program",
    "use",
    "what_if",
]


# The module of each name. It is imported when the name is first used: a program needs few of them, and a command starts
# the sooner.
_MODULES = {
    "FoldedMemoryError": "pysmpi.simulation.compute",
    "Host": "pysmpi.simulation.compute",
    "JobDescription": "pysmpi.simulation.experiments.jobs_file",
    "JobOutcome": "pysmpi.simulation.experiments.jobs",
    "PysmpiError": "pysmpi.errors",
    "ReplayResult": "pysmpi.simulation.replay",
    "Replicas": "pysmpi.simulation.experiments.replicas",
    "Result": "pysmpi.simulation.instruments.outcome",
    "Sample": "pysmpi.simulation.compute",
    "Schedule": "pysmpi.simulation.collectives.schedule",
    "Study": "pysmpi.study",
    "WhatIf": "pysmpi.simulation.experiments.what_if_runs",
    "estimate": "pysmpi.estimates",
    "estimate_rule": "pysmpi.estimates",
    "execute": "pysmpi.simulation.compute",
    "execute_flops": "pysmpi.simulation.compute",
    "explain": "pysmpi.simulation.experiments.explanation",
    "folded_empty": "pysmpi.simulation.compute",
    "host": "pysmpi.simulation.compute",
    "is_folded": "pysmpi.simulation.compute",
    "is_simulated": "pysmpi.simulation.compute",
    "modelled_routines": "pysmpi.simulation.compute.blas.charging",
    "partial_shared_malloc": "pysmpi.simulation.compute",
    "phase": "pysmpi.simulation.instruments",
    "pstate": "pysmpi.simulation.compute",
    "replicate": "pysmpi.simulation.experiments.replicas",
    "report": "pysmpi.simulation.instruments",
    "routine_seconds": "pysmpi.simulation.compute.blas.charging",
    "sample": "pysmpi.simulation.compute",
    "set_pstate": "pysmpi.simulation.compute",
    "shared_cache": "pysmpi.simulation.compute",
    "shared_free": "pysmpi.simulation.compute",
    "shared_malloc": "pysmpi.simulation.compute",
    "simulate": "pysmpi.simulation.experiments.simulate",
    "simulate_jobs": "pysmpi.simulation.experiments.jobs",
    "simulate_replay": "pysmpi.simulation.replay",
    "sleep": "pysmpi.simulation.compute",
    "untimed": "pysmpi.simulation.compute",
    "untimed_program": "pysmpi.simulation.compute",
    "use": "pysmpi.simulation.launch.binding",
    "what_if": "pysmpi.simulation.experiments.what_if_runs",
}


_PACKAGES = ("errors", "native", "platform", "simulation", "util")


def __dir__() -> list[str]:
    """Return the names of the package, also of those that have not been used."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """Return the package's public object of this name, or a package in it; it is imported when it is first used."""
    if name in _PACKAGES:
        return importlib.import_module(f"pysmpi.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'pysmpi' has no attribute {name!r}")
    found = globals()[name] = getattr(importlib.import_module(_MODULES[name]), name)
    return found
