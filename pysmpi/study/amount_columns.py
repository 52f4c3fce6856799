"""Columns of a study's table that hold the ranks' requirements, such as bytes sent, operations and memory.

A column has a metric, a statistic over the ranks, and a kind of communication or a source line.
``requirement.sent.bytes`` is the mean over the ranks for all kinds of communication together, and
``requirement.sent.bytes.max`` the largest value of any rank. ``requirement.sent.bytes.Allreduce`` and
``requirement.sent.bytes.Allreduce.max`` are the same two statistics for Allreduce only.
``requirement.sent.bytes@solve.py:12`` is the mean of the bytes that line 12 of ``solve.py`` sends.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple, Protocol

__all__ = ["ALGORITHM", "ALL", "PREFIX", "AmountColumn", "Amounts", "AmountsByKind", "column_of", "columns_of",
           "parse_column"]  # fmt: skip

PREFIX = "requirement."
ALL = "all"
"""Value of `AmountColumn.kind` for all kinds of communication together."""

ALGORITHM = f"{PREFIX}algorithm."
"""Prefix of the columns that hold the names of a collective's algorithms, such as ``requirement.algorithm.Allreduce``.
"""

_MEAN = "mean"
_OTHERS = ("max", "sum")
_METRICS = ("sent.bytes", "sent.messages", "received.bytes", "received.messages", "asked.bytes", "memory.other",
            "memory", "flops.special", "flops", "accesses", "distance.low", "distance.high", "distance")  # fmt: skip
_UNITS = {"sent.messages": "messages", "received.messages": "messages", "flops": "operations",
          "flops.special": "operations"}  # fmt: skip


class AmountColumn(NamedTuple):
    """Meaning of a column of requirements.

    Attributes:
        metric: metric, such as ``sent.bytes``.
        of: statistic over the ranks: "mean", "max" or "sum".
        kind: kind of communication such as ``Allreduce``, or `ALL`, or a source line such as ``solve.py:12``; for
            distances, a source line with an operand, such as ``solve.py:12, operand 2``.
    """

    metric: str
    of: str
    kind: str

    @property
    def unit(self) -> str:
        """Unit of the column's values."""
        return _UNITS.get(self.metric, "bytes")

    @property
    def is_place(self) -> bool:
        """True if `kind` is a source line of the program."""
        return re.fullmatch(r"[\w-]+", self.kind) is None


def column_of(column: AmountColumn) -> str:
    """Return the name of the column that has this meaning."""
    kind = "" if column.kind == ALL else f"@{column.kind}" if column.is_place else f".{column.kind}"
    of = "" if column.of == _MEAN else f".{column.of}"
    return f"{PREFIX}{column.metric}{kind}{of}"


def parse_column(name: str) -> AmountColumn | None:
    """Return the meaning of a column, or None if it does not hold a requirement."""
    rest = name.removeprefix(PREFIX)
    of = next((each for each in _OTHERS if rest.endswith(f".{each}")), _MEAN)
    rest = rest.removesuffix(f".{of}")
    rest, _, place = rest.partition("@")
    metric = next((each for each in _METRICS if rest == each or rest.startswith(f"{each}.")), None)
    if metric is None or not name.startswith(PREFIX):
        return None
    return AmountColumn(metric, of, place or rest[len(metric) + 1 :] or ALL)


class Amounts(Protocol):
    """Interface of requirements: statistics over the ranks of several metrics."""

    @property
    def mean(self) -> Mapping[str, float]:
        """Mean over all ranks, by metric."""

    @property
    def max(self) -> Mapping[str, float]:
        """Largest value of any rank, by metric."""

    @property
    def sum(self) -> Mapping[str, float]:
        """Sum over all ranks, by metric."""


class AmountsByKind(Amounts, Protocol):
    """Interface of a run's requirements, in total, by kind of communication, and by source line of the program."""

    @property
    def kinds(self) -> Mapping[str, Amounts]:
        """Requirements by kind of communication, such as ``Allreduce``."""

    @property
    def places(self) -> Mapping[str, Amounts]:
        """Requirements by source line of the program, such as ``solve.py:12``."""

    @property
    def algorithms(self) -> Mapping[str, tuple[str, ...]]:
        """Names of the algorithms that Open MPI's selectors have chosen, by kind of collective."""


def columns_of(amounts: AmountsByKind) -> dict[str, float | str]:
    """Return the values of all columns of requirements, by name of the column.

    There are means for each kind of communication and each source line, largest values for each kind of communication,
    sums only for all kinds together, and names of algorithms for each kind of collective.
    """
    found: dict[str, float | str] = {f"{ALGORITHM}{kind}": ", ".join(all_) for kind, all_ in amounts.algorithms.items()}
    for kind, each in {ALL: amounts, **amounts.kinds, **amounts.places}.items():
        statistics = {"mean": each.mean}
        if kind not in amounts.places:
            statistics["max"] = each.max
        if kind == ALL:
            statistics["sum"] = each.sum
        for of, values in statistics.items():
            found |= {column_of(AmountColumn(metric, of, kind)): value for metric, value in values.items()}
    return found
