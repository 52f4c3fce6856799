"""Grammar of expressions and conditions, by recursive descent."""

import math
from collections.abc import Callable

from pysmpi.aspen.cursor import Cursor
from pysmpi.aspen.functions import FUNCTIONS
from pysmpi.aspen.tokens import Place, Token, error_at
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
from pysmpi.errors import did_you_mean

__all__ = ["condition", "expression", "quantity"]

_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
_ALIASES = {"||": "or", "&&": "and"}


def quantity(cursor: Cursor) -> Expression:
    """Take an expression in brackets."""
    opening = cursor.expect("[")
    with cursor.inside("bracket", opening.place.line):
        found = expression(cursor)
        cursor.expect("]")
    return found


def expression(cursor: Cursor) -> Expression:
    """Take an expression, which must be a number."""
    return _number(cursor, _sum)


def condition(cursor: Cursor) -> Condition:
    """Take a condition: comparisons, joined by "and" and "or"."""
    place = cursor.token.place
    found = _either(cursor)
    if not isinstance(found, Comparison | Junction):
        raise error_at(place, "expected a comparison such as n > 4, not a number")
    return found


_Any = Expression | Condition


def _number(cursor: Cursor, rule: Callable[[Cursor], _Any]) -> Expression:
    place = cursor.token.place
    found = rule(cursor)
    if isinstance(found, Comparison | Junction):
        raise error_at(place, "expected a number, not a comparison")
    return found


def _either(cursor: Cursor) -> _Any:
    return _junction(cursor, ("or", "||"), lambda inner: _junction(inner, ("and", "&&"), _comparison))


def _junction(cursor: Cursor, words: tuple[str, str], rule: Callable[[Cursor], _Any]) -> _Any:
    place = cursor.token.place
    parts = [rule(cursor)]
    while cursor.accept(*words):
        parts.append(rule(cursor))
    if len(parts) == 1:
        return parts[0]
    found: list[Condition] = []
    for part in parts:
        if not isinstance(part, Comparison | Junction):
            raise error_at(part.place, f"{words[0]!r} joins comparisons such as n > 4, and not numbers")
        found.append(part)
    return Junction(words[0], tuple(found), place=place)


def _comparison(cursor: Cursor) -> _Any:
    place = cursor.token.place
    left = _sum(cursor)
    if not cursor.at(*_COMPARISONS):
        if cursor.at("="):
            raise cursor.unexpected("a comparison (== != < <= > >=)")
        return left
    if isinstance(left, Comparison | Junction):
        raise error_at(place, "expected a number, not a comparison")
    sign = cursor.take().text
    return Comparison(left, sign, _number(cursor, _sum), place=place)


def _sum(cursor: Cursor) -> _Any:
    return _chain(cursor, ("+", "-"), _product, Sum)


def _product(cursor: Cursor) -> _Any:
    return _chain(cursor, ("*", "/"), _signed, Product)


def _chain(
    cursor: Cursor, signs: tuple[str, str], rule: Callable[[Cursor], _Any], kind: type[Sum] | type[Product]
) -> _Any:
    place = cursor.token.place
    first = rule(cursor)
    if not cursor.at(*signs):
        return first
    if isinstance(first, Comparison | Junction):
        raise error_at(place, "expected a number, not a comparison")
    rest: list[tuple[str, Expression]] = []
    while sign := cursor.accept(*signs):
        rest.append((sign.text, _number(cursor, rule)))
    return kind(first, tuple(rest), place=place)


def _signed(cursor: Cursor) -> _Any:
    sign = cursor.accept("+", "-")
    if sign is None:
        return _power(cursor)
    with cursor.inside("expression", sign.place.line):
        operand = _number(cursor, _signed)
    return Negation(operand, place=sign.place) if sign.text == "-" else operand


def _power(cursor: Cursor) -> _Any:
    place = cursor.token.place
    base = _primary(cursor)
    if not cursor.at("^"):
        return base
    if isinstance(base, Comparison | Junction):
        raise error_at(place, "expected a number, not a comparison")
    cursor.take()
    with cursor.inside("expression", place.line):
        return Power(base, _number(cursor, _signed), place=place)


def _primary(cursor: Cursor) -> _Any:
    token = cursor.token
    if token.kind == "number":
        cursor.take()
        value = float(token.text)
        if math.isinf(value):
            raise error_at(token.place, f"number {token} is too large")
        return Number(value, place=token.place)
    if token.kind == "name":
        return _named(cursor)
    if not cursor.at("("):
        raise cursor.unexpected("a number, a name or '('")
    cursor.take()
    with cursor.inside("parenthesis", token.place.line):
        found = _either(cursor)
        cursor.expect(")")
    return found


def _named(cursor: Cursor) -> Expression:
    token = cursor.token
    name = cursor.dotted("a name")
    if cursor.at("("):
        return _call(cursor, token, name)
    indices: list[Expression] = []
    while cursor.at("[") and cursor.touches and len(indices) < 2:
        indices.append(quantity(cursor))
    return Index(name, tuple(indices), place=token.place) if indices else Name(name, place=token.place)


def _call(cursor: Cursor, token: Token, name: str) -> Expression:
    _check_function(name, token.place)
    opening = cursor.take()
    arguments: list[Expression] = []
    with cursor.inside("parenthesis", opening.place.line):
        if not cursor.at(")"):
            arguments.append(expression(cursor))
        while cursor.accept(","):
            arguments.append(expression(cursor))
        if not cursor.at(")"):
            raise cursor.unexpected("',' or ')'")
        cursor.take()
    least, most = FUNCTIONS[name].least, FUNCTIONS[name].most
    if len(arguments) < least or (most is not None and len(arguments) > most):
        wanted = "one argument" if most == 1 else f"{least} or more arguments"
        raise error_at(token.place, f"{name} takes {wanted}, not {len(arguments)}")
    return Function(name, tuple(arguments), place=token.place)


def _check_function(name: str, place: Place) -> None:
    if name not in FUNCTIONS:
        hint = did_you_mean(name, FUNCTIONS)
        raise error_at(place, f"no function is called {name!r}{hint} (valid: {', '.join(FUNCTIONS)})")
