"""Values of expressions: numbers, NumPy arrays that are broadcast, or formulas of the parameters that are left."""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy

from pysmpi.aspen.expression_text import expression_text
from pysmpi.aspen.formula import Formula
from pysmpi.aspen.functions import FUNCTIONS
from pysmpi.aspen.tokens import error_at
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
from pysmpi.errors import AspenError

if TYPE_CHECKING:
    from pysmpi.aspen.scope import Scope

__all__ = ["Value", "evaluate", "names_of", "plain", "tested"]

Value: TypeAlias = Any
"""A float, a NumPy array of floats, or a `Formula`."""

_SIGNS: dict[str, Callable[[Value, Value], Value]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
}
_COMPARISONS: dict[str, Callable[[Value, Value], Value]] = {
    "==": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


def evaluate(node: Expression, scope: "Scope") -> Value:
    """Return the value of an expression.

    Raises:
        AspenError: a name has no value, or the expression has no finite value there; the message begins with the place
            of the operation and names the parameters' values.
    """
    match node:
        case Number(value):
            return value
        case Name():
            return scope.value(node)
        case Index():
            return scope.element(node)
        case Negation(operand):
            return -evaluate(operand, scope)
        case Function(name, arguments):
            values = [evaluate(each, scope) for each in arguments]
            return _checked(node, scope, values, lambda *given: _apply(name, given), f"{name} of {{}}")
        case Power(base, exponent):
            values = [evaluate(base, scope), evaluate(exponent, scope)]
            return _checked(node, scope, values, _power, "the power {}")
        case Sum(first, rest) | Product(first, rest):
            result = evaluate(first, scope)
            for sign, operand in rest:
                values = [result, evaluate(operand, scope)]
                result = _checked(node, scope, values, _SIGNS[sign], sign)
            return result


def tested(node: Condition, scope: "Scope") -> Value:
    """Return whether a condition holds: a bool, or an array of them.

    Raises:
        AspenError: a name has no value, or the condition depends on a parameter that has only a name.
    """
    match node:
        case Comparison(left, sign, right):
            values = evaluate(left, scope), evaluate(right, scope)
            if any(isinstance(each, Formula) for each in values):
                names = ", ".join(names_of(left, right))
                raise error_at(node.place, f"the condition depends on {names}; set a value, such as n=4")
            found = _COMPARISONS[sign](*values)
            return found if isinstance(found, numpy.ndarray) else bool(found)
        case Junction(word, parts):
            results = [tested(each, scope) for each in parts]
            joined = numpy.logical_and if word == "and" else numpy.logical_or
            result = joined.reduce(numpy.broadcast_arrays(*results))
            return result if result.ndim else bool(result)


def names_of(*nodes: Expression) -> Iterator[str]:
    """Yield the names in expressions, each once."""
    found: dict[str, None] = {}
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        match node:
            case Name(name):
                found.setdefault(name)
            case Index(name, indices):
                found.setdefault(name)
                waiting += reversed(indices)
            case Negation(operand):
                waiting.append(operand)
            case Power(base, exponent):
                waiting += [exponent, base]
            case Function(_, arguments):
                waiting += reversed(arguments)
            case Sum(first, rest) | Product(first, rest):
                waiting += [*(each for _, each in reversed(rest)), first]
    yield from found


def plain(value: Value) -> Value:
    """Return an array of one number without axes as a float, and every other value unchanged."""
    if isinstance(value, Formula) or (isinstance(value, numpy.ndarray) and value.ndim):
        return value
    return float(value)


def _apply(name: str, values: tuple[Value, ...]) -> Value:
    rule = FUNCTIONS[name]
    return (rule.number if all(isinstance(each, float) for each in values) else rule.apply)(*values)


def _power(base: Value, exponent: Value) -> Value:
    if isinstance(base, float) and isinstance(exponent, float):
        return math.pow(base, exponent)
    return numpy.power(base, exponent, dtype=float)


def _checked(
    node: Expression, scope: "Scope", values: list[Value], operation: Callable[..., Value], described: str
) -> Value:
    """Return the result of an operation on values.

    Args:
        node: expression with the operation, for errors.
        scope: names of the expression, for errors.
        values: operands.
        operation: implementation.
        described: description of the operation, for errors; ``{}`` stands for the operands.
    """
    if any(isinstance(each, Formula) for each in values):
        return _symbolic(node, values, operation)
    with numpy.errstate(all="ignore"):
        try:
            result = plain(operation(*values))
        except (ValueError, ZeroDivisionError, OverflowError):
            result = float("nan")
    if numpy.all(numpy.isfinite(result)):
        return result
    where = numpy.argmin(numpy.isfinite(result))
    at = [_element(each, where, result) for each in values]
    raise error_at(node.place, _problem(described, at) + _given(node, scope, where, result))


def _symbolic(node: Expression, values: list[Value], operation: Callable[..., Value]) -> Value:
    formulas = [Formula.of(each) for each in values]
    with numpy.errstate(all="ignore"):
        try:
            if isinstance(node, Function):
                found = Formula.call(node.name, formulas)
            else:
                found = formulas[0] ** formulas[1] if isinstance(node, Power) else operation(*formulas)
        except OverflowError:
            found = Formula.of(numpy.nan)
    if not all(map(numpy.isfinite, found.terms.values())):
        raise error_at(node.place, f"{expression_text(node)} has no finite value")
    return found


def _element(value: Value, where: Any, result: Value) -> float:
    return float(numpy.broadcast_to(value, numpy.shape(result)).flat[int(where)])


def _problem(described: str, operands: list[float]) -> str:
    shown = [f"{each:.6g}" for each in operands]
    if described in _SIGNS:
        return "division by zero" if described == "/" and operands[1] == 0 else "the value is too large"
    if described.startswith("the power"):
        return f"{shown[0]}^{shown[1]} is not a finite number"
    return described.format(", ".join(shown))


def _given(node: Expression, scope: "Scope", where: Any, result: Value) -> str:
    parts = []
    for name in names_of(node):
        try:
            value = scope.value(Name(name, place=node.place))
        except AspenError:
            continue
        if not isinstance(value, Formula):
            parts.append(f"{name} = {_element(value, where, result):.6g}")
    return f", where {', '.join(parts)}" if parts else f": {expression_text(node)}"
