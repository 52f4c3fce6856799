"""The selector ``best``: when a program makes a collective call of a new kind, the candidates are simulated.

Each such simulation is one of that call alone, on the same hosts, in a process of its own
(pysmpi.experiments.trial); the simulated time of the program stands still meanwhile. Calls of one kind have the operation, the hosts of their ranks in
order, the power of two of their bytes and whether the reduction commutes in common.
"""

import dataclasses
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from pysmpi.collectives import algorithms
from pysmpi.native import ffi, lib
from pysmpi.util.columns import aligned
from pysmpi.util.quantities import human_bytes, human_seconds

__all__ = ["Best", "BestChoice", "describe_choices"]

# Those of this process, not of the rank that happens to ask.
_spawn, _wait = os.posix_spawn, os.waitpid


@dataclass(frozen=True, slots=True)
class BestChoice:
    """What ``best`` has found for calls of one kind.

    Attributes:
        operation: "allreduce".
        ranks: how many.
        bytes: of the first call of the kind: its buffer, or one block where there is one a rank; 0 where they differ
            from rank to rank.
        algorithm: the fastest, "default" where that is what the selector ``default`` does and no algorithm by a name
            is faster; None when no candidate has come to its end.
        seconds: of the algorithm, alone on the machine.
        default_seconds: of what the selector ``default`` chooses.
        calls: how many of the kind there were.
        error: why there is none.
    """

    operation: str
    ranks: int
    bytes: int
    algorithm: str | None
    seconds: float | None
    default_seconds: float | None
    calls: int
    error: str | None = None


class Best:
    """Answers the engine's questions while a simulation runs.

    Args:
        platform: where the platform was read from.
        host_name: of a rank, spawned ones as well.
        cfg: settings of the simulation but those of algorithms.
    """

    def __init__(self, platform: str, host_name: Callable[[int], str], cfg: dict[str, str]) -> None:
        self._platform = os.path.abspath(platform) if os.path.exists(platform) else platform  # ranks change folders
        self._host_name = host_name
        self._cfg = cfg
        self._environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self._folder = tempfile.TemporaryDirectory(prefix="pysmpi-best-")
        self._choices: list[BestChoice] = []

    def __enter__(self) -> "Best":
        """The engine asks this one from now on."""
        global _current
        _current = self
        lib.pysmpi_best_forget()
        return self

    def __exit__(self, *_: object) -> None:
        """It asks nobody any more."""
        global _current
        _current = None
        self._folder.cleanup()

    def choices(self) -> tuple[BestChoice, ...]:
        """What has been found out, in the order of asking, with the calls so far."""
        return tuple(
            dataclasses.replace(choice, calls=lib.pysmpi_best_calls(number))
            for number, choice in enumerate(self._choices)
        )

    def choose(self, operation: str, world_ranks: Sequence[int], size: int) -> str | None:
        """The name of the fastest algorithm as an option has it, or "default"; None when none has come to its end."""
        hosts = [self._host_name(rank) for rank in world_ranks]
        asked = {"operation": operation, "hosts": hosts, "bytes": size, "platform": self._platform, "cfg": self._cfg}
        try:
            found = self._try(asked)
        except (OSError, ValueError) as error:
            found = {"error": f"the trial gave no answer: {error}"}
        seconds: dict[str, float] = found.get("seconds", {})
        if found.get("default") is not None:
            seconds.setdefault("default", found["default"])
        best = min(seconds, key=lambda name: (seconds[name], list(seconds).index(name)), default=None)
        self._choices.append(
            BestChoice(
                operation,
                len(hosts),
                size,
                best,
                seconds[best] if best is not None else None,
                found.get("default"),
                0,
                found.get("error"),
            )
        )
        return best

    def _try(self, asked: dict[str, Any]) -> dict[str, Any]:
        base = os.path.join(self._folder.name, str(len(self._choices)))
        with open(f"{base}.in", "w", encoding="utf-8") as stream:
            json.dump(asked, stream)
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, f"{base}.in", os.O_RDONLY, 0o600),
            (os.POSIX_SPAWN_OPEN, 1, f"{base}.out", os.O_WRONLY | os.O_CREAT, 0o600),
        ]
        command = [sys.executable, "-P", "-m", "pysmpi.experiments.trial"]
        child = _spawn(sys.executable, command, self._environment, file_actions=actions)
        _, status = _wait(child, 0)
        if status != 0:
            return {"error": f"the trial ended with status {os.waitstatus_to_exitcode(status)}"}
        with open(f"{base}.out", encoding="utf-8") as stream:
            found: dict[str, Any] = json.load(stream)
        return found


_current: Best | None = None


def describe_choices(choices: Sequence[BestChoice]) -> list[str]:
    """A table for people, a line each."""
    rows = [("collective", "ranks", "from", "calls", "algorithm", "takes", "default")]
    for choice in choices:
        took = "" if choice.seconds is None else human_seconds(choice.seconds)
        default = "" if choice.default_seconds is None else human_seconds(choice.default_seconds)
        algorithm = choice.algorithm or f"default ({choice.error})"
        rows.append(
            (choice.operation, f"{choice.ranks:,}", human_bytes(choice.bytes), f"{choice.calls:,}", algorithm, took,
             default)
        )  # fmt: skip
    return aligned(rows)


def _best_algorithm(operation: Any, ranks: int, world_ranks: Any, size: int, parameter: Any) -> int:
    if _current is None:
        return -1
    name = ffi.string(operation).decode()
    found = _current.choose(name, list(world_ranks[0:ranks]), size)
    if found is None:
        return -1  # the selector default chooses
    known = [algorithm.name for algorithm in algorithms(name)]
    if found in known:
        return known.index(found)
    if found == "default":
        return -1
    general, _, number = found.rpartition("-")
    parameter[0] = int(number)
    return known.index(f"{general}-k")


def _on_error(_: type[BaseException], error: BaseException, __: TracebackType) -> None:
    print(f"pysmpi: coll-selector best: {error!r}; the default selector chooses", file=sys.stderr)


ffi.def_extern(name="py_best_algorithm", error=-1, onerror=_on_error)(_best_algorithm)
lib.pysmpi_set_best_hook(ffi.addressof(lib, "py_best_algorithm"))
