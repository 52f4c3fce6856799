"""Texts with fields: ``bw="{{bandwidth}}"`` in a platform file, ``"{{nb}}"`` among a program's arguments."""

import json
import re
from collections.abc import Mapping

from pysmpi.study.factor_levels import Value

__all__ = ["fields", "filled", "filled_toml", "written"]

_FIELD = re.compile(r"\{\{\s*([A-Za-z_][\w-]*)\s*\}\}")


def fields(text: str) -> dict[str, int]:
    """The names of the fields, each with the line in which it is first."""
    found: dict[str, int] = {}
    for match in _FIELD.finditer(text):
        found.setdefault(match[1], text.count("\n", 0, match.start()) + 1)
    return found


def filled(text: str, values: Mapping[str, Value]) -> str:
    """The text with each field's value in its place; all have one."""
    return _FIELD.sub(lambda match: written(values[match[1]]), text)


def filled_toml(text: str, values: Mapping[str, Value]) -> str:
    """The same of a TOML file: what stands between quotation marks is the value as it is, whatever is in it."""

    def replaced(match: re.Match[str]) -> str:
        value = written(values[match[1]])
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        return json.dumps(value, ensure_ascii=False)[1:-1] if _is_quoted(before) else value

    return _FIELD.sub(replaced, text)


def _is_quoted(before: str) -> bool:
    """Whether a text in quotation marks is open behind this part of a line."""
    return re.fullmatch(r"""(?:[^"'#]|'[^']*'|"(?:[^"\\]|\\.)*")*"(?:[^"\\]|\\.)*""", before) is not None


def written(value: Value) -> str:
    """A value as settings, arguments and platform files have it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.12g}" if isinstance(value, float) else str(value)
