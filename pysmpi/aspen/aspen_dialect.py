"""Tokens of the language Aspen, and the operators, functions and predefined numbers of its expressions."""

import re

from pysmpi.aspen.errors import AspenError
from pysmpi.formulas.expressions.dialect import ARITHMETIC, COMPARISONS, Dialect, Operator, Strength
from pysmpi.formulas.expressions.tokens import NOWHERE, NUMBER, Place, Token

__all__ = ["ASPEN", "NOWHERE", "POWERS_OF_TEN", "Place", "Token", "error_at"]

_WORDS = re.compile(
    r"""(?<=\binclude)[ \t]+(?P<path>[^\s"'=\[\](){},;]+)"""
    r"|(?P<space>\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/)"
    r"|(?P<name>(?:\d+(?![eE][+-]?\d+(?!\w)))?[A-Za-z_]\w*)"
    rf"|(?P<number>{NUMBER})"
    r'|"(?P<string>[^"\n]*)"'
    r"|(?P<sign>\.\.|->|→|==|!=|<=|>=|&&|\|\||/(?!\*)|[-+*^()\[\]{},.=<>])"
    r"|(?P<other>/\*|.)",
    re.DOTALL,
)

ASPEN = Dialect(
    error=AspenError,
    whole="file",
    words=_WORDS,
    operators={
        **ARITHMETIC,
        **COMPARISONS,
        "^": Operator("^", Strength.POWER),
        "and": Operator("and", Strength.AND),
        "&&": Operator("and", Strength.AND),
        "or": Operator("or", Strength.OR),
        "||": Operator("or", Strength.OR),
    },
    functions={
        "max": (1, None),
        "min": (1, None),
        **dict.fromkeys(("log", "log2", "log10", "sqrt", "ceil", "floor", "exp", "abs"), (1, 1)),
    },
    deepest=40,
    mistakes={
        "/*": "the comment that begins here has no end; write */",
        '"': "the string that begins here has no end on its line",
    },
)

POWERS_OF_TEN = {
    "nano": 1e-9, "micro": 1e-6, "milli": 1e-3, "kilo": 1e3, "mega": 1e6, "giga": 1e9, "tera": 1e12, "peta": 1e15,
    "exa": 1e18,
}  # fmt: skip
"""Predefined numbers by name, for values such as ``2 * giga``. A parameter of the same name takes precedence."""


def error_at(place: Place, problem: str) -> AspenError:
    """Return an error whose message begins with a file and a line.

    Args:
        place: the file and line.
        problem: rest of the message.
    """
    return AspenError(f"{place}: {problem}")
