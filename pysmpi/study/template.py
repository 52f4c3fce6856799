"""Texts with fields, such as ``bw="{{bandwidth}}"`` in a platform file or ``"{{nb}}"`` in a program's arguments."""

import json
import re
from collections.abc import Mapping

from pysmpi.study.factor_levels import Value

__all__ = ["fields", "filled", "filled_toml", "written"]

_FIELD = re.compile(r"\{\{\s*([A-Za-z_][\w-]*)\s*\}\}")


def fields(text: str) -> dict[str, int]:
    """Return the names of the fields (``{{NAME}}``) in a text, each with the line of its first use."""
    found: dict[str, int] = {}
    for match in _FIELD.finditer(text):
        found.setdefault(match[1], text.count("\n", 0, match.start()) + 1)
    return found


def filled(text: str, values: Mapping[str, Value]) -> str:
    """Return the text with each field replaced by its value; `values` must contain every field."""
    return _FIELD.sub(lambda match: written(values[match[1]]), text)


def filled_toml(text: str, values: Mapping[str, Value]) -> str:
    """Return a TOML text with each field replaced by its value; values inside quotation marks are escaped."""

    def replaced(match: re.Match[str]) -> str:
        value = written(values[match[1]])
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        return json.dumps(value, ensure_ascii=False)[1:-1] if _is_quoted(before) else value

    return _FIELD.sub(replaced, text)


def _is_quoted(before: str) -> bool:
    """Return whether the text from the beginning of a TOML line up to a field ends inside a string in double quotes."""
    return re.fullmatch(r"""(?:[^"'#]|'[^']*'|"(?:[^"\\]|\\.)*")*"(?:[^"\\]|\\.)*""", before) is not None


def written(value: Value) -> str:
    """Return a parameter's value in the form in which settings, arguments and platform files contain it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, float) else str(value)
