"""Files of models: a TOML table for each program, with a formula for each requirement, such as memory or bytes sent.

A formula is a text, such as ``memory = "1e5*n*log2(n)"``, or a number. A table with the keys ``formula``, ``exact``,
``error`` and ``largest`` also says how the formula is known, as ``pysmpi study model`` writes it.
"""

import json
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pysmpi.errors import ModelError, unknown
from pysmpi.formulas.expression import Expression
from pysmpi.formulas.expressions.tokens import Place
from pysmpi.formulas.model import Model, is_beyond
from pysmpi.util.documents import Document

__all__ = ["Formula", "models_text", "origin_of", "read_models"]

_KEYS = ("formula", "exact", "error", "largest")


@dataclass(frozen=True)
class Formula:
    """Formula of one requirement, and how it is known.

    Attributes:
        expression: parsed formula.
        exact: True if measurements follow it exactly, False if not, or None if the file does not contain this.
        error: relative error of the formula, or None if the file does not contain it.
        largest: largest measured value of each parameter; empty if the file does not contain it.
    """

    expression: Expression
    exact: bool | None = None
    error: float | None = None
    largest: Mapping[str, float] = field(default_factory=dict)

    def needs_verification(self, point: Mapping[str, float]) -> bool:
        """Return whether the value of the formula at a point should be checked by a measurement.

        That is so if the formula is known not to be exact, and a parameter exceeds ten times its largest measured
        value.
        """
        return self.exact is False and is_beyond(self.largest, point)


def read_models(path: Path, parameters: Collection[str] | None = None) -> dict[str, dict[str, Formula]]:
    """Return the models of a file by name, each with its formulas by the names of the requirements.

    Nested tables give names with dots: ``bytes = "8*n"`` in ``[jacobi.sent]`` is ``sent.bytes`` of the model jacobi.

    Args:
        path: TOML file.
        parameters: names that formulas may use, or None for any.

    Raises:
        ModelError: the file cannot be read, or is not valid; the message begins with file, line and column.
    """
    document = Document.read(path, ModelError)
    models: dict[str, dict[str, Formula]] = {}
    for name, table in document.content.items():
        if not isinstance(table, dict) or not table:
            raise document.error([name], f"{name!r} must be a table of formulas; write [{name}] above the formulas")
        models[name] = {
            requirement: _formula(document, keys, value, parameters)
            for keys, requirement, value in _entries([name], "", table)
        }
    if not models:
        raise ModelError(f"{path}:1: the file has no models; write [NAME] and a formula a line")
    return models


def _entries(keys: list[str], prefix: str, table: Mapping[str, Any]) -> Iterator[tuple[list[str], str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict) and "formula" not in value:
            yield from _entries([*keys, key], f"{prefix}{key}.", value)
        else:
            yield [*keys, key], prefix + key, value


def _formula(document: Document, keys: list[str], value: Any, parameters: Collection[str] | None) -> Formula:
    if not isinstance(value, dict):
        return Formula(_expression(document, keys, value, parameters))
    for key in value:
        if key not in _KEYS:
            raise document.error([*keys, key], unknown("key of a formula", key, _KEYS))
    exact, error, largest = value.get("exact"), value.get("error"), value.get("largest", {})
    if not isinstance(exact, bool | None):
        raise document.error([*keys, "exact"], f"exact is {exact!r}; write true or false")
    if error is not None and not (_is_number(error) and error >= 0):
        raise document.error([*keys, "error"], f"error is {error!r}; write a share such as 0.05")
    if not isinstance(largest, dict) or not all(_is_number(each) for each in largest.values()):
        raise document.error([*keys, "largest"], "largest must be a table with a number for each parameter")
    return Formula(_expression(document, keys, value["formula"], parameters), exact, error, largest)


def _expression(document: Document, keys: list[str], value: Any, parameters: Collection[str] | None) -> Expression:
    if isinstance(value, str):
        return Expression.parse(value, parameters, origin_of(document, keys, value))
    if _is_number(value):
        return Expression.parse(repr(value), parameters, origin_of(document, keys, repr(value)))
    raise document.error(keys, f'{".".join(keys[1:])} must be a formula in quotes, such as "1e5*n", or a number')


def origin_of(document: Document, keys: list[str], value: str) -> Place:
    """Return the file, line and column of a formula in a document, for errors.

    Args:
        document: the TOML file.
        keys: keys of the nested tables that lead to the formula, the outermost first.
        value: text of the formula. If the file writes it in another way, the result is the line of its key.
    """
    file, _, line = document.place(keys).rpartition(":")
    start = sum(len(each) for each in document.text.splitlines(keepends=True)[: int(line) - 1])
    after_sign = document.text.find("=", start) + 1
    offset = document.text.find(value, after_sign)
    if offset < 0:
        return Place(file, int(line), 1)
    return Place(file, document.text.count("\n", 0, offset) + 1, offset - document.text.rfind("\n", 0, offset))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def models_text(models: Mapping[str, Mapping[str, Model]], heading: str = "") -> str:
    """Return the text of a file of models, in the format that `read_models` reads.

    Args:
        models: by the name of a program, the models of its requirements by the name of the requirement.
        heading: comment for the first line, without the ``#``.
    """
    lines = [f"# {heading}"] if heading else []
    for name, formulas in models.items():
        lines += ["", f"[{_key(name)}]"] if lines else [f"[{_key(name)}]"]
        for requirement, model in formulas.items():
            largest = ", ".join(f"{_key(each)} = {value!r}" for each, value in model.largest.items())
            error = f"error = {model.error!r}, " if math.isfinite(model.error) else ""
            lines.append(
                f"{_key(requirement)} = {{ formula = {json.dumps(model.formula)}, exact = {str(model.exact).lower()}, "
                f"{error}largest = {{ {largest} }} }}"
            )
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else json.dumps(name)
