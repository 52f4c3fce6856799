"""Columns of a study's table for amounts that ranks require: one for each metric, statistic over ranks, and kind.

``requirement.sent.bytes`` is the mean over ranks of all kinds together. ``requirement.sent.bytes.max`` is the largest
value of a rank, ``requirement.sent.bytes.Allreduce`` the mean of one kind, and
``requirement.sent.bytes.Allreduce.max`` the largest value of a rank for it. ``requirement.sent.bytes@solve.py:12`` is
the mean of what a line of the program has sent.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple, Protocol

__all__ = ["ALGORITHM", "ALL", "PREFIX", "AmountColumn", "Amounts", "AmountsByKind", "column_of", "columns_of",
           "parse_column"]  # fmt: skip

PREFIX = "requirement."
ALL = "all"
"""Kind of communication that stands for all kinds together."""

ALGORITHM = f"{PREFIX}algorithm."
"""Beginning of columns with the names of a collective's algorithms, such as ``requirement.algorithm.Allreduce``."""

_MEAN = "mean"
_OTHERS = ("max", "sum")
_METRICS = ("sent.bytes", "sent.messages", "received.bytes", "received.messages", "asked.bytes", "memory.other",
            "memory", "flops.special", "flops", "accesses", "distance.low", "distance.high", "distance")  # fmt: skip
_UNITS = {"sent.messages": "messages", "received.messages": "messages", "flops": "operations",
          "flops.special": "operations"}  # fmt: skip


class AmountColumn(NamedTuple):
    """Meaning of a column.

    Attributes:
        metric: metric, such as ``sent.bytes``.
        of: "mean", "max" or "sum" over the ranks.
        kind: kind of communication, or `ALL`, or a place of the program such as ``solve.py:12``.
    """

    metric: str
    of: str
    kind: str

    @property
    def unit(self) -> str:
        """Unit of the values."""
        return _UNITS.get(self.metric, "bytes")

    @property
    def is_place(self) -> bool:
        """True if `kind` is a place of the program."""
        return re.fullmatch(r"[\w-]+", self.kind) is None


def column_of(column: AmountColumn) -> str:
    """Return the name of a column."""
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
    """Interface of amounts of several metrics, by rank."""

    @property
    def mean(self) -> Mapping[str, float]:
        """Mean over all ranks of each metric."""

    @property
    def max(self) -> Mapping[str, float]:
        """Largest value of a rank for each metric."""

    @property
    def sum(self) -> Mapping[str, float]:
        """Sum over all ranks of each metric."""


class AmountsByKind(Amounts, Protocol):
    """Interface of the amounts of a run, with those of each kind of communication and place of the program."""

    @property
    def kinds(self) -> Mapping[str, Amounts]:
        """Amounts by kind of communication."""

    @property
    def places(self) -> Mapping[str, Amounts]:
        """Amounts by place of the program."""

    @property
    def algorithms(self) -> Mapping[str, tuple[str, ...]]:
        """Algorithms of collectives."""


def columns_of(amounts: AmountsByKind) -> dict[str, float | str]:
    """Return the values of all columns: means for each kind and place, largest values for each kind, and sums for all
    kinds together; and the algorithms of collectives (`ALGORITHM`)."""
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
