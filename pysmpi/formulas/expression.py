"""Small language of formulas that people write, such as ``1e5*n*log2(n)*p**0.25``.

A formula consists of numbers, parameters, ``+ - * / **``, parentheses and functions. Nothing else is valid, and no
Python code is ever evaluated. The signs for minus, times, division and roots that pysmpi prints in tables are read,
too.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pysmpi.errors import ModelError, unknown
from pysmpi.formulas.expressions.cursor import Cursor
from pysmpi.formulas.expressions.dialect import ARITHMETIC, Dialect, Operator, Strength
from pysmpi.formulas.expressions.evaluation import evaluate
from pysmpi.formulas.expressions.grammar import whole_expression
from pysmpi.formulas.expressions.tokens import NUMBER, Place
from pysmpi.formulas.expressions.tree import Expression as Node
from pysmpi.formulas.expressions.tree import Index, Name, names_in, nodes_of

__all__ = ["PLAIN", "Expression", "is_name"]

PLAIN = Dialect(
    error=ModelError,
    whole="formula",
    words=re.compile(
        rf"(?P<space>\s+)|(?P<number>{NUMBER})|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)"
        "|(?P<sign>\\*\\*|[-+*/(),√]|[\N{MINUS SIGN}\N{MULTIPLICATION SIGN}·÷])|(?P<other>.)",
        re.DOTALL,
    ),
    operators={
        **ARITHMETIC,
        "**": Operator("**", Strength.POWER),
        "\N{MINUS SIGN}": ARITHMETIC["-"],
        "\N{MULTIPLICATION SIGN}": ARITHMETIC["*"],
        "·": ARITHMETIC["*"],
        "÷": ARITHMETIC["/"],
    },
    functions={
        **dict.fromkeys(("log2", "sqrt", "cbrt", "round", "ceil"), (1, 1)),
        **dict.fromkeys(("min", "max"), (2, None)),
    },
    roots={"√": "sqrt"},
    deepest=100,
    mistakes={"^": "unexpected character '^'; write ** for powers"},
)
"""Rules by which formulas in studies and in files of models are written: tokens, operators, functions and limits."""


def is_name(text: str) -> bool:
    """Return whether a text such as "n" or "mesh.size" is a valid name of a parameter; names of functions are not."""
    return PLAIN.is_name(text) and text not in PLAIN.functions


@dataclass(frozen=True)
class Expression:
    """Parsed formula.

    Attributes:
        text: text of the formula.
        root: root of the syntax tree: the outermost operation.
        place: file, line and column of the text's first character, for error messages.
    """

    text: str
    root: Node
    place: Place = field(default=Place("", 1, 1), compare=False)

    @classmethod
    def parse(cls, text: str, parameters: Collection[str] | None = None, place: Place | None = None) -> "Expression":
        """Return the parsed formula.

        Args:
            text: text of the formula.
            parameters: names that the formula may use, or None for any name.
            place: file, line and column of the text's first character, or None if it does not come from a file.

        Raises:
            ModelError: the text is not a formula, or has an unknown function or parameter; the message begins with the
                position of the mistake and names the nearest match.
        """
        place = place or Place("", 1, 1)
        cursor = Cursor(text, PLAIN, place)
        if cursor.token.kind == "end":
            error = "the formula is empty; write a number or an expression such as 1e5*n"
            raise cursor.error(cursor.token.place, error)
        root = whole_expression(cursor)
        for node in nodes_of(root):
            if isinstance(node, Name) and (parameters is None or node.name not in parameters):
                if node.name in PLAIN.functions:
                    problem = f"function {node.name!r} lacks its arguments; write {node.name}(…)"
                    raise cursor.error(node.place, problem)
                if parameters is not None:
                    raise cursor.error(node.place, unknown("parameter", node.name, parameters))
        return cls(text, root, place)

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters, in the order of their first use."""
        return list(names_in(self.root))

    def evaluate(self, values: Mapping[str, float]) -> float:
        """Return the value of the formula, always a finite number.

        Args:
            values: value of each parameter by name.

        Raises:
            ModelError: a parameter has no value, or the result is not a finite number, such as after a division by
                zero.
        """
        return float(evaluate(self.root, _Values(values)))


@dataclass(frozen=True)
class _Values:
    """Values of a formula's parameters, in the form that `pysmpi.formulas.expressions.evaluation.evaluate` needs."""

    values: Mapping[str, float]

    def value(self, node: Name) -> float:
        if node.name not in self.values:
            raise self.error(node.place, f"parameter {node.name!r} has no value")
        return float(self.values[node.name])

    def element(self, node: Index) -> float:
        raise NotImplementedError  # the dialect has no lists

    def error(self, place: Place, problem: str) -> ModelError:
        return ModelError(f"{place}: {problem}")

    def undefined(self, place: Place, problem: str, given: str, node: Node) -> ModelError:
        return self.error(place, f"the formula has no value at {given or 'any point'}: {problem}")
