"""Direction of a table's columns: whether more or less is better, and how this is known."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pysmpi.errors import StudyError
from pysmpi.study.results_table import Table
from pysmpi.util.directions import direction_of_name, parse_better

__all__ = ["Direction", "direction_of", "find_direction", "with_better"]

_LESS = ("simulated_time", "energy", "energy_used", "link_energy", "messages", "events", "wall_time", "peak_memory")
"""Columns of every study's table for which less is better."""
_OPTION = "--better"


@dataclass(frozen=True, slots=True)
class Direction:
    """Direction of a metric: whether more or less of it is better.

    Attributes:
        more: True if larger values are better.
        origin: how this is known, such as "as its name says", or "" if it needs no explanation.
    """

    more: bool
    origin: str = ""

    def __str__(self) -> str:
        return f"{'more' if self.more else 'less'} is better"


def find_direction(table: Table, metric: str) -> Direction | None:
    """Return whether more or less of a metric is better, or None if this is unknown.

    The table's declared directions (`Table.better`) come first: those of the option --better, then those of the
    program. Otherwise, less is better for pysmpi's own columns, and the name decides for other metrics.

    Raises:
        StudyError: points of the table declare different directions.
    """
    declared = table.better.get(metric, ())
    if len(declared) > 1:
        raise StudyError(
            f"{metric}: some points declare that more is better and others that less is; choose with {_OPTION} "
            f"{metric}=more or {_OPTION} {metric}=less"
        )
    if declared:
        return Direction(declared[0] == "more", "as chosen" if metric in table.chosen else "as the program declares")
    if metric in _LESS or metric.startswith("requirement."):
        return Direction(False)
    known = direction_of_name(metric)
    return None if known is None else Direction(known == "more", "as its name says")


def direction_of(table: Table, metric: str, larger_is_better: bool | None = None) -> Direction:
    """Return whether more or less of a metric is better; raise an error if this is unknown.

    Args:
        table: table of the study, with the directions that the program or the option --better declares.
        metric: name of the metric.
        larger_is_better: whether larger values are better, regardless of the table; or None for `find_direction`.

    Raises:
        StudyError: the direction is unknown, or points of the table declare different ones.
    """
    if larger_is_better is not None:
        return Direction(larger_is_better, "as chosen")
    found = find_direction(table, metric)
    if found is None:
        name = metric.removeprefix("metric.")
        raise StudyError(
            f"{metric}: it is unknown whether more or less is better; give {_OPTION} more or {_OPTION} less, or let "
            f'the program declare it: pysmpi.report({name}=…, better="more")'
        )
    return found


def with_better(table: Table, words: Iterable[str], metrics: Iterable[str]) -> Table:
    """Return the table with the directions that the option --better gives; they replace those of the program.

    Args:
        table: table of the study.
        words: values of the option: "more" or "less" for all of `metrics`, COLUMN=more or COLUMN=less for one column.
        metrics: names of the metrics that the analysis compares.

    Raises:
        StudyError: a value is not valid, names a column that does not exist, or contradicts another value.
    """
    chosen: dict[str, str] = {}
    for word in words:
        column, equals, direction = word.rpartition("=")
        try:
            direction = parse_better(direction, f"option {_OPTION}")
        except ValueError as error:
            raise StudyError(str(error)) from None
        if equals:
            table.column(column)
        for name in [column] if equals else list(metrics):
            if chosen.setdefault(name, direction) != direction:
                raise StudyError(f"option {_OPTION}: {name} has two directions; give one")
    better = {**table.better, **{name: (direction,) for name, direction in chosen.items()}}
    return replace(table, better=better, chosen=frozenset(chosen))
