"""Python code for the expressions of models. The order of operations is kept, so that values are equal to the bit."""

from collections.abc import Callable, Collection

from pysmpi.aspen.scope import Scope
from pysmpi.formulas.expressions.dialect import Strength
from pysmpi.formulas.expressions.evaluation import evaluate
from pysmpi.formulas.expressions.text import Notation
from pysmpi.formulas.expressions.tree import (
    Expression,
    Function,
    Index,
    Name,
    Negation,
    Number,
    Power,
    Product,
    Sum,
    names_in,
)

__all__ = ["Python", "folded", "number_python"]

_LARGEST_WHOLE = 1_000_000  # numbers up to here are written as whole numbers: a few operations on them are exact


def number_python(value: float) -> str:
    """Return the Python code for a number, with all digits; small whole numbers become integers."""
    return str(int(value)) if value == int(value) and abs(value) <= _LARGEST_WHOLE else repr(float(value))


class Python(Notation):
    """Notation of Python, in which expressions of models are written.

    Args:
        name: function that returns the Python code for a name of the model, or for an element of a list.
    """

    power = "**"

    def __init__(self, name: Callable[[Name | Index], str]) -> None:
        self._name = name

    def number(self, value: float) -> str:
        return number_python(value)

    def name(self, node: Name | Index) -> str:
        return self._name(node)

    def base(self, node: Expression) -> str:
        return repr(node.value) if isinstance(node, Number) else super().base(node)

    def parts(self, node: Expression) -> tuple[Strength, str]:
        if not isinstance(node, Number) and _is_inexact_in_whole_numbers(node):
            return Strength.PRIMARY, repr(float(evaluate(node, Scope())))
        if isinstance(node, Function) and node.name in ("max", "min") and len(node.arguments) == 1:
            return self.parts(node.arguments[0])
        return super().parts(node)


def _is_inexact_in_whole_numbers(node: Expression) -> bool:
    """Return whether an expression without names could have another value if Python computes it with integers."""
    if any(True for _ in names_in(node)):
        return False
    match node:
        case Sum(first, rest) | Product(first, rest):
            return len(rest) > 1 or not all(isinstance(each, Number) for each in (first, rest[0][1]))
        case Power(_, exponent):
            return not isinstance(exponent, Number) or exponent.value not in (2, 3)
    return False


def folded(node: Expression, left: Collection[str], scope: Scope) -> Expression:
    """Return an expression in which all operands without certain names are replaced by their values.

    Example: with n = 4, and x left, ``x * (n + 1)`` becomes ``x * 5``.

    Args:
        node: the expression.
        left: names that stay in the expression.
        scope: values of all other names.
    """
    if not set(left) & set(names_in(node)):
        return Number(float(evaluate(node, scope)))
    match node:
        case Function(name, arguments):
            return Function(name, tuple(folded(each, left, scope) for each in arguments))
        case Negation(operand):
            return Negation(folded(operand, left, scope))
        case Power(base, exponent):
            return Power(folded(base, left, scope), folded(exponent, left, scope))
        case Sum(first, rest):
            return Sum(folded(first, left, scope), tuple((sign, folded(each, left, scope)) for sign, each in rest))
        case Product(first, rest):
            return Product(folded(first, left, scope), tuple((sign, folded(each, left, scope)) for sign, each in rest))
    return node
