"""Expressions as Python, with the same operations in the same order, so that they have the same values to the bit."""

from collections.abc import Callable, Collection

from pysmpi.aspen.evaluation import evaluate, names_of
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.tree import (
    Comparison,
    Condition,
    Expression,
    Function,
    Index,
    Junction,
    Name,
    Negation,
    Number,
    Power,
    Product,
    Sum,
)

__all__ = ["PRODUCT", "SIGNED", "SUM", "condition_python", "folded", "number_python", "python_of"]

SUM, PRODUCT, SIGNED, PRIMARY = range(4)
"""How strongly an operation binds its operands."""

_LARGEST_WHOLE = 1_000_000  # numbers up to here are written as whole numbers: a few operations on them are exact


def number_python(value: float) -> str:
    """Return a number with all digits."""
    return str(int(value)) if value == int(value) and abs(value) <= _LARGEST_WHOLE else repr(float(value))


def python_of(node: Expression, name: Callable[[Name | Index], str], least: int = SUM) -> str:
    """Return an expression as Python.

    Args:
        node: the expression.
        name: function that returns the text of a name, or of an element of a list.
        least: strength of the operation around it; weaker expressions get parentheses.
    """
    strength, text = _text(node, name)
    return f"({text})" if strength < least else text


def _text(node: Expression, name: Callable[[Name | Index], str]) -> tuple[int, str]:
    if not isinstance(node, Number) and _is_inexact_in_whole_numbers(node):
        return PRIMARY, repr(float(evaluate(node, Scope())))
    match node:
        case Number(value):
            return (PRIMARY if value >= 0 else SIGNED), number_python(value)
        case Name() | Index():
            return PRIMARY, name(node)
        case Function("max" | "min", (argument,)):
            return _text(argument, name)
        case Function(called, arguments):
            return PRIMARY, f"{called}({', '.join(python_of(each, name) for each in arguments)})"
        case Negation(operand):
            return SIGNED, f"-{python_of(operand, name, SIGNED)}"
        case Power(base, exponent):
            first = repr(base.value) if isinstance(base, Number) else python_of(base, name, PRIMARY)
            return SIGNED, f"{first}**{python_of(exponent, name, SIGNED)}"
        case Sum(first_operand, rest):
            parts = "".join(f" {sign} {python_of(each, name, PRODUCT)}" for sign, each in rest)
            return SUM, python_of(first_operand, name, PRODUCT) + parts
        case Product(first_operand, rest):
            parts = "".join(f" {sign} {python_of(each, name, SIGNED)}" for sign, each in rest)
            return PRODUCT, python_of(first_operand, name, SIGNED) + parts


def _is_inexact_in_whole_numbers(node: Expression) -> bool:
    """Return whether an expression of numbers only could have another value if Python computes it in integers."""
    if any(True for _ in names_of(node)):
        return False
    match node:
        case Sum(first, rest) | Product(first, rest):
            return len(rest) > 1 or not all(isinstance(each, Number) for each in (first, rest[0][1]))
        case Power(_, exponent):
            return not isinstance(exponent, Number) or exponent.value not in (2, 3)
    return False


def condition_python(node: Condition, name: Callable[[Name | Index], str]) -> str:
    """Return a condition as Python."""
    match node:
        case Comparison(left, sign, right):
            return f"{python_of(left, name)} {sign} {python_of(right, name)}"
        case Junction(word, parts):
            texts = [condition_python(each, name) for each in parts]
            return f" {word} ".join(f"({text})" if isinstance(each, Junction) else text
                                    for each, text in zip(parts, texts, strict=True))  # fmt: skip


def folded(node: Expression, left: Collection[str], scope: Scope) -> Expression:
    """Return an expression in which only some names are left, and all else is a number.

    Args:
        node: the expression.
        left: names to leave.
        scope: values of all other names.
    """
    if not set(left) & set(names_of(node)):
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
