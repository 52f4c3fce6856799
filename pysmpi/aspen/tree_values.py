"""Trees of the statements that applications and machines share."""

from dataclasses import dataclass

from pysmpi.formulas.expressions.tree import Expression, Node

__all__ = ["Enum", "List", "Param", "Range", "Trait"]


@dataclass(frozen=True)
class List(Node):
    """Values of a parameter that is an array or a table."""

    items: tuple["Expression | List", ...]


@dataclass(frozen=True)
class Range(Node):
    """Limits of a parameter."""

    low: Expression
    high: Expression


@dataclass(frozen=True)
class Param(Node):
    """Parameter with its default; `limits` is a range, the name of an enum, or None."""

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
    """Label of a need, a datum or a connection, with arguments."""

    name: str
    arguments: tuple[Expression, ...] = ()
