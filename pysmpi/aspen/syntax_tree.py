"""Trees of Aspen texts. Two trees are equal if their texts say the same, wherever they stand."""

from dataclasses import dataclass
from typing import TypeAlias

from pysmpi.aspen.tree_machine import (
    Component,
    Conflict,
    Connect,
    Connected,
    Figure,
    Include,
    Linked,
    Member,
    Part,
    Property,
    Rate,
    Resource,
    TraitCost,
    Watts,
)
from pysmpi.aspen.tree_values import Enum, List, Param, Range, Trait
from pysmpi.formulas.expressions.tree import (
    Comparison,
    Condition,
    Expression,
    Function,
    Index,
    Junction,
    Name,
    Negation,
    Node,
    Number,
    Power,
    Product,
    Sum,
    children_of,
    names_in,
    nodes_of,
)

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
    "children_of",
    "names_in",
    "nodes_of",
]


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
    """Sequences of steps that run concurrently: ``{ A, B -> C }``."""

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
