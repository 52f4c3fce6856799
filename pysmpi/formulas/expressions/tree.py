"""Syntax trees of expressions and conditions. When trees are compared, places in the text do not count."""

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
    """Node of a syntax tree. Errors about a node name its `place`: that of its first token, or of its operator."""

    place: Place = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Number(Node):
    """Constant."""

    value: float


@dataclass(frozen=True)
class Name(Node):
    """Name of a parameter, or in Aspen of a value of an enum or of a power of ten; it may have dots."""

    name: str


@dataclass(frozen=True)
class Index(Node):
    """Element of a parameter that is a list, or a list of lists."""

    name: str
    indices: tuple["Expression", ...]


@dataclass(frozen=True)
class Function(Node):
    """Function with its arguments."""

    name: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True)
class Negation(Node):
    """Operand with the opposite sign."""

    operand: "Expression"


@dataclass(frozen=True)
class Power(Node):
    """Base raised to an exponent."""

    base: "Expression"
    exponent: "Expression"


@dataclass(frozen=True)
class _Chain(Node):
    """Operands from left to right: the first one, then pairs of a sign and an operand.

    Attributes:
        places: places of the signs; empty if the tree was not parsed from a text.
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
    """Yield a node and all nodes in it, from left to right; nodes may be in tuples."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, tuple):
            waiting += reversed(current)
        elif isinstance(current, Node):
            yield current
            waiting += reversed([getattr(current, each) for each in _field_names(type(current))])


def children_of(node: Node) -> Iterator[Node]:
    """Yield the nodes directly inside a node, from left to right."""
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
    """Yield the names of parameters in nodes, each once."""
    yield from dict.fromkeys(each.name for each in nodes_of(nodes) if isinstance(each, Name | Index))
