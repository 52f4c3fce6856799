"""Sums of computation time that would be the same on hosts of another speed, such as memory-bound operations."""

from dataclasses import dataclass

__all__ = ["SpeedIndependent", "begin", "total"]


@dataclass(slots=True)
class SpeedIndependent:
    """Sums over all ranks, in simulated seconds where not stated otherwise.

    Attributes:
        declared: seconds that programs gave to `pysmpi.execute` without a speed.
        memory: time of operations on folded arrays, and of `pysmpi.execute_flops`, that memory bandwidth determines.
        operations: number of operations on folded arrays, and of calls of `pysmpi.execute_flops` with memory traffic.
    """

    declared: float = 0.0
    memory: float = 0.0
    operations: int = 0


total = SpeedIndependent()
"""Sums of the current simulation."""


def begin() -> None:
    """Set all sums to zero, because another simulation begins."""
    total.declared = total.memory = 0.0
    total.operations = 0
