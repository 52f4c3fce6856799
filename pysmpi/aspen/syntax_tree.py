"""Syntax trees of Aspen files. When trees are compared, the places of their statements in the text do not count."""

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
    """Data of a model, such as an array.

    Its bytes are `size`. If that is None, they are the product of all arguments of `traits`, as in ``Array(n, 8)``.
    """

    name: str
    size: Expression | None
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Import(Node):
    """Import of the application in the file `path` as `name`; `values` replace defaults of its parameters."""

    name: str
    path: str
    values: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True)
class Argument(Node):
    """Argument of a kernel; `kind` is "param", "data" or, if the text has neither word, empty."""

    name: str
    kind: str = ""


@dataclass(frozen=True)
class Need(Node):
    """Amount of a resource that one element of a block needs, such as ``loads [n] of size [8] from a as simd``.

    Attributes:
        resource: name of the resource.
        amount: number of units.
        size: bytes of a unit, or None for 1.
        direction: "to" or "from", or empty if no data is named.
        array: name of the data, or empty.
        traits: traits in the order of the text.
    """

    resource: str
    amount: Expression
    size: Expression | None = None
    direction: str = ""
    array: str = ""
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Exposes(Node):
    """Number of elements that have the needs of a kernel's `requires` statements: ``exposes parallelism [n]``."""

    parallelism: Expression
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Requires(Node):
    """Statement ``requires``: a need of each element of the kernel, see `Exposes`."""

    need: Need


@dataclass(frozen=True)
class Execute(Node):
    """Block of `parallelism` elements (None: one element), each of which has all `needs`."""

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
    """Steps that are executed `count` times: one after the other ("iterate") or in parallel ("map").

    `counter` is the name of the round's number, which begins with 0, or empty.
    """

    kind: str
    counter: str
    count: Expression
    label: str
    body: "Steps"


@dataclass(frozen=True)
class Group(Node):
    """Steps that are executed in parallel ("par") or one after the other ("seq")."""

    kind: str
    label: str
    body: "Steps"


@dataclass(frozen=True)
class Superstep(Node):
    """Sequences of steps that are executed in parallel: ``{ A, B -> C }``."""

    parts: tuple["Steps", ...]


@dataclass(frozen=True)
class Chain(Node):
    """Steps one after the other, joined by arrows."""

    steps: tuple["Atom", ...]


@dataclass(frozen=True)
class If(Node):
    """Steps that are executed if a condition holds, and those of "else", or None without "else"."""

    condition: Condition
    then: "Steps"
    otherwise: "Steps | None" = None


@dataclass(frozen=True)
class Probability(Node):
    """Random choice of alternatives, given by their probabilities; `otherwise` has the remaining probability."""

    cases: tuple[tuple[Expression, "Steps"], ...]
    otherwise: "Steps | None" = None


@dataclass(frozen=True)
class Switch(Node):
    """Alternatives for the values of the parameter `name`; `otherwise` is executed if it has none of the values."""

    name: str
    cases: tuple[tuple[Expression, "Steps"], ...]
    otherwise: "Steps | None" = None


@dataclass(frozen=True)
class Sample(Node):
    """Random number with a name, drawn from a distribution: ``sample x from uniform(1, 2)``."""

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
    """Control flow of the SC12 paper's dialect: ``control NAME { STEPS }``."""

    name: str
    body: "Steps"


# Files


@dataclass(frozen=True)
class Mapping(Node):
    """Mapping of a model's data and kernels to components of a machine, which pysmpi parses but does not use.

    Attributes:
        name: name of the mapping.
        params: parameters of the mapping.
        data: pairs of the names of data and a component, or None without ``data { … }``.
        kernels: pairs of the names of a kernel and a component, or None without ``kernel { … }``.
    """

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
