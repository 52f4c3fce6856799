"""Files of measurements for Extra-P, a tool that fits performance models: reading and writing.

A file has values for each call path and metric, at points: a value of each parameter, such as p = 4 and n = 256. It may
be JSON, JSON Lines (`extrap_lines`) or text (`extrap_text`).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pysmpi.errors import ModelError, did_you_mean
from pysmpi.formulas.expression import is_name
from pysmpi.formulas.extrap_lines import read_extrap_lines
from pysmpi.formulas.extrap_text import read_extrap_text
from pysmpi.formulas.series import Series, finite_numbers
from pysmpi.util.documents import parse_json, read_text
from pysmpi.util.whole_file import write_whole

__all__ = ["read_extrap", "write_extrap"]


def read_extrap(path: Path) -> tuple[list[str], list[Series]]:
    """Read a file of measurements for Extra-P, in any of its formats.

    Returns:
        Names of the parameters, and the measurements of each call path and metric.

    Raises:
        ModelError: the file cannot be read or is not valid; the message begins with file and line.
    """
    text = read_text(path, ModelError)
    if not text.lstrip().startswith(("{", "[")):
        return read_extrap_text(path, text)
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.lstrip().startswith("{") for line in lines):
        return read_extrap_lines(path, text)
    content = parse_json(text, path, ModelError)
    if isinstance(content, dict) and "params" in content:
        return read_extrap_lines(path, text)
    return _Reader(path, text).content(content)


@dataclass(frozen=True)
class _Reader:
    path: Path
    text: str

    def content(self, content: Any) -> tuple[list[str], list[Series]]:
        if not isinstance(content, dict):
            raise self.error([], "the file must contain an object with the keys parameters and measurements")
        for key in ("parameters", "measurements"):
            if key not in content:
                raise self.error([], f"key {key!r} is missing{did_you_mean(key, content)}")
        parameters = content["parameters"]
        if not isinstance(parameters, list) or not parameters:
            raise self.error(["parameters"], "parameters must be a list of names")
        for name in parameters:
            if not isinstance(name, str) or not is_name(name) or parameters.count(name) > 1:
                raise self.error(["parameters"], f"parameter {name!r} is not a valid name, or is named twice")
        series = []
        for callpath, metrics in self.object(["measurements"], content["measurements"]).items():
            for metric, measured in self.object(["measurements", callpath], metrics).items():
                series.append(self.series(["measurements", callpath, metric], measured, len(parameters)))
        if not series:
            raise self.error(["measurements"], "the file has no measurements")
        return parameters, series

    def series(self, keys: list[str], measured: Any, parameters: int) -> Series:
        if not isinstance(measured, list) or not measured:
            raise self.error(keys, f"metric {keys[-1]!r} must be a list of points with values")
        points, values = [], []
        for number, each in enumerate(measured, 1):
            given = each if isinstance(each, dict) else {}
            point = finite_numbers(given.get("point"))
            found = finite_numbers(given.get("values", given.get("value")))
            name = f"measurement {number} of metric {keys[-1]!r}"
            if point is None or not found:
                raise self.error(keys, f'{name} is not of the form {{"point": [4, 256], "values": [1.5]}}')
            if len(point) != parameters:
                raise self.error(keys, f"{name} has {len(point)} coordinates for {parameters} parameters")
            if min(point) <= 0:
                raise self.error(keys, f"{name} has a coordinate that is not positive")
            points.append(point)
            values.append(found)
        return Series(keys[1], keys[2], points, values)

    def object(self, keys: list[str], value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.error(keys, f"{keys[-1]!r} must be an object, with a name for each of its parts")
        return value

    def error(self, keys: list[str], message: str) -> ModelError:
        """Return an error whose message begins with the file and the line in which a value stands.

        Args:
            keys: keys of the nested JSON objects that lead to the value, the outermost first.
            message: description of the problem.
        """
        offset = 0
        for key in keys:
            found = max(self.text.find(json.dumps(key), offset), self.text.find(f'"{key}"', offset))
            offset = max(found, offset)
        return ModelError(f"{self.path}:{self.text.count(chr(10), 0, offset) + 1}: {message}")


def write_extrap(path: Path, parameters: Sequence[str], series: Sequence[Series]) -> None:
    """Write measurements to a JSON file that Extra-P reads (``extrap --json FILE``).

    Args:
        path: path of the file.
        parameters: names of the parameters.
        series: measurements of each call path and metric.

    Raises:
        ModelError: the file cannot be written.
    """
    measurements: dict[str, dict[str, list[dict[str, list[float]]]]] = {}
    for each in series:
        measurements.setdefault(each.callpath, {})[each.metric] = [
            {"point": [_plain(x) for x in point], "values": [_plain(value) for value in values]}
            for point, values in zip(each.points, each.values, strict=True)
        ]
    text = json.dumps({"parameters": list(parameters), "measurements": measurements}, indent=1)
    try:
        write_whole(path, f"{text}\n".encode())
    except OSError as error:
        raise ModelError(f"cannot write {str(path)!r}: {error.strerror}") from None


def _plain(number: float) -> float:
    return int(number) if float(number).is_integer() and abs(number) < 2**53 else float(number)
