"""Derived parameters of a study: formulas of other parameters, such as the side of a grid with n points per rank."""

from collections.abc import Mapping
from typing import Any

from pysmpi.errors import ModelError, StudyError
from pysmpi.formulas import Expression, origin_of
from pysmpi.study.complaint import Complaint
from pysmpi.study.factor_levels import Value
from pysmpi.study.parameters import PLAIN, check_value, flat
from pysmpi.util.documents import Document

__all__ = ["derive", "own_factors", "parse_derived", "parsed"]


def parse_derived(document: Document) -> None:
    """Check the formulas in the table ``[derived]`` of a study's file.

    Raises:
        ModelError: a formula is not valid; the message begins with file, line and column.
    """
    tables = [document.content.get(name) for name in ("factors", "fixed")]
    tables += document.content.get("points", [])
    known = {name for table in tables if isinstance(table, dict) for name in flat(table)}
    given = document.content.get("derived")
    for name, text in flat(given).items() if isinstance(given, dict) else ():
        if isinstance(text, str):
            keys = ["derived", *name.split(".", 1)]
            Expression.parse(text, sorted(known), origin_of(document, keys, text))
        known.add(name)


def parsed(derived: Mapping[str, Any]) -> dict[str, Expression]:
    """Return the parsed formulas of parameters, by their full names.

    Raises:
        Complaint: a formula is not valid.
    """
    found = {}
    for name, text in derived.items():
        if not isinstance(text, str):
            raise Complaint(_keys(name), f'{text!r} is not a formula in quotes, such as "round(sqrt(n * ranks))"')
        try:
            found[name] = Expression.parse(text)
        except ModelError as error:
            raise Complaint(_keys(name), str(error)) from None
    return found


def own_factors(derived: Mapping[str, Expression]) -> set[str]:
    """Return the names in formulas that are not parameters of a simulation, so that studies may define them."""
    names = {name for formula in derived.values() for name in formula.parameters}
    return {name for name in names if "." not in name and name not in PLAIN}


def derive(values: Mapping[str, Value], derived: Mapping[str, Expression]) -> dict[str, Value]:
    """Return the values of parameters together with those of the derived ones.

    Raises:
        Complaint: a formula has no value, or a value is not valid for its parameter.
    """
    found = dict(values)
    for name, formula in derived.items():
        numbers = {each: _number(name, each, found[each]) for each in formula.parameters}
        try:
            value = formula.evaluate(numbers)
            found[name] = int(value) if value.is_integer() else value
            check_value(name, found[name])
        except (ModelError, StudyError) as error:
            raise Complaint(_keys(name), f"{formula.text!r}: {error}") from None
    return found


def _number(derived: str, name: str, value: Value) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Complaint(_keys(derived), f"{name} is {value!r}, but formulas need numbers")
    return float(value)


def _keys(name: str) -> list[str]:
    return ["derived", *name.split(".", 1)]
