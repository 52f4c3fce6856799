"""Columns of a study's table for requirements: one for each metric, statistic over ranks, and kind of communication.

``requirement.sent.bytes`` is the mean over ranks of all kinds together. ``requirement.sent.bytes.max`` is the largest
value of a rank, ``requirement.sent.bytes.Allreduce`` the mean of one kind, and
``requirement.sent.bytes.Allreduce.max`` the largest value of a rank for it. ``requirement.sent.bytes@solve.py:12`` is
the mean of what a line of the program has sent.
"""

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pysmpi.simulation.instruments import Requirements

__all__ = ["ALGORITHM", "ALL", "PREFIX", "RequirementColumn", "column_of", "columns_of", "parse_column"]

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


class RequirementColumn(NamedTuple):
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


def column_of(column: RequirementColumn) -> str:
    """Return the name of a column."""
    kind = "" if column.kind == ALL else f"@{column.kind}" if column.is_place else f".{column.kind}"
    of = "" if column.of == _MEAN else f".{column.of}"
    return f"{PREFIX}{column.metric}{kind}{of}"


def parse_column(name: str) -> RequirementColumn | None:
    """Return the meaning of a column, or None if it does not hold a requirement."""
    rest = name.removeprefix(PREFIX)
    of = next((each for each in _OTHERS if rest.endswith(f".{each}")), _MEAN)
    rest = rest.removesuffix(f".{of}")
    rest, _, place = rest.partition("@")
    metric = next((each for each in _METRICS if rest == each or rest.startswith(f"{each}.")), None)
    if metric is None or not name.startswith(PREFIX):
        return None
    return RequirementColumn(metric, of, place or rest[len(metric) + 1 :] or ALL)


def columns_of(requirements: "Requirements") -> dict[str, float | str]:
    """Return the values of all columns: means for each kind and place, largest values for each kind, and sums for all
    kinds together; and the algorithms of collectives (`ALGORITHM`)."""
    found: dict[str, float | str] = {
        f"{ALGORITHM}{kind}": ", ".join(all_) for kind, all_ in requirements.algorithms.items()
    }
    for kind, amounts in {ALL: requirements, **requirements.kinds, **requirements.places}.items():
        statistics = {"mean": amounts.mean}
        if kind not in requirements.places:
            statistics["max"] = amounts.max
        if kind == ALL:
            statistics["sum"] = amounts.sum
        for of, values in statistics.items():
            found |= {column_of(RequirementColumn(metric, of, kind)): value for metric, value in values.items()}
    return found
