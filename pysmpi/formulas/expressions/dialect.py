"""Dialects of expressions: which operators and functions a language has, how they are written, and its errors."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from pysmpi.errors import PysmpiError

__all__ = ["ARITHMETIC", "COMPARISONS", "Dialect", "Operator", "Strength"]


class Strength(IntEnum):
    """Precedence of operations, from "or" up to numbers, names and parentheses. Higher values bind more strongly."""

    OR = 0
    AND = 1
    COMPARISON = 2
    SUM = 3
    PRODUCT = 4
    SIGNED = 5
    POWER = 6
    PRIMARY = 7


class Operator(NamedTuple):
    """Operator between two operands.

    Attributes:
        sign: sign that stands for it in the syntax tree, such as "*", even if the text has another spelling, such as
            "·".
        strength: precedence.
    """

    sign: str
    strength: Strength


ARITHMETIC = {
    "+": Operator("+", Strength.SUM),
    "-": Operator("-", Strength.SUM),
    "*": Operator("*", Strength.PRODUCT),
    "/": Operator("/", Strength.PRODUCT),
}
"""Operators that all dialects have."""

COMPARISONS = {sign: Operator(sign, Strength.COMPARISON) for sign in ("==", "!=", "<", "<=", ">", ">=")}


@dataclass(frozen=True)
class Dialect:
    """Rules by which expressions of one language, such as formulas or Aspen models, are written.

    Attributes:
        error: class of the errors that parsers raise.
        whole: noun for the whole text in errors, such as "formula".
        words: regular expression of a token. The name of its group is the kind of the token: space, name, number,
            sign, other, and further ones that the dialect needs.
        operators: operators by spelling.
        functions: smallest and largest number of arguments of each function, by its name; None for no limit.
        roots: functions that are written as a sign before their operand, by the sign, such as "sqrt" for "√".
        deepest: largest number of nested parentheses, signs, powers and blocks.
        mistakes: error texts, by the token, for tokens that are not valid anywhere, such as "^" in a dialect that has
            "**".
    """

    error: type[PysmpiError]
    whole: str
    words: re.Pattern[str]
    operators: Mapping[str, Operator]
    functions: Mapping[str, tuple[int, int | None]]
    deepest: int
    roots: Mapping[str, str] = field(default_factory=dict)
    mistakes: Mapping[str, str] = field(default_factory=dict)

    def is_name(self, text: str) -> bool:
        """Return whether a text is a valid name in this dialect."""
        match = self.words.fullmatch(text)
        return match is not None and match.lastgroup == "name"

    def listed(self, strengths: Collection[Strength]) -> str:
        """Return the operators that have one of the precedences `strengths` as a text for errors, such as "+ - * /"."""
        return " ".join(
            text for text, each in self.operators.items() if each.strength in strengths and text == each.sign
        )
