"""Checks of a study's description before anything is simulated."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from pysmpi.errors import StudyError, unknown
from pysmpi.simulation.launch.instrument_kinds import kinds_with_columns
from pysmpi.study.complaint import Complaint
from pysmpi.study.derived import own_factors
from pysmpi.study.designs import KINDS, MOST_POINTS
from pysmpi.study.factor_levels import Range
from pysmpi.study.inputs import is_file, matching
from pysmpi.study.parameters import check_name, check_value, settings_of
from pysmpi.study.study_description import Description

__all__ = ["check"]

_LONGEST = 1_000_000_000  # seconds: thirty years
_LAST_SEED = 2**62  # such that the seeds of all replicates fit into 64 bits
_TYPES: dict[str, tuple[Any, str]] = {
    "program": (str | os.PathLike, "the path of a script"),
    "platform": (str | os.PathLike, "the path of a platform file, or a cluster such as torus:4,4,4"),
    "factors": (Mapping, "a table"),
    "fixed": (Mapping, "a table"),
    "arguments": (Sequence, "a list of strings"),
    "jobs": (str | os.PathLike | None, "the path of a job file"),
    "function": (str | None, "a function of Python, FILE.py:NAME"),
    "design": (str, "one of " + ", ".join(KINDS)),
    "points": (Sequence, "a list of tables, [[points]]"),
    "samples": (int | None, "a whole number"),
    "replicates": (int, "a whole number"),
    "replicated": (str, "random or all"),
    "seed": (int, "a whole number"),
    "inputs": (Sequence, "a list of files"),
    "blas": (str | os.PathLike | None, "the path of a BLAS model"),
    "timeout": (int | float | None, "a number of seconds"),
    "prices": (Mapping, "a table"),
    "instruments": (Sequence, "a list of names of instruments"),
    "derived": (Mapping, "a table"),
    "folder": (str | os.PathLike, "a path"),
}


def check(description: Description) -> None:
    """Check a study's description.

    Raises:
        Complaint: if a part of the description is not valid.
    """
    _check_types(description)
    _check_numbers(description)
    _check_files(description) if description.function is None else _check_function(description)
    try:
        matching(description.inputs, Path(description.folder))
    except StudyError as error:
        raise Complaint(["inputs"], str(error)) from None
    _check_design(description)
    for name in description.instruments:
        if name not in (valid := kinds_with_columns()):
            raise Complaint(["instruments"], unknown("instrument with columns", name, valid))
        if description.jobs is not None:
            raise Complaint([name], f"{name} is not valid with jobs")
    names = description.field_names()
    _check_derived(description, names)
    fixed, levels = description.flat_fixed, description.levels
    if (double := sorted(set(fixed) & set(levels))) != []:
        raise Complaint(
            ["fixed", *double[0].split(".", 1)],
            "this parameter is also a factor; remove it from [fixed] or from [factors]",
        )
    for name, value in fixed.items():
        _check_values(["fixed"], name, (value,), names, description)
    for name, given in levels.items():
        values = (given.at(0.0), given.at(1.0)) if isinstance(given, Range) else given
        _check_values(["factors"], name, values, names, description)
    for number, point in enumerate(description.flat_points, 1):
        for name, value in point.items():
            _check_values(["points"], name, (value,), names, description, number)
    _check_complete(description, names)
    for number, varied in enumerate(description.given(), 1):
        _check_said_once(fixed, varied, number if description.points else None)
    if description.derived:
        description.combinations()  # raises an error if a formula has no value at a point


def _check_said_once(fixed: Iterable[str], given: Iterable[str], number: int | None) -> None:
    """Raise an error if two parameters, such as ``selector`` and ``cfg.smpi/coll-selector``, set the same setting.

    One of them would have no effect.
    """
    known: dict[str, str] = {}
    of_all = dict.fromkeys(fixed)
    for name in of_all | dict.fromkeys(given):
        for setting in settings_of({name: ""}):
            key = setting.partition(":")[0]
            if known.setdefault(key, name) != name:
                table = "fixed" if name in of_all else "factors" if number is None else "points"
                raise Complaint(
                    [table, *name.split(".", 1)],
                    f"sets {key}, which {known[key]} sets too; remove one of the two",
                    number,
                )


def _check_types(description: Description) -> None:
    for each in fields(description):
        kind, expected = _TYPES[each.name]
        value = getattr(description, each.name)
        unfit = (isinstance(value, bool) and kind is not bool) or (isinstance(value, str) and kind is Sequence)
        if unfit or not isinstance(value, kind):
            raise Complaint([each.name], f"{value!r} is not {expected}")
    for key in ("arguments", "inputs", "instruments"):
        for word in getattr(description, key):
            if not isinstance(word, str):
                raise Complaint([key], f"{word!r} is not a string; write it in quotes")
    for number, point in enumerate(description.points, 1):
        if not isinstance(point, Mapping):
            raise Complaint(["points"], f"{point!r} is not a table", number)
    for key, table in (
        ("fixed", description.fixed),
        ("factors", description.factors),
        ("derived", description.derived),
    ):
        _check_keys(key, table)
    for number, point in enumerate(description.points, 1):
        _check_keys("points", point, number)


def _check_keys(key: str, table: Mapping[Any, Any], number: int | None = None) -> None:
    for name in table:
        if not isinstance(name, str):
            raise Complaint([key], f"{name!r} is not the name of a parameter", number)


def _check_numbers(description: Description) -> None:
    for key, least, most in (("replicates", 1, MOST_POINTS), ("samples", 1, MOST_POINTS), ("seed", 0, _LAST_SEED)):
        value = getattr(description, key)
        if value is not None and value < least:
            raise Complaint([key], f"{value} is too small; the least valid value is {least}")
        if value is not None and value > most:
            raise Complaint([key], f"{value!s:.40} is too large; the largest valid value is {most:,}")
    timeout = description.timeout
    if timeout is not None and not 0 < timeout <= _LONGEST:
        raise Complaint(
            ["timeout"], f"{timeout!s:.40} is not valid; write a number of seconds above 0, up to {_LONGEST:,}"
        )


def _check_files(description: Description) -> None:
    if not os.fspath(description.platform):
        raise Complaint(["platform"], "platform is missing: a platform file or a cluster such as torus:4,4,4")
    if description.jobs is None and not os.fspath(description.program):
        raise Complaint(["program"], "program is missing: the path of a script, a job file under jobs, or a function")
    if description.jobs is not None:
        for key, given in (("program", os.fspath(description.program)), ("arguments", description.arguments)):
            if given:
                raise Complaint(
                    [key], f"{key} is not valid with jobs, which name their own programs and arguments; remove one"
                )
    for key, path, what in (("program", description.program_path, "script"), ("jobs", description.jobs_path, "file"),
                            ("blas", description.blas_path, "model")):  # fmt: skip
        if path is not None and not is_file(path):
            raise Complaint([key], f"{what} {str(path)!r} does not exist")


def _check_function(description: Description) -> None:
    """Check that the description of a study of a function has no keys that apply only to simulations of programs."""
    for key in ("program", "arguments", "jobs", "platform", "blas", "prices", "instruments"):
        if given := getattr(description, key):
            wrong = given[0] if key == "instruments" else key
            raise Complaint([wrong], f"{wrong} is not valid with function, which runs its own simulations; remove one")
    if description.replicates > 1:
        raise Complaint(["replicates"], "not valid with function; make the seed an argument and a factor")


def _check_design(description: Description) -> None:
    design = description.design
    if design not in KINDS:
        raise Complaint(["design"], unknown("design", design, KINDS))
    if description.replicated not in ("random", "all"):
        raise Complaint(["replicated"], unknown("value", description.replicated, ("random", "all")))
    for key, given, its_design in (("points", bool(description.points), "listed"),
                                   ("samples", description.samples is not None, "sampled")):  # fmt: skip
        if given is not (design == its_design):
            problem = f"{key} is not valid in a {design} design" if given else f"a {design} design needs {key}"
            raise Complaint([key], problem)
    if description.factors and design == "listed":
        raise Complaint(
            ["factors"], "a listed design has points and no factors; remove [factors] or choose a crossed design"
        )
    if design == "sampled" and not description.factors:
        raise Complaint(["factors"], "a sampled design needs factors")


def _check_derived(description: Description, names: Mapping[str, Mapping[str, int]]) -> None:
    """Check that derived parameters exist, have no values but their formulas, and depend on parameters with values."""
    derived = description.flat_derived
    for number, varied in enumerate(description.given(), 1):
        known = {*description.defaults, *description.flat_fixed, *varied}
        for name, formula in derived.items():
            keys = ["derived", *name.split(".", 1)]
            if name in known:
                raise Complaint(keys, "this parameter also has a value; remove the value or the formula")
            for each in formula.parameters:
                if each not in known:
                    where = f" in point {number}" if description.points else ""
                    raise Complaint(keys, f"parameter {each!r} of the formula has no value{where}")
            known.add(name)
    for name in derived:
        try:
            _check_name(name, names, description)
        except StudyError as error:
            raise Complaint(["derived", *name.split(".", 1)], str(error)) from None


def _check_values(
    table: list[str],
    name: str,
    values: Sequence[Any],
    names: Mapping[str, Mapping[str, int]],
    description: Description,
    number: int | None = None,
) -> None:
    try:
        if description.jobs is not None and name in ("ranks", "mapping"):
            field = {"ranks": "{{ranks}}", "mapping": '"{{mapping}}"'}[name]
            raise StudyError(f"jobs set their own {name}; write {name} = {field} in the job file, and jobs.{name} here")
        if name not in own_factors(description.flat_derived):
            _check_name(name, names, description)
        for value in values:
            if not isinstance(value, str | int | float):
                raise StudyError(f"{value!r} is not a string, a number or a boolean")
            check_value(name, value)
    except StudyError as error:
        raise Complaint([*table, *name.split(".", 1)], str(error), number) from None


def _check_name(name: str, names: Mapping[str, Mapping[str, int]], description: Description) -> None:
    function = description.point_function
    check_name(name, names) if function is None else function.check_name(name)


def _check_complete(description: Description, names: Mapping[str, Mapping[str, int]]) -> None:
    for number, given in enumerate(description.given(), 1):
        known = {*description.defaults, *description.flat_fixed, *given, *description.flat_derived}
        where, place = (f" in point {number}", number) if description.points else ("", None)
        if description.jobs is None and description.function is None and "ranks" not in known:
            raise Complaint(["fixed"], f"ranks is missing{where}; write ranks = 64 in [fixed], or make it a factor")
        for group, lines in names.items():
            for inner, line in lines.items():
                if f"{group}.{inner}" not in known:
                    is_in_file = group == "jobs" or (group == "platform" and description.platform_path)
                    at = f", line {line}," if is_in_file else ""
                    what = f"field {{{{{inner}}}}}" if description.function is None else f"argument {inner!r}"
                    raise Complaint(
                        [group if description.function is None else "function"],
                        f"{what}{at} has no value{where}; write {group}.{inner} in [fixed], or make it a factor",
                        place,
                    )
