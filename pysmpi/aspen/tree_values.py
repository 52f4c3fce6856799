"""Syntax trees of the statements that applications and machines share."""

from dataclasses import dataclass

from pysmpi.formulas.expressions.tree import Expression, Node

__all__ = ["Enum", "List", "Param", "Range", "Trait"]


@dataclass(frozen=True)
class List(Node):
    """Value of a parameter that is a list of numbers, or a list of such lists."""

    items: tuple["Expression | List", ...]


@dataclass(frozen=True)
class Range(Node):
    """Smallest and largest value of a parameter: ``in LOW .. HIGH``."""

    low: Expression
    high: Expression


@dataclass(frozen=True)
class Param(Node):
    """Parameter with its default.

    Attributes:
        name: name of the parameter.
        dimensions: 0 for a number, 1 for a list, 2 for a list of lists.
        value: default.
        limits: range of the values, name of the enum that has the valid values, or None.
    """

    name: str
    dimensions: int
    value: Expression | List
    limits: Range | str | None = None


@dataclass(frozen=True)
class Enum(Node):
    """Definition ``enum NAME { A, B }``: the names A, B, … stand for the numbers 0, 1, …"""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Trait(Node):
    """Word after "as", perhaps with arguments.

    It describes operations or messages (``flops [n] as simd``), data (``data a as Array(n, 8)``), or the topology of a
    network (``as torus(4, 4)``).
    """

    name: str
    arguments: tuple[Expression, ...] = ()
