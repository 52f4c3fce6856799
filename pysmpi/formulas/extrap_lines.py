"""Measurements as JSON Lines of Extra-P: a value, its metric and its call path in each line."""

import json
from pathlib import Path
from typing import Any

from pysmpi.errors import ModelError, unknown
from pysmpi.formulas.expression import is_name
from pysmpi.formulas.series import Series, finite_numbers

__all__ = ["read_extrap_lines"]

KEYS = ("params", "callpath", "metric", "value")


def read_extrap_lines(path: Path, text: str) -> tuple[list[str], list[Series]]:
    """Read measurements in the format JSON Lines of Extra-P.

    A line is ``{"params": {"p": 4}, "callpath": "main", "metric": "time", "value": 2}``. Call path and metric may be
    left out, as in Extra-P. Values with the same parameters are repetitions of one measurement.

    Args:
        path: path of the file, for errors.
        text: contents of the file.

    Returns:
        Names of the parameters, and the measurements of each call path and metric.

    Raises:
        ModelError: a line is not valid; the message begins with file and line.
    """
    parameters: list[str] = []
    found: dict[tuple[str, str], dict[tuple[float, ...], list[float]]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            content = _object(line)
            if not parameters:
                parameters = _parameters(content)
            point = _point(content, parameters)
            key = str(content.get("callpath", "<root>")), str(content.get("metric", "<default>"))
            found.setdefault(key, {}).setdefault(point, []).append(_value(content))
        except ModelError as error:
            raise ModelError(f"{path}:{number}: {error}") from None
    if not found:
        raise ModelError(f"{path}:1: the file has no measurements")
    return parameters, [
        Series(callpath, metric, list(values), list(values.values())) for (callpath, metric), values in found.items()
    ]


def _object(line: str) -> dict[str, Any]:
    try:
        content = json.loads(line)
    except ValueError as error:
        raise ModelError(f"not valid JSON: {error}") from None
    except RecursionError:
        raise ModelError("not valid JSON: values are nested too deeply") from None
    if not isinstance(content, dict):
        raise ModelError("the line must be an object with the keys params and value")
    for key in content:
        if key not in KEYS:
            raise ModelError(unknown("key", key, KEYS))
    for key in ("params", "value"):
        if key not in content:
            raise ModelError(f"key {key!r} is missing")
    return content


def _parameters(content: dict[str, Any]) -> list[str]:
    if not isinstance(content["params"], dict) or not content["params"]:
        raise ModelError('params must be an object with a number for each parameter, such as {"p": 4}')
    for name in content["params"]:
        if not is_name(name):
            raise ModelError(f"parameter {name!r} is not a valid name")
    return list(content["params"])


def _point(content: dict[str, Any], parameters: list[str]) -> tuple[float, ...]:
    given = content["params"]
    if not isinstance(given, dict) or set(given) != set(parameters):
        raise ModelError(f"params must have a number for each of {', '.join(parameters)}, as in the first line")
    point = []
    for name in parameters:
        number = _number(given[name])
        if number is None or number <= 0:
            raise ModelError(f"parameter {name!r} is {given[name]!r}, which is not a positive, finite number")
        point.append(number)
    return tuple(point)


def _value(content: dict[str, Any]) -> float:
    value = _number(content["value"])
    if value is None:
        raise ModelError(f"value {content['value']!r} is not a finite number")
    return value


def _number(value: Any) -> float | None:
    """Return a finite number from JSON as a float, or None for any other value."""
    numbers = finite_numbers([value])
    return None if numbers is None else numbers[0]
