"""Texts of expressions and conditions, with the parentheses that they need and no others."""

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

__all__ = ["condition_text", "expression_text", "number_text"]

_SUM, _PRODUCT, _SIGNED, _PRIMARY = range(4)  # how strongly an operation binds its operands


def number_text(value: float) -> str:
    """Return a number with all digits, as an expression that has this value."""
    if value == int(value) and abs(value) < 1e16:
        return str(int(value))
    return repr(float(value)).replace("e+", "e")


def expression_text(node: Expression, least: int = _SUM) -> str:
    """Return an expression as text.

    Args:
        node: the expression.
        least: strength of the operation around it; weaker expressions get parentheses.
    """
    strength, text = _text(node)
    return f"({text})" if strength < least else text


def _text(node: Expression) -> tuple[int, str]:
    match node:
        case Number(value):
            return (_PRIMARY if value >= 0 else _SIGNED), number_text(value)
        case Name(name):
            return _PRIMARY, name
        case Index(name, indices):
            return _PRIMARY, name + "".join(f"[{expression_text(each)}]" for each in indices)
        case Function(name, arguments):
            return _PRIMARY, f"{name}({', '.join(map(expression_text, arguments))})"
        case Negation(operand):
            return _SIGNED, f"-{expression_text(operand, _SIGNED)}"
        case Power(base, exponent):
            return _SIGNED, f"{expression_text(base, _PRIMARY)}^{expression_text(exponent, _SIGNED)}"
        case Sum(first, rest):
            parts = "".join(f" {sign} {expression_text(each, _PRODUCT)}" for sign, each in rest)
            return _SUM, expression_text(first, _PRODUCT) + parts
        case Product(first, rest):
            parts = "".join(f" {sign} {expression_text(each, _SIGNED)}" for sign, each in rest)
            return _PRODUCT, expression_text(first, _SIGNED) + parts


def condition_text(node: Condition) -> str:
    """Return a condition as text."""
    match node:
        case Comparison(left, sign, right):
            return f"{expression_text(left)} {sign} {expression_text(right)}"
        case Junction(word, parts):
            return f" {word} ".join(f"({condition_text(p)})" if isinstance(p, Junction) else condition_text(p)
                                    for p in parts)  # fmt: skip
