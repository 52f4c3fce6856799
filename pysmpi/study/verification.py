"""One further point of a study, simulated to check formulas that were found without it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pysmpi.errors import StudyError, unknown
from pysmpi.study.factor_levels import Value
from pysmpi.study.results_table import Table
from pysmpi.study.study_class import Study
from pysmpi.study.study_run import run

__all__ = ["simulate_point"]


def simulate_point(study: Study, results: Path, given: Mapping[str, Value]) -> Table:
    """Simulate a point that need not be among the study's own, unless its outcome is stored; return its table.

    Args:
        study: the study.
        results: folder of the results, where the outcome is stored too.
        given: values of the study's factors by their full names; a factor with a single value may be left out.

    Raises:
        StudyError: a factor has no value or is unknown, a value is not valid, or the simulation fails.
    """
    levels = {name: {each[name] for each in study.combinations()} for name in study.varied()}
    for name in given:
        if name not in levels:
            raise StudyError(unknown("factor", name, list(levels)))
    point = dict(given)
    for name, values in levels.items():
        if name not in point and len(values) > 1:
            raise StudyError(f"factor {name!r} has no value; write {_how(name)}")
        point.setdefault(name, next(iter(values)))
    one = replace(study, factors={}, design="listed", points=[point], samples=None)
    table = run(one, results, keeps_table=False)
    failed = next((row for row in table if row["status"] != "done"), None)
    if failed is not None:
        raise StudyError(f"the simulation of the point failed: {failed['error']}")
    return table


def _how(name: str) -> str:
    return "--ranks N" if name == "ranks" else f"--set {name}=VALUE"
