"""Evaluation of expressions. A value is a number, a NumPy array, or a formula if parameters have no number."""

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeAlias

import numpy

from pysmpi.errors import PysmpiError
from pysmpi.formulas.expressions.functions import FUNCTIONS, POWER
from pysmpi.formulas.expressions.symbolic import Symbolic
from pysmpi.formulas.expressions.text import expression_text
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
    names_in,
)

__all__ = ["Names", "Value", "evaluate", "plain", "tested"]

Value: TypeAlias = Any
"""Value of an expression: a float, a NumPy array of floats, or a `Symbolic` if parameters have no numbers."""

_Operation: TypeAlias = Callable[..., Value]

_SIGNS: dict[str, _Operation] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_COMPARISONS: dict[str, _Operation] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Names(Protocol):
    """Interface of an object that gives the values of the names in an expression, and creates errors."""

    def value(self, node: Name) -> Value:
        """Return the value of the parameter that a node of the syntax tree names, or raise an error if it has none."""

    def element(self, node: Index) -> Value:
        """Return the element of a list that a node such as ``sizes[2]`` names, or raise an error."""

    def error(self, place: Place, problem: str) -> PysmpiError:
        """Return an error whose message begins with a file, line and column and then states the problem."""

    def undefined(self, place: Place, problem: str, given: str, node: Expression) -> PysmpiError:
        """Return an error about an operation whose result is not a finite number.

        Args:
            place: file, line and column of the operation.
            problem: what is wrong, such as "division by zero".
            given: values of the parameters in the expression, such as "n = 4", or "" if it has none.
            node: the expression.
        """


def evaluate(node: Expression, names: Names) -> Value:
    """Return the value of an expression.

    Args:
        node: syntax tree of the expression.
        names: values of the names in it.

    Raises:
        PysmpiError: a name has no value, or the result of an operation is not a finite number; the message begins with
            the position of the operation and gives the parameters' values. `names` creates the error.
    """
    match node:
        case Number(value):
            return value
        case Name():
            return names.value(node)
        case Index():
            return names.element(node)
        case Negation(operand):
            return -evaluate(operand, names)
        case Function(name, arguments):
            values = [evaluate(each, names) for each in arguments]
            return _applied(FUNCTIONS[name], values, node, node.place, names)
        case Power(base, exponent):
            return _applied(POWER, [evaluate(base, names), evaluate(exponent, names)], node, node.place, names)
        case Sum(first, rest) | Product(first, rest):
            result = evaluate(first, names)
            for number, (sign, operand) in enumerate(rest):
                place = node.places[number] if node.places else node.place
                result = _applied(_SIGNS[sign], [result, evaluate(operand, names)], node, place, names)
            return result


def tested(node: Condition, names: Names) -> Value:
    """Return whether a condition such as ``n > 4`` holds: a bool, or an array of bools if a parameter is an array.

    Args:
        node: syntax tree of the condition.
        names: values of the names in it.

    Raises:
        PysmpiError: a name has no value, or the condition depends on a parameter that is a symbol without a number.
    """
    match node:
        case Comparison(left, sign, right):
            values = evaluate(left, names), evaluate(right, names)
            if any(isinstance(each, Symbolic) for each in values):
                used = ", ".join(names_in(left, right))
                raise names.error(node.place, f"the condition depends on {used}; set a value, such as n=4")
            found = _COMPARISONS[sign](*values)
            return found if isinstance(found, numpy.ndarray) else bool(found)
        case Junction(word, parts):
            results = [tested(each, names) for each in parts]
            joined = numpy.logical_and if word == "and" else numpy.logical_or
            result = joined.reduce(numpy.broadcast_arrays(*results))
            return result if result.ndim else bool(result)


def plain(value: Value) -> Value:
    """Return an array without dimensions as a float, and every other value unchanged."""
    if isinstance(value, Symbolic) or (isinstance(value, numpy.ndarray) and value.ndim):
        return value
    return float(value)


def _applied(operation: _Operation, values: list[Value], node: Expression, place: Place, names: Names) -> Value:
    """Return the result of an operation on values, which is finite.

    Args:
        operation: function that computes it.
        values: its operands.
        node: the expression, for errors.
        place: file, line and column of the operation, for errors.
        names: values of the names in the expression, for errors.

    Raises:
        PysmpiError: the result is not a finite number.
    """
    if any(isinstance(each, Symbolic) for each in values):
        return _symbolic(operation, values, node, place, names)
    try:
        if all(type(each) is float for each in values):
            result = float(operation(*values))
        else:
            with numpy.errstate(all="ignore"):
                result = plain(operation(*values))
    except (ValueError, ZeroDivisionError, OverflowError):
        result = math.nan
    if math.isfinite(result) if type(result) is float else numpy.all(numpy.isfinite(result)):
        return result
    index = int(numpy.argmin(numpy.isfinite(result)))

    def at(value: Value) -> float:
        return float(numpy.broadcast_to(value, numpy.shape(result)).flat[index])

    problem = _problem(operation, node, [at(each) for each in values])
    given = ", ".join(f"{name} = {at(value):.6g}" for name, value in _given(node, place, names))
    raise names.undefined(place, problem, given, node)


def _symbolic(operation: _Operation, values: list[Value], node: Expression, place: Place, names: Names) -> Value:
    formulas = [Symbolic.of(each) for each in values]
    with numpy.errstate(all="ignore"):
        try:
            if isinstance(node, Function):
                found = Symbolic.call(node.name, formulas)
            else:
                found = formulas[0] ** formulas[1] if isinstance(node, Power) else operation(*formulas)
        except OverflowError:
            found = Symbolic.of(numpy.nan)
    if not all(map(numpy.isfinite, found.terms.values())):
        raise names.error(place, f"{expression_text(node)} has no finite value")
    return found


def _problem(operation: _Operation, node: Expression, operands: list[float]) -> str:
    """Return why the result of an operation is not a finite number, such as "division by zero".

    Args:
        operation: function that computes it.
        node: the expression.
        operands: the numbers on which it is computed.
    """
    try:
        operation(*operands)
    except ZeroDivisionError:
        return "division by zero"
    except ValueError:
        shown = [f"{each:.6g}" for each in operands]
        if isinstance(node, Function):
            return f"{node.name} of {', '.join(shown)} is not a number"
        return f"{shown[0]} to the power of {shown[1]} is not a number"
    except OverflowError:
        pass
    return "the value is too large"


def _given(node: Expression, place: Place, names: Names) -> Iterator[tuple[str, Value]]:
    """Yield the name and the value of each parameter in an expression whose value is a number or an array.

    Args:
        node: the expression.
        place: file, line and column for errors.
        names: values of the names.
    """
    for name in names_in(node):
        try:
            value = names.value(Name(name, place=place))
        except PysmpiError:
            continue
        if not isinstance(value, Symbolic):
            yield name, value
