"""Small language of formulas that people write, such as ``1e5*n*log2(n)*p**0.25``.

A formula consists of numbers, parameters, ``+ - * / **``, parentheses and the functions in `FUNCTIONS`. Nothing else is
valid, and no Python code is ever evaluated. The signs for minus, times, division and roots that
pysmpi prints in tables are read, too.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from pysmpi.errors import ModelError

__all__ = ["FUNCTIONS", "Call", "Chain", "Expression", "Negation", "Node", "Number", "Origin", "Parameter", "Power"]

FUNCTIONS: dict[str, tuple[Callable[..., float], int, int | None]] = {
    "log2": (math.log2, 1, 1),
    "sqrt": (math.sqrt, 1, 1),
    "cbrt": (math.cbrt, 1, 1),
    "min": (min, 2, None),
    "max": (max, 2, None),
    "round": (lambda value: float(round(value)), 1, 1),
}
"""Functions by name: implementation, least and largest number of arguments (None: any)."""


@dataclass(frozen=True)
class Origin:
    """Place of a formula's first character.

    Attributes:
        file: name of the file, or None if the formula comes from elsewhere.
        line: line in the file, counted from 1.
        column: column in the line, counted from 1.
    """

    file: str | None = None
    line: int = 1
    column: int = 1

    def at(self, text: str, offset: int) -> str:
        """Return the place of a character of the formula `text` as "file:line:column", or "column N" without file."""
        line = text.count("\n", 0, offset)
        column = offset - text.rfind("\n", 0, offset) if line else self.column + offset
        return f"column {offset + 1}" if self.file is None else f"{self.file}:{self.line + line}:{column}"


@dataclass(frozen=True)
class Number:
    """Constant."""

    value: float


@dataclass(frozen=True)
class Parameter:
    """Parameter by name; `offset` is the position of its first character in the text."""

    name: str
    offset: int


@dataclass(frozen=True)
class Negation:
    """Operand with the opposite sign."""

    operand: "Node"


@dataclass(frozen=True)
class Power:
    """Base raised to an exponent."""

    base: "Node"
    exponent: "Node"
    offset: int


@dataclass(frozen=True)
class Chain:
    """Sums and differences, or products and quotients, from left to right.

    Attributes:
        first: first operand.
        rest: sign ("+", "-", "*" or "/"), operand and the sign's position in the text, for each further operand.
    """

    first: "Node"
    rest: tuple[tuple[str, "Node", int], ...]


@dataclass(frozen=True)
class Call:
    """Function of `FUNCTIONS` with its arguments."""

    name: str
    arguments: tuple["Node", ...]
    offset: int


Node = Number | Parameter | Negation | Power | Chain | Call


@dataclass(frozen=True)
class Expression:
    """Formula that has been parsed.

    Attributes:
        text: text of the formula.
        root: outermost operation.
        origin: place of the text, for error messages.
    """

    text: str
    root: Node
    origin: Origin = field(default=Origin(), compare=False)

    @classmethod
    def parse(cls, text: str, parameters: Collection[str] | None = None, origin: Origin | None = None) -> "Expression":
        """Return the parsed formula.

        Args:
            text: text of the formula.
            parameters: names that the formula may use, or None for any name.
            origin: place of the text, or None if it does not come from a file.

        Raises:
            ModelError: the text is not a formula, or has an unknown function or parameter; the message begins with the
                place and names the nearest match.
        """
        from pysmpi.formulas.parser import parse

        origin = origin or Origin()
        return cls(text, parse(text, parameters, origin), origin)

    @property
    def parameters(self) -> list[str]:
        """Names of the parameters, in the order of their first use."""
        return list(dict.fromkeys(node.name for node in self.walk() if isinstance(node, Parameter)))

    def walk(self) -> Iterator[Node]:
        """Yield all nodes, from left to right."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(_parts(node)))

    def evaluate(self, values: Mapping[str, float]) -> float:
        """Return the value of the formula, always a finite number.

        Args:
            values: value of each parameter by name.

        Raises:
            ModelError: a parameter has no value, or the formula has no finite value there, such as a division by zero.
        """
        try:
            return self._value(self.root, values)
        except _Undefined as error:
            at = ", ".join(f"{name} = {values[name]:.6g}" for name in self.parameters)
            problem = f"the formula has no value at {at or 'any point'}: {error}"
            raise ModelError(f"{self.origin.at(self.text, error.offset)}: {problem}") from None

    def _value(self, node: Node, values: Mapping[str, float]) -> float:
        match node:
            case Number(value):
                return value
            case Parameter(name, offset):
                if name not in values:
                    raise ModelError(f"{self.origin.at(self.text, offset)}: parameter {name!r} has no value")
                return float(values[name])
            case Negation(operand):
                return -self._value(operand, values)
            case Power(base, exponent, offset):
                return _finite(_power, offset, "**", self._value(base, values), self._value(exponent, values))
            case Chain(first, rest):
                result = self._value(first, values)
                for sign, operand, offset in rest:
                    result = _finite(_SIGNS[sign], offset, sign, result, self._value(operand, values))
                return result
            case Call(name, arguments, offset):
                return _finite(FUNCTIONS[name][0], offset, name, *(self._value(each, values) for each in arguments))


class _Undefined(Exception):
    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


def _power(base: float, exponent: float) -> float:
    return math.pow(base, exponent)


_SIGNS: dict[str, Callable[[float, float], float]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / right,
}


def _finite(operation: Callable[..., float], offset: int, name: str, *operands: float) -> float:
    try:
        result = operation(*operands)
    except ZeroDivisionError:
        raise _Undefined(offset, "division by zero") from None
    except ValueError:
        shown = ", ".join(f"{each:.6g}" for each in operands)
        raise _Undefined(offset, f"{name} of {shown} is not a number") from None
    except OverflowError:
        raise _Undefined(offset, "the value is too large") from None
    if not math.isfinite(result):
        raise _Undefined(offset, "the value is too large")
    return result


def _parts(node: Node) -> list[Node]:
    match node:
        case Negation(operand):
            return [operand]
        case Power(base, exponent, _):
            return [base, exponent]
        case Chain(first, rest):
            return [first, *(operand for _, operand, _ in rest)]
        case Call(_, arguments, _):
            return list(arguments)
        case _:
            return []
