"""Subcommand ``pysmpi study verify``: simulate one more point, and compare it with the formulas of the other points."""

import argparse
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysmpi.errors import LaunchError
from pysmpi.study.commands.model import names_of, title_of
from pysmpi.util.columns import aligned
from pysmpi.util.commands.parser import Parser

if TYPE_CHECKING:
    from pysmpi.formulas import Model, Series
    from pysmpi.study import Study, Table

__all__ = ["add_options", "verify"]


@dataclass(frozen=True)
class _Row:
    """Comparison of one metric's formula with the simulation of a further point.

    Attributes:
        names: JSON keys and values that identify the metric.
        unit: unit of the metric, or "" if unknown.
        found: formula fitted to the study's points.
        again: formula fitted to the study's points and the further one.
        model: value of `found` at the further point.
        simulated: simulated value at the further point.
    """

    names: dict[str, Any]
    unit: str
    found: "Model"
    again: "Model"
    model: float
    simulated: float

    @property
    def difference(self) -> float:
        """Relative difference of the model's value from the simulated one."""
        if self.model == self.simulated:
            return 0.0
        return (self.model - self.simulated) / abs(self.simulated) if self.simulated else math.inf


def add_options(parser: Parser) -> None:
    """Add the command-line arguments of ``pysmpi study verify``."""
    parser.add_argument("study", metavar="STUDY", help="description of the study: NAME.toml")
    parser.add_argument("--results", metavar="FOLDER",
                        help="folder of results (default: NAME.results next to the description)")  # fmt: skip
    parser.add_argument("--ranks", type=int, metavar="N", help="number of ranks of the point")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="value of another factor at the point (repeatable)")  # fmt: skip
    parser.add_argument("--of", metavar="METRIC", help="only this column of the table, or metric of requirements")
    parser.add_argument("--json", action="store_true", help="print JSON")


def verify(arguments: argparse.Namespace, read: "Callable[[argparse.Namespace], tuple[Study, Path]]") -> int:
    """Simulate the point and print the formulas' errors there; return the exit status.

    `read` returns the study and the folder of its results.
    """
    from pysmpi.study.analysis.modelling import modelled_columns, series_of
    from pysmpi.study.store import Store
    from pysmpi.study.study_run import gather
    from pysmpi.study.verification import simulate_point

    study, results = read(arguments)
    table = gather(study, study.plan(), Store(results))
    parameters, series = series_of(table, modelled_columns(table, arguments.of))
    simulated = simulate_point(study, results, _given(arguments))
    row = next(iter(simulated))
    point = {name: float(str(row["ranks" if name == "p" else name])) for name in parameters}
    rows = [_row(parameters, each, point, simulated) for each in series]
    shown = {"p": float(str(row["ranks"])), **point} if "ranks" in row else point
    if arguments.json:
        print(json.dumps({"point": {name: _whole(value) for name, value in shown.items()},
                          "metrics": [_as_json(each) for each in rows]}))  # fmt: skip
    else:
        _print(shown, rows)
    return 0


def _given(arguments: argparse.Namespace) -> dict[str, Any]:
    given: dict[str, Any] = {} if arguments.ranks is None else {"ranks": arguments.ranks}
    for text in arguments.set:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not name or not sign:
            raise LaunchError(f"option --set: {text!r} is not valid; write NAME=VALUE, as in n=1e6")
        if name in given:
            raise LaunchError(f"option --set: {name} has two values; give one")
        given[name] = _number(value)
    return given


def _number(text: str) -> Any:
    try:
        return _whole(float(text))
    except ValueError:
        return text


def _whole(value: float) -> float:
    return int(value) if value.is_integer() else value


def _row(parameters: Sequence[str], series: "Series", point: Mapping[str, float], simulated: "Table") -> _Row:
    from pysmpi.formulas import fit
    from pysmpi.study.analysis.modelling import unit_of

    value = float(str(next(iter(simulated)).get(series.metric) or 0))
    found = fit(parameters, series.points, series.means)
    here = tuple(point[name] for name in parameters)
    with_it = dict(zip(map(tuple, series.points), series.means, strict=True)) | {here: value}
    again = fit(parameters, list(with_it), list(with_it.values()))
    return _Row(names_of(series.metric), unit_of(series.metric), found, again, found.form.value(point), value)


def _as_json(row: _Row) -> dict[str, Any]:
    return {
        **row.names,
        "formula": row.found.formula,
        "exact": row.found.exact,
        "error": row.found.error if math.isfinite(row.found.error) else None,
        "model": row.model,
        "simulated": row.simulated,
        "difference": row.difference if math.isfinite(row.difference) else None,
    }


def _print(point: Mapping[str, float], rows: Sequence[_Row]) -> None:
    print(f"at {', '.join(f'{name} = {value:.10g}' for name, value in point.items())}")
    cells = [["", "model", "simulated", "", "difference", "known as"]]
    for row in rows:
        difference = "none" if abs(row.difference) < 1e-12 else f"{100 * row.difference:+.2g} %"
        cells.append([title_of(row.names), f"{row.model:.15g}", f"{row.simulated:.15g}", row.unit, difference,
                      f"{row.found.certainty}{_with_the_point(row)}"])  # fmt: skip
    print("\n".join(aligned(cells, right=[1, 2, 4], indent="  ")))


def _with_the_point(row: _Row) -> str:
    """Return a remark on how the formula's error changes when it is fitted to the further point, too.

    Return "" if the formula is exact with and without the point.
    """
    if row.found.exact and row.again.exact:
        return ""
    if row.found.exact:
        return "; with this point, no exact formula holds"
    from pysmpi.formulas.model import rounded_up

    before, after = row.found.error, row.again.error
    change = "grows to" if after > before else "falls to" if after < before else "stays at"
    return f"; with this point, the error {change} {rounded_up(100 * after)} %"
