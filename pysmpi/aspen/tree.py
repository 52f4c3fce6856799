"""Trees of Aspen texts. Two trees are equal if their texts say the same, wherever they stand."""

from dataclasses import dataclass, field
from typing import TypeAlias

from pysmpi.aspen.tokens import NOWHERE, Place

__all__ = [
    "Application",
    "Argument",
    "Atom",
    "Call",
    "Chain",
    "Comparison",
    "Component",
    "Condition",
    "Conflict",
    "Connect",
    "Connected",
    "Control",
    "Data",
    "Enum",
    "Execute",
    "Exposes",
    "Expression",
    "Figure",
    "File",
    "Function",
    "Group",
    "If",
    "Import",
    "Include",
    "Index",
    "Item",
    "Junction",
    "Kernel",
    "Linked",
    "List",
    "Loop",
    "Mapping",
    "Member",
    "Name",
    "Need",
    "Negation",
    "Node",
    "Number",
    "Param",
    "Part",
    "Power",
    "Probability",
    "Product",
    "Property",
    "Range",
    "Rate",
    "Requires",
    "Resource",
    "Sample",
    "Statement",
    "Step",
    "Steps",
    "Sum",
    "Superstep",
    "Switch",
    "Trait",
    "TraitCost",
    "Watts",
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


# Applications


@dataclass(frozen=True)
class Data(Node):
    """Array or other data of a model: its bytes, or constructors whose arguments are multiplied."""

    name: str
    size: Expression | None
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Import(Node):
    """Another application under a name, with some of its parameters replaced."""

    name: str
    path: str
    values: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True)
class Argument(Node):
    """Argument of a kernel; `kind` is "param", "data" or "" if the text does not say."""

    name: str
    kind: str = ""


@dataclass(frozen=True)
class Need(Node):
    """Amount of a resource that one element needs."""

    resource: str
    amount: Expression
    size: Expression | None = None
    direction: str = ""
    array: str = ""
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Exposes(Node):
    """Parallelism of a kernel's own needs."""

    parallelism: Expression
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Requires(Node):
    """Need of each element of a kernel's parallelism."""

    need: Need


@dataclass(frozen=True)
class Execute(Node):
    """Block: needs of each element of a parallelism, which is 1 if the text does not say."""

    name: str
    parallelism: Expression | None
    label: str
    needs: tuple[Need, ...]


@dataclass(frozen=True)
class Call(Node):
    """Call of a kernel or control flow."""

    name: str
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Loop(Node):
    """Steps that are repeated one after the other ("iterate"), or as often side by side ("map")."""

    kind: str
    counter: str
    count: Expression
    label: str
    body: "Steps"


@dataclass(frozen=True)
class Group(Node):
    """Steps side by side ("par") or one after the other ("seq")."""

    kind: str
    label: str
    body: "Steps"


@dataclass(frozen=True)
class Superstep(Node):
    """Sequences of steps side by side: ``{ A, B -> C }``."""

    parts: tuple["Steps", ...]


@dataclass(frozen=True)
class Chain(Node):
    """Steps one after the other, joined by arrows."""

    steps: tuple["Atom", ...]


@dataclass(frozen=True)
class If(Node):
    """Steps under a condition; `otherwise` is None if the text has no "else"."""

    condition: Condition
    then: "Steps"
    otherwise: "Steps | None" = None


@dataclass(frozen=True)
class Probability(Node):
    """Alternatives with their probabilities; the rest goes to `otherwise`."""

    cases: tuple[tuple[Expression, "Steps"], ...]
    otherwise: "Steps | None" = None


@dataclass(frozen=True)
class Switch(Node):
    """Alternatives for the values of a parameter."""

    name: str
    cases: tuple[tuple[Expression, "Steps"], ...]
    otherwise: "Steps | None" = None


@dataclass(frozen=True)
class Sample(Node):
    """Name for a random number of a distribution."""

    name: str
    distribution: str
    arguments: tuple[Expression, ...] = ()


Atom: TypeAlias = Execute | Call | Loop | Group | Superstep | If | Probability | Switch | Sample
Step: TypeAlias = Atom | Chain
Steps: TypeAlias = tuple[Step, ...]
Statement: TypeAlias = Param | Data | Import | Exposes | Requires | Step


@dataclass(frozen=True)
class Kernel(Node):
    """Kernel with its own parameters, data, needs and steps."""

    name: str
    arguments: tuple[Argument, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Control(Node):
    """Control flow of the paper's dialect."""

    name: str
    body: "Steps"


# Machines


@dataclass(frozen=True)
class Include(Node):
    """File whose items belong to the machine, too."""

    path: str


@dataclass(frozen=True)
class Property(Node):
    """Property of a component, with or without a value."""

    name: str
    value: Expression | None = None


@dataclass(frozen=True)
class Conflict(Node):
    """Two resources that cannot be used at once."""

    first: str
    second: str


@dataclass(frozen=True)
class Watts(Node):
    """Watts of a component: "static", or "dynamic" while it is busy."""

    kind: str
    watts: Expression


@dataclass(frozen=True)
class TraitCost(Node):
    """Cost, or rate, under a trait; `parameter` is the name of the trait's argument, or empty."""

    trait: str
    parameter: str
    value: Expression


@dataclass(frozen=True)
class Resource(Node):
    """Seconds for an amount of a resource, as a formula of the amount."""

    name: str
    parameter: str
    seconds: Expression
    traits: tuple[TraitCost, ...] = ()


@dataclass(frozen=True)
class Rate(Node):
    """Units of a resource in a second; a trait changes the rate, which has the resource's name there."""

    name: str
    rate: Expression
    traits: tuple[TraitCost, ...]


@dataclass(frozen=True)
class Figure(Node):
    """Figure of a component: capacity, latency, bandwidth, or a rate without traits."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Part(Node):
    """Components of one type inside another one; `count` is 1 if the text does not say."""

    type: str
    name: str
    count: Expression | None = None
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Linked(Node):
    """Link of a socket to its node."""

    name: str


@dataclass(frozen=True)
class Connected(Node):
    """Connections of a node to a network, and the network's topology."""

    count: Expression
    name: str
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Connect(Node):
    """Components that reach each other's memory; kept without meaning."""

    names: tuple[str, ...]


Member: TypeAlias = Property | Conflict | Watts | Resource | Rate | Figure | Part | Linked | Connected | Connect | Param


@dataclass(frozen=True)
class Component(Node):
    """Component of a machine."""

    type: str
    name: str
    members: tuple[Member, ...]


# Files


@dataclass(frozen=True)
class Mapping(Node):
    """Mapping of a model's data and kernels to components; kept without meaning."""

    name: str
    params: tuple[Param, ...]
    data: tuple[tuple[str, str], ...] | None
    kernels: tuple[tuple[str, str], ...] | None


@dataclass(frozen=True)
class Application(Node):
    """Application in the form ``model NAME { … }``."""

    name: str
    items: tuple["Item", ...]


Item: TypeAlias = Param | Enum | Data | Import | Kernel | Control | Include | Component | Mapping | Application


@dataclass(frozen=True)
class File(Node):
    """Contents of a file.

    Attributes:
        items: items in the order of the text.
    """

    items: tuple[Item, ...]
