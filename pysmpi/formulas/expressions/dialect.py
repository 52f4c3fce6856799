"""Dialects: the spelling of operators and functions, and the class of errors."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from pysmpi.errors import PysmpiError

__all__ = ["ARITHMETIC", "COMPARISONS", "Dialect", "Operator", "Strength"]


class Strength(IntEnum):
    """Precedence of operations: operations of a higher value bind their operands more strongly."""

    OR = 0
    AND = 1
    COMPARISON = 2
    SUM = 3
    PRODUCT = 4
    SIGNED = 5
    POWER = 6
    PRIMARY = 7


class Operator(NamedTuple):
    """Operation between two operands.

    Attributes:
        sign: sign of the operation in the syntax tree.
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
    """Spelling of expressions.

    Attributes:
        error: class of errors.
        whole: noun for the whole text in errors, such as "formula".
        words: pattern of a token with the groups space, name, number, sign, other, and others that the dialect needs.
        operators: operators by spelling.
        functions: smallest and largest number of arguments of each function, by its name; None for no limit.
        roots: functions that are written as a sign before their operand, by the sign, such as "sqrt" for "√".
        deepest: largest number of nested parentheses, signs, powers and blocks.
        mistakes: error texts for tokens that are not valid anywhere, such as "^" in a dialect that has "**".
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
        """Return the operators that have one of the precedences, with spaces between them, for errors."""
        return " ".join(
            text for text, each in self.operators.items() if each.strength in strengths and text == each.sign
        )
