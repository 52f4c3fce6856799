"""Selector ``best``, which finds the fastest algorithm of each kind of collective call by trials, and uses it.

Two calls are of the same kind if they agree in the operation, the hosts in rank order, the size rounded down to a power
of two, and whether the reduction commutes. A trial simulates a call with each algorithm; meanwhile, time stands still
in the run that makes the call. The function that runs trials is passed in, because modifiers must not import the code
that runs simulations (`pysmpi.simulation.experiments.best_trials`).
"""

import dataclasses
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from pysmpi.errors import ConfigurationError
from pysmpi.native import ffi, lib
from pysmpi.simulation.collectives import algorithms
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.outcome import BestChoice, Result
from pysmpi.util.columns import aligned
from pysmpi.util.quantities import human_bytes, human_seconds

__all__ = ["BestSelector", "Question", "Trial", "Trials", "describe_choices"]


@dataclass(frozen=True, slots=True)
class Question:
    """Description of a collective call, for a trial that measures its simulated time with each algorithm.

    Attributes:
        operation: name such as "allreduce".
        hosts: host name of each rank, in rank order.
        bytes: size of a rank's buffer, or of one block if the buffer has a block for each rank.
        platform: path or text that the platform was read from.
        cfg: settings of the run, without settings that choose algorithms.
    """

    operation: str
    hosts: list[str]
    bytes: int
    platform: str
    cfg: dict[str, str]


# Function that runs one trial. Its answer holds the "seconds" of each algorithm by name and those of the default
# selector ("default"), or an "error".
Trial = Callable[[Question], dict[str, Any]]
# Function that returns a context manager, which is entered when the run begins, while the launcher's own environment is
# visible, and left when the run ends.
Trials = Callable[[], AbstractContextManager[Trial]]


class BestSelector(Instrument):
    """Modifier that chooses the fastest algorithm of a collective.

    The engine calls `choose` for the first of all calls of one kind (operation, hosts, rounded size, commutativity).

    Args:
        trials: function that returns a context manager, whose value is a function that runs one trial. None, for runs
            that do not support this selector, is an error.
        shows_choices: whether `lines` has the table of the chosen algorithms.
    """

    def __init__(self, trials: Trials | None, *, shows_choices: bool = True) -> None:
        if trials is None:
            raise ConfigurationError(
                "the selector 'best' compares algorithms by trial simulations, but this run has no function for them "
                "(Job.trials); set smpi/coll-selector, or the setting smpi/OPERATION that is 'best', to another "
                "selector, such as 'default'"
            )
        self._trials = trials
        self._shows_choices = shows_choices
        self._choices: list[BestChoice] = []
        self._open = ExitStack()

    def begin(self, run: Run) -> None:
        global _current
        platform = run.platform.source
        # A path is made absolute, because ranks may change the working directory.
        self._platform = os.path.abspath(platform) if os.path.exists(platform) else platform
        self._host_name = run.host_name
        self._cfg = run.configuration.without_algorithms()
        self._try = self._open.enter_context(self._trials())
        _current = self

    def end(self, run: Run, result: Result) -> None:
        result.parts["best"] = tuple(
            dataclasses.replace(choice, calls=lib.pysmpi_best_calls(number))
            for number, choice in enumerate(self._choices)
        )

    def lines(self, result: Result) -> list[str]:
        return describe_choices(result.best) if self._shows_choices and result.best else []

    def close(self) -> None:
        global _current
        _current = None
        self._open.close()

    def choose(self, operation: str, world_ranks: Sequence[int], size: int) -> str | None:
        """Find the fastest algorithm for a collective call by a trial.

        Return its name, "default" if the choice of the selector ``default`` is faster than all named algorithms, or
        None if the trial failed.

        Args:
            operation: name such as "allreduce".
            world_ranks: ranks of the communicator, numbered in MPI_COMM_WORLD.
            size: size in bytes of a rank's buffer, or of one block if the buffer has a block for each rank.
        """
        hosts = [self._host_name(rank) for rank in world_ranks]
        try:
            found = self._try(Question(operation, hosts, size, self._platform, self._cfg))
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


_current: BestSelector | None = None


def describe_choices(choices: Sequence[BestChoice]) -> list[str]:
    """Return the lines of a table that shows the chosen algorithms."""
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
        return -1  # the selector ``default`` chooses instead
    known = [algorithm.name for algorithm in algorithms(name)]
    if found in known:
        return known.index(found)
    if found == "default":
        return -1
    general, _, number = found.rpartition("-")
    parameter[0] = int(number)
    return known.index(f"{general}-k")


def _on_error(_: type[BaseException], error: BaseException, __: TracebackType) -> None:
    print(f"pysmpi: coll-selector best: {error!r}; the selector 'default' chooses instead", file=sys.stderr)


ffi.def_extern(name="py_best_algorithm", error=-1, onerror=_on_error)(_best_algorithm)
lib.pysmpi_set_best_hook(ffi.addressof(lib, "py_best_algorithm"))
