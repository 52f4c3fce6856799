"""One point's simulation, in a process of its own: reads the task from standard input, writes what came of it.

The outcome goes, as JSON, to the file descriptor that is given as the only argument. The process ends when the one that
has started it does, however that ends.
"""

import ctypes
import json
import os
import signal
import sys
from typing import Any

from pysmpi.errors import PysmpiError
from pysmpi.study.points import Task

__all__ = ["main"]

_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux's prctl
_LONGEST = 4000  # characters of an error


def main() -> int:
    """Simulates; the exit status is 0 when there is an outcome, be it an error."""
    parent = int(sys.argv[2])
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before that
        return 1
    task = Task.from_json(json.load(sys.stdin))
    try:
        outcome = _simulate(task)
    except PysmpiError as error:
        outcome = _failed(error.slug, str(error))
    except SyntaxError as error:
        outcome = _failed("program", f"{error.filename}:{error.lineno}: {error.msg}")
    except MemoryError:
        outcome = _failed("memory", "there is not enough memory")
    with os.fdopen(int(sys.argv[1]), "w") as pipe:
        json.dump(outcome, pipe)
    return 0


def _simulate(task: Task) -> dict[str, Any]:
    from pysmpi.launch.simulate import simulate
    from pysmpi.study.machine import machine_of
    from pysmpi.study.mapping import host_names

    os.chdir(task.folder)
    with machine_of(task) as machine:
        result = simulate(
            task.program,
            np=task.ranks,
            platform=machine,
            cfg=task.cfg,
            args=task.arguments,
            hosts=host_names(task.mapping, task.ranks, machine, task.seed),
            seed=task.seed,
            blas=task.blas,
        )
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
        "reported": result.reported,
    }


def _failed(kind: str, error: str) -> dict[str, Any]:
    return {"status": "failed", "kind": kind, "error": error[:_LONGEST]}


if __name__ == "__main__":
    sys.exit(main())
