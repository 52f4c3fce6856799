"""Problem size that fills the memory of a machine's processes, and the requirements there."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pysmpi.errors import ModelError
from pysmpi.formulas import Expression, Formula

__all__ = ["MEMORY", "PARAMETERS", "Point", "Requirements", "fill", "largest_processes"]

MEMORY = "memory"
"""Name of the requirement that limits the problem size, in bytes per process."""

PARAMETERS = ("p", "n")
"""Parameters of formulas: number of processes, and problem size per process."""

_LARGEST = 1e300  # problem sizes above this count as unlimited
_ROUNDING = 1e-13

Requirements = Mapping[str, Formula]
"""Formulas of a program by the names of its requirements; one of them is `MEMORY`."""


@dataclass(frozen=True)
class Point:
    """Program on a machine whose memory it fills.

    Attributes:
        processes: number of processes.
        memory: bytes per process.
        n: problem size per process, at least 1; None if the program does not fit.
        values: requirements of a process by name; empty if the program does not fit.
        largest_processes: if the program does not fit, the largest number of processes on which it would with n = 1, or
            0 if there is none.
        ratios: values as multiples of those of a base machine; None where the latter is zero.
        seconds: least time that the program needs each resource, for resources whose rate is known.
    """

    processes: float
    memory: float
    n: float | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    largest_processes: int | None = None
    ratios: Mapping[str, float | None] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def problem(self) -> float | None:
        """Overall problem size, p * n; None if the program does not fit."""
        return None if self.n is None else self.processes * self.n

    @property
    def bottleneck(self) -> str | None:
        """Resource that the program needs for the longest time, or None if no rate is known."""
        return max(self.seconds, key=lambda name: self.seconds[name], default=None)

    def to_json(self) -> dict[str, Any]:
        """Return the point as ``--json`` prints it."""
        found: dict[str, Any] = {
            "fits": self.n is not None,
            "processes": _plain(self.processes),
            "memory": _plain(self.memory),
        }
        if self.n is None:
            return {**found, "largest_processes": self.largest_processes}
        found |= {"n": self.n, "problem": self.problem}
        if self.ratios:
            found["ratios"] = dict(self.ratios)
        if self.seconds:
            found |= {"seconds": dict(self.seconds), "bottleneck": self.bottleneck}
        return found


def fill(model: Requirements, processes: float, memory: float) -> Point:
    """Return the program at the largest problem size that fits into the memory of the processes.

    Args:
        model: formulas; the one of memory rises with n.
        processes: number of processes.
        memory: bytes per process.

    Raises:
        ModelError: memory does not limit n, or a formula has no value there.
    """
    needed = model[MEMORY].expression
    if _memory(needed, processes, 1) > memory:
        return Point(processes, memory, largest_processes=largest_processes(model, processes, memory))
    n = _largest_n(needed, processes, memory)
    at = {"p": processes, "n": n}
    return Point(processes, memory, n, {name: each.expression.evaluate(at) for name, each in model.items()})


def largest_processes(model: Requirements, processes: float, memory: float) -> int:
    """Return the largest number of processes below the given one at which n = 1 fits, or 0 if it fits at no number.

    The memory of a process must not fall when processes are added.
    """
    needed = model[MEMORY].expression
    fitting, beyond = 0, math.ceil(processes)
    while beyond - fitting > 1:
        middle = (fitting + beyond) // 2
        if _memory(needed, middle, 1) <= memory:
            fitting = middle
        else:
            beyond = middle
    return fitting


def _largest_n(needed: Expression, processes: float, memory: float) -> float:
    """Return the largest float n at which memory suffices: by doubling, then by bisection."""
    fitting, beyond = 1.0, 2.0
    while _memory(needed, processes, beyond) <= memory:
        fitting, beyond = beyond, 2 * beyond
        if beyond > _LARGEST:
            raise ModelError(
                f"{needed.place}: memory {needed.text!r} stays below {memory:.6g} bytes for every n at "
                f"p = {processes:.6g}, so it gives no problem size; write a formula that rises with n"
            )
    while True:
        middle = fitting + (beyond - fitting) / 2
        if middle in (fitting, beyond):
            return _plain_size(needed, processes, memory, fitting)
        if _memory(needed, processes, middle) <= memory:
            fitting = middle
        else:
            beyond = middle


def _plain_size(needed: Expression, processes: float, memory: float, n: float) -> float:
    """Return a number of at most ten digits that differs from n only by rounding, and fits; otherwise n."""
    for digits in range(1, 11):
        candidate = float(f"{n:.{digits}g}")
        if abs(candidate - n) <= _ROUNDING * n and candidate >= 1 and _memory(needed, processes, candidate) <= memory:
            return candidate
    return n


def _memory(needed: Expression, processes: float, n: float) -> float:
    return needed.evaluate({"p": processes, "n": n})


def _plain(number: float) -> float:
    return int(number) if float(number).is_integer() and abs(number) < 2**53 else number
