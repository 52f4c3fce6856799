"""Parsers of expressions and conditions, by precedence climbing.

Each takes tokens from a cursor, whose dialect defines the operators, and returns a syntax tree. On a syntax error it
raises the error class of the dialect.
"""

import math

from pysmpi.errors import unknown
from pysmpi.formulas.expressions.cursor import Cursor
from pysmpi.formulas.expressions.dialect import Operator, Strength
from pysmpi.formulas.expressions.tokens import Place
from pysmpi.formulas.expressions.tree import (
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

__all__ = ["condition", "expression", "quantity", "whole_expression"]

_ARITHMETIC = (Strength.SUM, Strength.PRODUCT, Strength.POWER)

_Any = Expression | Condition


def whole_expression(cursor: Cursor) -> Expression:
    """Parse an expression after which the text must end, and return its syntax tree."""
    found = expression(cursor)
    if cursor.token.kind != "end":
        raise cursor.unexpected(f"an operator ({cursor.dialect.listed(_ARITHMETIC)})")
    return found


def expression(cursor: Cursor) -> Expression:
    """Parse an arithmetic expression, such as ``2 * n + 1``, and return its syntax tree; a comparison is an error."""
    return _number(cursor, Strength.SUM)


def quantity(cursor: Cursor) -> Expression:
    """Parse an expression in square brackets, such as ``[2 * n]``, and return the syntax tree of the expression."""
    opening = cursor.expect("[")
    with cursor.inside("bracket", opening.place):
        found = expression(cursor)
        cursor.expect("]")
    return found


def condition(cursor: Cursor) -> Condition:
    """Parse a condition, such as ``n > 4 and p == 2``, and return its syntax tree; a number is an error."""
    place = cursor.token.place
    found = _operation(cursor, Strength.OR)
    if not isinstance(found, Comparison | Junction):
        raise cursor.error(place, "expected a comparison such as n > 4, not a number")
    return found


def _number(cursor: Cursor, least: Strength) -> Expression:
    place = cursor.token.place
    return _checked(cursor, place, _signed(cursor) if least == Strength.SIGNED else _operation(cursor, least))


def _checked(cursor: Cursor, place: Place, found: _Any) -> Expression:
    if isinstance(found, Comparison | Junction):
        raise cursor.error(place, "expected a number, not a comparison")
    return found


def _operation(cursor: Cursor, least: Strength) -> _Any:
    """Parse operands joined by operators whose precedence is at least `least`, and return the syntax tree.

    The first operator of lower precedence ends the expression; it stays the next token of the cursor.
    """
    place = cursor.token.place
    found = _signed(cursor)
    while (operator := cursor.operator) is not None and operator.strength >= least:
        if operator.strength in (Strength.OR, Strength.AND):
            found = _junction(cursor, operator, found, place)
        elif operator.strength == Strength.COMPARISON:
            left = _checked(cursor, place, found)
            cursor.take()
            found = Comparison(left, operator.sign, _number(cursor, Strength.SUM), place=place)
        else:
            found = _chain(cursor, operator.strength, _checked(cursor, place, found), place)
    if least <= Strength.COMPARISON and cursor.at("="):
        comparisons = cursor.dialect.listed([Strength.COMPARISON])
        raise cursor.unexpected(f"a comparison ({comparisons})")
    return found


def _junction(cursor: Cursor, operator: Operator, first: _Any, place: Place) -> Junction:
    parts = [first]
    while cursor.operator == operator:
        cursor.take()
        parts.append(_operation(cursor, Strength(operator.strength + 1)))
    found: list[Condition] = []
    for part in parts:
        if not isinstance(part, Comparison | Junction):
            raise cursor.error(part.place, f"{operator.sign!r} joins comparisons such as n > 4, and not numbers")
        found.append(part)
    return Junction(operator.sign, tuple(found), place=place)


def _chain(cursor: Cursor, strength: Strength, first: Expression, place: Place) -> Expression:
    rest: list[tuple[str, Expression]] = []
    places = []
    while (operator := cursor.operator) is not None and operator.strength == strength:
        places.append(cursor.take().place)
        rest.append((operator.sign, _number(cursor, Strength(strength + 1))))
    kind = Sum if strength == Strength.SUM else Product
    return kind(first, tuple(rest), places=tuple(places), place=place)


def _signed(cursor: Cursor) -> _Any:
    operator = cursor.operator
    if operator is None or operator.strength != Strength.SUM:
        return _power(cursor)
    sign = cursor.take()
    with cursor.inside("expression", sign.place):
        operand = _number(cursor, Strength.SIGNED)
    return Negation(operand, place=sign.place) if operator.sign == "-" else operand


def _power(cursor: Cursor) -> _Any:
    place = cursor.token.place
    base = _primary(cursor)
    operator = cursor.operator
    if operator is None or operator.strength != Strength.POWER:
        return base
    base = _checked(cursor, place, base)
    sign = cursor.take()
    with cursor.inside("expression", sign.place):
        return Power(base, _number(cursor, Strength.SIGNED), place=sign.place)


def _primary(cursor: Cursor) -> _Any:
    token = cursor.token
    if token.kind == "number":
        cursor.take()
        value = float(token.text)
        if math.isinf(value):
            raise cursor.error(token.place, f"number {token} is too large")
        return Number(value, place=token.place)
    if token.kind == "name":
        return _named(cursor)
    if cursor.at(*cursor.dialect.roots):
        cursor.take()
        with cursor.inside("root", token.place):
            operand = _checked(cursor, cursor.token.place, _primary(cursor))
        return Function(cursor.dialect.roots[token.text], (operand,), place=token.place)
    if not cursor.at("("):
        raise cursor.unexpected("a number, a name or '('")
    cursor.take()
    with cursor.inside("parenthesis", token.place):
        found = _operation(cursor, Strength.OR)
        cursor.expect(")")
    return found


def _named(cursor: Cursor) -> Expression:
    place = cursor.token.place
    name = cursor.dotted("a name")
    if cursor.at("("):
        return _call(cursor, name, place)
    indices: list[Expression] = []
    while cursor.at("[") and cursor.touches and len(indices) < 2:
        indices.append(quantity(cursor))
    return Index(name, tuple(indices), place=place) if indices else Name(name, place=place)


def _call(cursor: Cursor, name: str, place: Place) -> Expression:
    functions = cursor.dialect.functions
    if name not in functions:
        raise cursor.error(place, unknown("function", name, functions))
    opening = cursor.take()
    arguments: list[Expression] = []
    with cursor.inside("parenthesis", opening.place):
        if not cursor.at(")"):
            arguments.append(expression(cursor))
        while cursor.accept(","):
            arguments.append(expression(cursor))
        if not cursor.at(")"):
            raise cursor.unexpected("',' or ')'")
        cursor.take()
    least, most = functions[name]
    if len(arguments) < least or (most is not None and len(arguments) > most):
        wanted = "one argument" if most == 1 else f"{least} or more arguments"
        raise cursor.error(place, f"{name} takes {wanted}, not {len(arguments)}")
    return Function(name, tuple(arguments), place=place)
