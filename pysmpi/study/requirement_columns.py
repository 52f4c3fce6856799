"""Columns of a study's table for requirements: one for each metric, statistic over ranks, and kind of communication.

``requirement.sent.bytes`` is the mean over ranks of all kinds together. ``requirement.sent.bytes.max`` is the largest
value of a rank, ``requirement.sent.bytes.Allreduce`` the mean of one kind, and
``requirement.sent.bytes.Allreduce.max`` the largest value of a rank for it.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pysmpi.instruments import Requirements

__all__ = ["ALL", "PREFIX", "RequirementColumn", "column_of", "columns_of", "parse_column"]

PREFIX = "requirement."
ALL = "all"
"""Kind of communication that stands for all kinds together."""

_MEAN = "mean"
_OTHERS = ("max", "sum")
_METRICS = ("sent.bytes", "sent.messages", "received.bytes", "received.messages", "asked.bytes", "memory",
            "flops.special", "flops", "accesses")  # fmt: skip
_UNITS = {"sent.messages": "messages", "received.messages": "messages", "flops": "operations",
          "flops.special": "operations"}  # fmt: skip


class RequirementColumn(NamedTuple):
    """Meaning of a column.

    Attributes:
        metric: metric, such as ``sent.bytes``.
        of: "mean", "max" or "sum" over the ranks.
        kind: kind of communication, or `ALL`.
    """

    metric: str
    of: str
    kind: str

    @property
    def unit(self) -> str:
        """Unit of the values."""
        return _UNITS.get(self.metric, "bytes")


def column_of(column: RequirementColumn) -> str:
    """Return the name of a column."""
    kind = "" if column.kind == ALL else f".{column.kind}"
    of = "" if column.of == _MEAN else f".{column.of}"
    return f"{PREFIX}{column.metric}{kind}{of}"


def parse_column(name: str) -> RequirementColumn | None:
    """Return the meaning of a column, or None if it does not hold a requirement."""
    rest = name.removeprefix(PREFIX)
    metric = next((each for each in _METRICS if rest == each or rest.startswith(f"{each}.")), None)
    if metric is None or rest == name:
        return None
    more = rest[len(metric) + 1 :].split(".") if rest != metric else []
    of = more.pop() if more and more[-1] in _OTHERS else _MEAN
    return RequirementColumn(metric, of, more[0] if more else ALL)


def columns_of(requirements: "Requirements") -> dict[str, float]:
    """Return the values of all columns: mean and largest value for each kind, sums for all kinds together."""
    found: dict[str, float] = {}
    for kind, amounts in {ALL: requirements, **requirements.kinds}.items():
        statistics = {"mean": amounts.mean, "max": amounts.max}
        if kind == ALL:
            statistics["sum"] = amounts.sum
        for of, values in statistics.items():
            found |= {column_of(RequirementColumn(metric, of, kind)): value for metric, value in values.items()}
    return found
