"""Data of a study to which formulas are fitted: metrics, the number of processes, and the other numeric factors."""

from collections.abc import Mapping, Sequence

from pysmpi.errors import StudyError, unknown
from pysmpi.formulas import Series
from pysmpi.study.amount_columns import ALGORITHM, ALL, parse_column
from pysmpi.study.analysis.order import number_of
from pysmpi.study.results_table import Cell, Table

__all__ = ["PROCESSES", "changing_algorithms", "modelled_columns", "series_of", "unit_of"]

PROCESSES = "p"
"""Name of the factor ``ranks`` in formulas."""

_ON_REQUEST = {"distance.low", "distance.high", "memory.other"}  # metrics without formulas, unless `of` names them
_UNITS = {"simulated_time": "s", "energy": "J", "energy_used": "J", "link_energy": "J"}


def modelled_columns(table: Table, of: str | None = None, *, by_place: bool = False) -> list[str]:
    """Return the names of the columns to which formulas are fitted.

    If the study has counted requirements, these are by default the columns of requirements that are not always 0: the
    means over ranks, and the largest values for all kinds of communication together. Other studies have formulas of all
    metrics, such as the simulated time.

    Args:
        table: table of the study.
        of: name of one column, or a metric of requirements such as ``sent.bytes`` for all its columns, or None for the
            default. ``memory.other`` and quantiles of distances are not in the default.
        by_place: whether to choose requirements by source line of the program, not by kind of communication.
    """
    counted = {
        name: column
        for name in table.columns
        if (column := parse_column(name)) is not None and column.is_place == by_place
    }
    if of is not None:
        return [name for name, column in counted.items() if column.metric == of] or [of]
    rows = table.done().rows
    usual = [
        name
        for name, column in counted.items()
        if (column.of == "mean" or column[1:] == ("max", ALL)) and column.metric not in _ON_REQUEST
    ]
    return [name for name in usual if any(row[name] for row in rows)] if counted else table.metrics


def unit_of(column: str) -> str:
    """Return the unit of a column, or "" if it is not known."""
    requirement = parse_column(column)
    return _UNITS.get(column, "") if requirement is None else requirement.unit


def changing_algorithms(table: Table, column: str) -> str:
    """Describe the collectives counted in a column whose algorithm depends on the number of processes.

    An example is "Allreduce by rdb at p = 4 and redbcast at p = 16, 36". Return "" if no algorithm changes, or if the
    column does not count sent or received messages or bytes.
    """
    requirement = parse_column(column)
    if requirement is None or not requirement.metric.startswith(("sent.", "received.")):
        return ""
    kinds = [name.removeprefix(ALGORITHM) for name in table.columns if name.startswith(ALGORITHM)]
    found = []
    for kind in kinds if requirement.kind == ALL else [kind for kind in kinds if kind == requirement.kind]:
        places: dict[str, set[int]] = {}
        for row in table.done().rows:
            if row[f"{ALGORITHM}{kind}"]:
                places.setdefault(str(row[f"{ALGORITHM}{kind}"]), set()).add(int(str(row["ranks"])))
        if len(places) > 1:
            texts = [f"{each} at p = {', '.join(map(str, sorted(places[each])))}" for each in sorted(places)]
            found.append(f"{kind} by {' and '.join(texts)}")
    return "; ".join(found)


def series_of(table: Table, columns: Sequence[str]) -> tuple[list[str], list[Series]]:
    """Return the names of the parameters of formulas, and for each column its values at the points of a study.

    Parameters are the factors with several values: `PROCESSES` for ``ranks``, others under their own names. Replicates
    give several values at one point. Points without a value are left out.

    Raises:
        StudyError: no point is finished, a column does not exist or has no values, no factor varies, or a factor has
            values that are not numbers above 0.
    """
    done = table.done().rows
    if not done:
        raise StudyError("no point of the study is finished; run 'pysmpi study run' first")
    factors = _numeric_factors(table, done)
    names = [PROCESSES if name == "ranks" else name for name in factors]
    found = []
    for column in columns:
        if column not in table.columns:
            raise StudyError(unknown("metric or column", column, _names(table)))
        values: dict[tuple[float, ...], list[float]] = {}
        for row in done:
            value = row[column]
            if isinstance(value, int | float) and not isinstance(value, bool):
                values.setdefault(tuple(_number(row[name]) for name in factors), []).append(float(value))
        if not values:
            raise StudyError(f"column {column!r} has no numbers")
        found.append(Series("program", column, list(values), list(values.values())))
    return names, found


def _numeric_factors(table: Table, rows: Sequence[Mapping[str, Cell]]) -> list[str]:
    """Return the factors with several values, or raise the StudyError of `series_of`."""
    factors = [name for name in table.varied if len({row[name] for row in rows}) > 1]
    if not factors:
        raise StudyError(
            "no factor has several values in the finished points, so there is nothing to find a formula in"
        )
    for name in factors:
        if (word := next((row[name] for row in rows if number_of(row[name]) is None), None)) is not None:
            raise StudyError(f"factor {name!r} has the value {word!r}; formulas need numbers: fix it to one value")
        if (small := next((row[name] for row in rows if _number(row[name]) <= 0), None)) is not None:
            raise StudyError(f"factor {name!r} has the value {small}; formulas need values above 0")
    return factors


def _names(table: Table) -> list[str]:
    """Return the valid names of data for formulas, for an error text: metrics of requirements, and other columns."""
    parsed = {name: parse_column(name) for name in modelled_columns(table)}
    return list(dict.fromkeys(name if column is None else column.metric for name, column in parsed.items()))


def _number(cell: Cell) -> float:
    number = number_of(cell)
    assert number is not None
    return number
