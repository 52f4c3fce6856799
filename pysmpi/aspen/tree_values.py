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
    """Names for the numbers 0, 1, 2, …"""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Trait(Node):
    """Property of a need, of data or of a connection, named after "as": ``simd``, ``Array(n, 8)``, ``torus(4, 4)``."""

    name: str
    arguments: tuple[Expression, ...] = ()
