"""Dialects: the spelling of operators and functions, and the class of errors."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from pysmpi.errors import PysmpiError

__all__ = ["ARITHMETIC", "COMPARISONS", "Dialect", "Operator", "Strength"]


class Strength(IntEnum):
    """Strength with which an operation binds its operands."""

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
        sign: sign of the operation in the tree.
        strength: how strongly it binds.
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
        whole: noun for the whole text, for errors.
        words: pattern of words with the groups space, name, number, sign, other, and others that the dialect needs.
        operators: operators by spelling.
        functions: functions by name, with the least and the largest number of arguments (None: any).
        roots: functions by signs that stand before their operand.
        deepest: largest number of nested parentheses, signs, powers and blocks.
        mistakes: problem for each word that no text may have.
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
        """Return whether a text is a name."""
        match = self.words.fullmatch(text)
        return match is not None and match.lastgroup == "name"

    def listed(self, strengths: Collection[Strength]) -> str:
        """Return the operators of some strengths, as errors list them."""
        return " ".join(
            text for text, each in self.operators.items() if each.strength in strengths and text == each.sign
        )
