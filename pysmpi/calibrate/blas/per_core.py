"""Measurement of all cores of a host at once, one process on each, and the table of their models.

Cores that work at the same time share caches, memory and power, so each is slower than alone. Moreover, processors of
the same type differ from each other.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import fmean
from typing import Any

from pysmpi.calibrate.limits import FORCED
from pysmpi.errors import CalibrationError
from pysmpi.simulation.compute.blas.blas_table import TABLE_FORMAT

__all__ = ["file_of", "measure_cores", "table_document"]


def file_of(output: Path, core: int) -> Path:
    """Return the file with the model of one core, beside the file with the table."""
    return output.with_name(f"{output.stem}-core{core}{output.suffix}")


def measure_cores(words: Sequence[str], cores: Sequence[int], output: Path) -> None:
    """Run ``pysmpi-calibrate blas`` on each core at the same time, and wait until all have ended.

    Args:
        words: command-line arguments without ``--per-core``. A second ``--output`` is appended, which takes precedence.
        cores: numbers of the cores.
        output: file of the table; each process writes its model to `file_of` (output, core).

    Raises:
        CalibrationError: a measurement failed; the message contains what it printed.
    """
    with _started(words, cores, output) as processes:
        for core, process in processes.items():
            _, printed = process.communicate()
            if process.returncode:
                raise CalibrationError(f"the measurement on core {core} failed:\n{printed.strip()}")


@contextmanager
def _started(words: Sequence[str], cores: Sequence[int], output: Path) -> Iterator[dict[int, "subprocess.Popen[str]"]]:
    command = [sys.executable, "-P", "-m", "pysmpi.calibrate.commands.main", "blas", *words]
    with ExitStack() as stack:  # waits for the processes and closes their pipes
        processes: dict[int, subprocess.Popen[str]] = {}
        try:
            for core in cores:
                own = [*command, "--output", str(file_of(output, core))]
                processes[core] = stack.enter_context(subprocess.Popen(own, stderr=subprocess.PIPE, text=True))
                os.sched_setaffinity(processes[core].pid, {core})
            yield processes
        finally:
            for process in processes.values():
                process.terminate()


def table_document(models: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the content of a table file that assigns a model to each core number, on all hosts.

    Args:
        models: content of the model file of each core, by core number. The times in a model include the speed of its
            core, so the table's speed is the mean of the cores' speeds.
    """
    first = next(iter(models.values()))
    forced = [f"core {core}: {reason}" for core, model in models.items() for reason in model.get(FORCED, [])]
    return {
        "format": TABLE_FORMAT,
        **{name: first[name] for name in ("machine", "library", "date", "provenance")},
        "speed": fmean(model["speed"] for model in models.values()),
        "models": {f"core {core}": model["routines"] for core, model in models.items()},
        "places": [{"host": "*", "cores": str(index), "model": f"core {core}"} for index, core in enumerate(models)],
        **({FORCED: forced} if forced else {}),
    }
