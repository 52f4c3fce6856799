"""Requirements of a run: what each rank asked of the machine, by metric and by kind of communication."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Amounts", "Requirements"]

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Amounts:
    """Amounts of several metrics (such as bytes sent) by rank.

    Attributes:
        by_rank: for each metric, such as ``sent.bytes``, an array with a value for each rank.
    """

    by_rank: Mapping[str, Array]

    @property
    def mean(self) -> dict[str, float]:
        """Mean over all ranks, by metric."""
        return {name: array.sum().item() / array.size for name, array in self.by_rank.items()}

    @property
    def max(self) -> dict[str, float]:
        """Largest value of any rank, by metric."""
        return {name: array.max().item() for name, array in self.by_rank.items()}

    @property
    def sum(self) -> dict[str, float]:
        """Sum over all ranks, by metric."""
        return {name: array.sum().item() for name, array in self.by_rank.items()}

    def _to_json(self) -> dict[str, Any]:
        return {"mean": self.mean, "max": self.max, "sum": self.sum}


@dataclass(frozen=True)
class Requirements(Amounts):
    """Amounts that the ranks of a run asked of the machine, over all kinds of communication together.

    The metrics are ``sent.bytes``, ``sent.messages``, ``received.bytes`` and ``received.messages`` (messages of the
    program and messages that its collectives became), and ``asked.bytes`` (bytes that the arguments of its collectives
    name); files are not in these sums. ``memory`` is the peak of bytes of arrays, ``memory.other`` the largest
    number of bytes of Python objects found at some of the rank's calls, and ``flops`` the number of floating-point
    operations, of which ``flops.special`` are roots, exponentials and similar ones. ``accesses`` are the
    bytes of the operands of operations, each read or written once. ``distance`` is the median of their stack distances
    in bytes; ``distance.low`` and ``distance.high`` are the distances that 10 % and 90 % of the accesses do not exceed.

    Attributes:
        by_rank: for each metric, an array with a value for each rank.
        kinds: the same by kind of communication: ``point-to-point``, ``one-sided``, ``files``, ``schedule``
            (`pysmpi.Schedule`), and each collective under its name in MPI, such as ``Allreduce``.
        unseen: share of the ranks' time that was measured in code without a counted operation, such as loops of Python
            and extensions; their operations are missing in ``flops`` and ``accesses``.
        places: bytes and messages sent by source line, such as ``solve.py:12``, and stack distances by source line and
            operand, such as ``solve.py:12, operand 2``.
        algorithms: algorithms that the selector of an Open MPI library has chosen, by collective, such as
            ``Allreduce``.
    """

    kinds: Mapping[str, Amounts] = field(default_factory=dict)
    unseen: float = 0.0
    places: Mapping[str, Amounts] = field(default_factory=dict)
    algorithms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def ranks(self) -> int:
        """Number of ranks, spawned ranks included."""
        return int(next(iter(self.by_rank.values())).size)

    def to_json(self) -> dict[str, Any]:
        """Return all amounts as an object for `json.dumps`."""
        return {
            "ranks": self.ranks,
            **self._to_json(),
            "by_rank": {name: array.tolist() for name, array in self.by_rank.items()},
            "kinds": {kind: amounts._to_json() for kind, amounts in self.kinds.items()},
            "unseen": self.unseen,
            "algorithms": {kind: list(names) for kind, names in self.algorithms.items()},
            "places": {place: amounts._to_json() for place, amounts in self.places.items()},
        }
