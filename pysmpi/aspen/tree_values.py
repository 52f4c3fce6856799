"""Trees of expressions, and of the statements that applications and machines share."""

from dataclasses import dataclass, field
from typing import TypeAlias

from pysmpi.aspen.tokens import NOWHERE, Place

__all__ = [
    "Comparison",
    "Condition",
    "Enum",
    "Expression",
    "Function",
    "Index",
    "Junction",
    "List",
    "Name",
    "Negation",
    "Node",
    "Number",
    "Param",
    "Power",
    "Product",
    "Range",
    "Sum",
    "Trait",
]


@dataclass(frozen=True)
class Node:
    """Part of a tree, with the place of its first word."""

    place: Place = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


# Expressions


@dataclass(frozen=True)
class Number(Node):
    """Constant."""

    value: float


@dataclass(frozen=True)
class Name(Node):
    """Parameter, value of an enum, or power of ten; the name may have a module's name and a dot in front."""

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
    """Base raised to an exponent; sums and products are chains."""

    base: "Expression"
    exponent: "Expression"


@dataclass(frozen=True)
class Sum(Node):
    """Sums and differences from left to right: the first operand, then pairs of a sign and an operand."""

    first: "Expression"
    rest: tuple[tuple[str, "Expression"], ...]


@dataclass(frozen=True)
class Product(Node):
    """Products and quotients from left to right: the first operand, then pairs of a sign and an operand."""

    first: "Expression"
    rest: tuple[tuple[str, "Expression"], ...]


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


# Statements that both kinds of file have


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
