"""Subcommand ``pysmpi study model``: fit formulas to a study's results, or to measurements in Extra-P's format."""

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pysmpi.errors import LaunchError, unknown
from pysmpi.util.columns import aligned
from pysmpi.util.commands.parser import Parser

if TYPE_CHECKING:
    from pysmpi.formulas import Model, Series
    from pysmpi.study import Study

__all__ = ["add_options", "model"]

Point = Mapping[str, float]

_ENOUGH = 5  # values of a parameter from which a metric's dependence on it can be found reliably


@dataclass(frozen=True)
class _Source:
    """Measurements to which formulas are fitted.

    Attributes:
        parameters: names of the parameters.
        series: values of each metric at points of the parameters.
        names: function that returns the JSON keys and values that identify a series.
        units: units by name of the metric; empty for measurements in Extra-P's format.
        why_not_exact: function that returns the reason why no exact formula of a series exists, or "" if unknown.
    """

    parameters: list[str]
    series: "list[Series]"
    names: "Callable[[Series], dict[str, Any]]"
    units: Mapping[str, str]
    why_not_exact: "Callable[[Series], str]" = lambda series: ""

    def counts(self) -> dict[str, int]:
        """Return the number of different values of each parameter, in the series with the most of them."""
        return {
            name: max((len({point[column] for point in each.points}) for each in self.series), default=0)
            for column, name in enumerate(self.parameters)
        }


@dataclass(frozen=True)
class _Row:
    """Formula of one series, as it is printed.

    Attributes:
        names: JSON keys and values that identify the series.
        unit: unit of the formula's values, or "" if unknown.
        formula: the formula, for JSON.
        shown: the formula, for people.
        exact: whether the formula is exact.
        error: expected relative error of the formula; infinite if unknown.
        certainty: remark on how reliable the formula is, and how it grows.
        points: number of points to which the formula was fitted.
        at: points of the option --at, each with the formula's value and whether a simulation should verify it.
    """

    names: dict[str, Any]
    unit: str
    formula: str
    shown: str
    exact: bool
    error: float
    certainty: str
    points: int
    at: list[tuple[Point, float, bool]]


def add_options(parser: Parser) -> None:
    """Add the command-line arguments of ``pysmpi study model``."""
    parser.add_argument("study", nargs="?", metavar="STUDY", help="description of the study: NAME.toml")
    parser.add_argument("--results", metavar="FOLDER",
                        help="folder of results (default: NAME.results next to the description)")  # fmt: skip
    parser.add_argument(
        "--data", metavar="FILE", help="instead of STUDY: measurements in Extra-P's JSON, JSON Lines or text format"
    )
    parser.add_argument("--of", metavar="METRIC", help="only this column of the table, or metric of the file")
    parser.add_argument("--by", choices=["kind", "place"], default="kind",
                        help="requirements by kind of communication, or by place of the program"
                        " (default %(default)s)")  # fmt: skip
    parser.add_argument("--at", action="append", default=[], metavar="POINT",
                        help="print values at a point such as p=65536,n=1e6 (repeatable)")  # fmt: skip
    parser.add_argument("--engine", default="pysmpi", choices=["pysmpi", "extrap"],
                        help="what finds the formulas: pysmpi, or Extra-P's command (default %(default)s)")  # fmt: skip
    parser.add_argument("--to-extrap", metavar="FILE", help="write the measurements in Extra-P's JSON format")
    parser.add_argument("--plot", metavar="PICTURE", help="draw measurements and formulas: NAME.svg, .png or .pdf")
    parser.add_argument("--json", action="store_true", help="print JSON")


def model(arguments: argparse.Namespace, read: "Callable[[argparse.Namespace], tuple[Study, Path]]") -> int:
    """Fit formulas to a study's results, or to the measurements of ``--data``, and print them.

    `read` returns the study and the folder of its results. Return the exit status.
    """
    from pysmpi.formulas import fit, write_extrap

    if (arguments.study is None) == (arguments.data is None):
        raise LaunchError("give a study, or measurements by --data FILE")
    if arguments.plot is not None:
        from pysmpi.util.pictures import check_format

        check_format(arguments.plot)
    source = _measured(arguments) if arguments.data is not None else _simulated(arguments, read)
    places = [_point(text, source.parameters) for text in arguments.at]
    if arguments.to_extrap is not None:
        write_extrap(Path(arguments.to_extrap), source.parameters, source.series)
    if arguments.engine == "extrap":
        if arguments.plot is not None:
            raise LaunchError("option --plot: only formulas of --engine pysmpi are drawn")
        _print(arguments, source, _by_extrap(source, places))
        return 0
    found = [(each, fit(source.parameters, each.points, each.means)) for each in source.series]
    found.sort(key=lambda pair: tuple(pair[1].form.growth_in(name) for name in source.parameters), reverse=True)
    _print(arguments, source, [_row(source, series, model, places) for series, model in found])
    if arguments.plot is not None:
        from pysmpi.study.analysis.model_plots import plot_models

        plot_models(source.parameters, [(each.metric, each, model) for each, model in found], arguments.plot, places)
    if arguments.study is not None and arguments.of is None and arguments.by == "kind":
        _write_models(Path(arguments.study), found, quiet=arguments.json)
    return 0


def _measured(arguments: argparse.Namespace) -> _Source:
    from pysmpi.formulas import read_extrap

    parameters, series = read_extrap(Path(arguments.data))
    if arguments.of is not None:
        known = list(dict.fromkeys(each.metric for each in series))
        if arguments.of not in known:
            raise LaunchError(f"option --of: {unknown('metric', arguments.of, known)}")
        series = [each for each in series if each.metric == arguments.of]
    return _Source(parameters, series, lambda each: {"callpath": each.callpath, "metric": each.metric}, {})


def _simulated(arguments: argparse.Namespace, read: "Callable[[argparse.Namespace], tuple[Study, Path]]") -> _Source:
    from pysmpi.study.analysis.modelling import changing_algorithms, modelled_columns, series_of, unit_of
    from pysmpi.study.store import Store
    from pysmpi.study.study_run import gather

    study, results = read(arguments)
    table = gather(study, study.plan(), Store(results))
    columns = modelled_columns(table, arguments.of, by_place=arguments.by == "place")
    parameters, series = series_of(table, columns)
    units = {each: unit_of(each) for each in columns}
    return _Source(
        parameters,
        series,
        lambda each: names_of(each.metric),
        units,
        lambda each: changing_algorithms(table, each.metric),
    )


def names_of(column: str) -> dict[str, Any]:
    """Return the JSON keys and values that identify a column of a study's table: metric, statistic and kind."""
    from pysmpi.study.amount_columns import ALL, parse_column

    requirement = parse_column(column)
    return {"metric": column, "of": None, "kind": ALL} if requirement is None else requirement._asdict()


def title_of(names: Mapping[str, Any]) -> str:
    """Return the title of a formula, such as "sent.bytes, Allreduce, max"."""
    shown = [names[key] for key in ("callpath", "metric") if key in names]
    shown += [names["kind"]] if names.get("kind", "all") != "all" else []
    shown += [names["of"]] if names.get("of") not in (None, "mean") else []
    return ", ".join(shown)


def _point(text: str, parameters: Sequence[str]) -> Point:
    point: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        if name not in parameters:
            raise LaunchError(f"option --at: {unknown('parameter', name, parameters)}")
        try:
            point[name] = float(value)
        except ValueError:
            point[name] = math.nan
        if not 0 < point[name] < math.inf:
            raise LaunchError(f"option --at: {part.strip()!r} is not valid; write a positive number, as in {name}=64")
    for name in parameters:
        if name not in point:
            raise LaunchError(f"option --at: {text!r} has no {name}; give each of {', '.join(parameters)}")
    return point


def _row(source: _Source, series: "Series", found: "Model", places: Sequence[Point]) -> _Row:
    grows = "; ".join(found.growth(name) for name in source.parameters[:1])
    if source.parameters[0] == "p" and found.rises("p"):
        grows = f"! {grows}"
    far = f"; farthest off at {_named(found.farthest)}" if found.farthest else ""
    if not found.exact and (why := source.why_not_exact(series)):
        far += f"; {why}"
    at = [(point, found.form.value(point), found.needs_verification(point)) for point in places]
    unit = source.units.get(series.metric, "")
    return _Row(source.names(series), unit, found.formula, found.form.pretty, found.exact, found.error,
                f"{found.certainty}; {grows}{far}", found.points, at)  # fmt: skip


def _by_extrap(source: _Source, places: Sequence[Point]) -> list[_Row]:
    import tempfile

    from pysmpi.formulas import Expression, write_extrap
    from pysmpi.formulas.extrap_command import run_extrap

    by_name = {(each.callpath, each.metric): each for each in source.series}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "measurements.json")
        write_extrap(path, source.parameters, source.series)
        found = run_extrap(path)
    rows = []
    for callpath, metric, formula, error in found:
        series = by_name[callpath, metric]
        expression = Expression.parse(formula, source.parameters)
        at = [(point, expression.evaluate(point), True) for point in places]
        certainty = f"by Extra-P, fitted with a mean error of {100 * error:.2g} %"
        rows.append(
            _Row(
                source.names(series),
                "",
                formula,
                formula,
                False,
                error,
                certainty,
                len(set(map(tuple, series.points))),
                at,
            )
        )
    return rows


def _print(arguments: argparse.Namespace, source: _Source, rows: Sequence[_Row]) -> None:
    if arguments.json:
        print(json.dumps({"models": [_as_json(source, row) for row in rows]}))
        return
    cells = []
    for row in rows:
        cells.append([title_of(row.names), row.shown, row.unit, row.certainty])
        for point, value, verify in row.at:
            cells.append([f"  at {_named(point)}", f"{value:.10g}", "", "! verify" if verify else ""])
    print("\n".join(aligned(cells)))
    for name, count in source.counts().items():
        if count < _ENOUGH:
            values = "one value" if count == 1 else f"{count} values"
            text = f"{name} has {values}; {_ENOUGH} or more tell how figures grow in it"
            print(f"pysmpi study: note: {text}", file=sys.stderr)


def _as_json(source: _Source, row: _Row) -> dict[str, Any]:
    unit = {"unit": row.unit} if source.units else {}
    return {
        **row.names,
        "formula": row.formula,
        "exact": row.exact,
        "error": row.error if math.isfinite(row.error) else None,
        **unit,
        "points": row.points,
        "at": [{**point, "value": value} for point, value, _ in row.at],
    }


def _named(point: Point) -> str:
    return ", ".join(f"{name} = {value:.10g}" for name, value in point.items())


def _write_models(study: Path, found: "Sequence[tuple[Series, Model]]", *, quiet: bool) -> None:
    from pysmpi.formulas import models_text
    from pysmpi.study.amount_columns import ALL, PREFIX
    from pysmpi.util.whole_file import write_whole

    path = study.with_suffix(".models.toml")
    named = ((series.metric, names_of(series.metric), model) for series, model in found)
    usual = (
        (column, model) for column, names, model in named if names["of"] in (None, "mean") and names["kind"] == ALL
    )
    formulas = {column.removeprefix(PREFIX): model for column, model in usual}
    try:
        write_whole(path, models_text({study.stem: formulas}, f"written by pysmpi study model {study.name}").encode())
    except OSError as error:
        raise LaunchError(f"cannot write {str(path)!r}: {error.strerror}") from None
    if not quiet:
        print(f"formulas: {path}")
