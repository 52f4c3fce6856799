"""Syntax trees of expressions and conditions. Trees are equal even if they come from different places in a text."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TypeAlias

from pysmpi.formulas.expressions.tokens import NOWHERE, Place

__all__ = [
    "Comparison",
    "Condition",
    "Expression",
    "Function",
    "Index",
    "Junction",
    "Name",
    "Negation",
    "Node",
    "Number",
    "Power",
    "Product",
    "Sum",
    "children_of",
    "names_in",
    "nodes_of",
]


@dataclass(frozen=True)
class Node:
    """Node of a syntax tree.

    Attributes:
        place: file, line and column of its first token or of its operator, for errors.
    """

    place: Place = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Number(Node):
    """Number that is written in the text, such as 1.5."""

    value: float


@dataclass(frozen=True)
class Name(Node):
    """Name of a parameter, such as ``n`` or ``fft.n``; in Aspen also of a value of an enum, or ``giga``."""

    name: str


@dataclass(frozen=True)
class Index(Node):
    """Element of a parameter that is a list or a list of lists, such as ``sizes[2]`` or ``grid[1][n]``."""

    name: str
    indices: tuple["Expression", ...]


@dataclass(frozen=True)
class Function(Node):
    """Call of a function with its arguments, such as ``max(n, p)``."""

    name: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True)
class Negation(Node):
    """Negative of an operand, such as ``-n``."""

    operand: "Expression"


@dataclass(frozen=True)
class Power(Node):
    """Base raised to an exponent, such as ``n^2``."""

    base: "Expression"
    exponent: "Expression"


@dataclass(frozen=True)
class _Chain(Node):
    """Operands joined by signs of equal precedence, such as ``a + b - c``.

    Attributes:
        first: first operand.
        rest: sign and operand of each further one, such as ("+", b) and ("-", c).
        places: file, line and column of each sign; empty if the tree was not parsed from a text.
    """

    first: "Expression"
    rest: tuple[tuple[str, "Expression"], ...]
    places: tuple[Place, ...] = field(default=(), compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Sum(_Chain):
    """Sum and difference of operands: a + b - c."""


@dataclass(frozen=True)
class Product(_Chain):
    """Product and quotient of operands: a * b / c."""


@dataclass(frozen=True)
class Comparison(Node):
    """Comparison of two numbers by ``==``, ``!=``, ``<``, ``<=``, ``>`` or ``>=``."""

    left: "Expression"
    sign: str
    right: "Expression"


@dataclass(frozen=True)
class Junction(Node):
    """Conditions joined by "and", or by "or"."""

    word: str
    parts: tuple["Condition", ...]


Expression: TypeAlias = Number | Name | Index | Function | Negation | Power | Sum | Product
Condition: TypeAlias = Comparison | Junction


def nodes_of(node: object) -> Iterator[Node]:
    """Yield a node of a syntax tree and all nodes below it, from left to right.

    Args:
        node: the node, or a tuple of nodes; other objects yield nothing.
    """
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, tuple):
            waiting += reversed(current)
        elif isinstance(current, Node):
            yield current
            waiting += reversed([getattr(current, each) for each in _field_names(type(current))])


def children_of(node: Node) -> Iterator[Node]:
    """Yield the direct children of a node of a syntax tree, from left to right."""
    waiting = [getattr(node, each) for each in reversed(_field_names(type(node)))]
    while waiting:
        current = waiting.pop()
        if isinstance(current, tuple):
            waiting += reversed(current)
        elif isinstance(current, Node):
            yield current


_names_of_fields: dict[type[Node], list[str]] = {}


def _field_names(kind: type[Node]) -> list[str]:
    if kind not in _names_of_fields:
        _names_of_fields[kind] = [each.name for each in fields(kind) if each.compare]
    return _names_of_fields[kind]


def names_in(*nodes: object) -> Iterator[str]:
    """Yield the names of the parameters in syntax trees, each name once, in the order of their first use."""
    yield from dict.fromkeys(each.name for each in nodes_of(nodes) if isinstance(each, Name | Index))
