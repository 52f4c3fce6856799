"""Syntax trees of Aspen files. Trees are equal if their statements are, even if these stand in other files or lines."""

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
    """Statement ``data``: an array, or other data, of an application.

    Attributes:
        name: name of the data.
        size: size in bytes, or None if the product of all arguments of `traits` is the size.
        traits: descriptions after "as"; in ``data a as Array(n, 8)``, the size of the data is 8 n bytes.
    """

    name: str
    size: Expression | None
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Import(Node):
    """Statement ``import NAME from "PATH" with a = 1, b = 2``, which makes the application in another file usable.

    Attributes:
        name: name by which this file refers to the application.
        path: path of its file.
        values: pairs of a parameter of that application and its new default.
    """

    name: str
    path: str
    values: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True)
class Argument(Node):
    """Argument in the head of a kernel, as in ``kernel k(param n, data a, m)``.

    Attributes:
        name: name of the argument.
        kind: "param", "data", or empty if neither word is in front of the name.
    """

    name: str
    kind: str = ""


@dataclass(frozen=True)
class Need(Node):
    """Amount of a resource that each of several parallel elements needs: ``loads [n] of size [8] from a as simd``.

    Attributes:
        resource: name of the resource.
        amount: number of units.
        size: bytes of a unit, or None for 1.
        direction: "to" or "from", or empty if no data is named.
        array: name of the data that is stored to or loaded from, or empty.
        traits: words after "as", which may change the time, in the order of the text.
    """

    resource: str
    amount: Expression
    size: Expression | None = None
    direction: str = ""
    array: str = ""
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Exposes(Node):
    """Statement ``exposes parallelism [n]``: a kernel has n elements, which can be computed in parallel.

    Each element needs the amounts of resources in the kernel's ``requires`` statements.
    """

    parallelism: Expression
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Requires(Node):
    """Statement such as ``requires flops [6]``: an amount of a resource that each element of a kernel needs."""

    need: Need


@dataclass(frozen=True)
class Execute(Node):
    """Block ``execute NAME [n] "LABEL" { flops [6] loads [8] }``: n parallel elements that need the same resources.

    Attributes:
        name: name of the block, or empty.
        parallelism: number of elements, or None for one element.
        label: label of the block, or empty.
        needs: amounts of resources that each element needs.
    """

    name: str
    parallelism: Expression | None
    label: str
    needs: tuple[Need, ...]


@dataclass(frozen=True)
class Call(Node):
    """Call of a kernel or control flow: ``call NAME(ARGUMENTS)``, or without the word "call"."""

    name: str
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Loop(Node):
    """Loop ``iterate i [n] "LABEL" { STEPS }``, or parallel copies ``map i [n] "LABEL" { STEPS }``.

    Attributes:
        kind: "iterate" for rounds one after the other, "map" for parallel copies.
        counter: name of the number of the round or copy, which begins with 0; empty if the loop has no such name.
        count: number of rounds or copies.
        label: label of the loop, or empty.
        body: steps of a round or copy.
    """

    kind: str
    counter: str
    count: Expression
    label: str
    body: "Steps"


@dataclass(frozen=True)
class Group(Node):
    """Group of steps ``par { STEPS }``, executed in parallel, or ``seq { STEPS }``, executed one after the other."""

    kind: str
    label: str
    body: "Steps"


@dataclass(frozen=True)
class Superstep(Node):
    """Sequences of steps that are executed in parallel: in ``{ A, B -> C }``, A is parallel to B followed by C."""

    parts: tuple["Steps", ...]


@dataclass(frozen=True)
class Chain(Node):
    """Steps that are executed one after the other, joined by arrows: ``A -> B``."""

    steps: tuple["Atom", ...]


@dataclass(frozen=True)
class If(Node):
    """Statement ``if (CONDITION) { STEPS } else { STEPS }``.

    Attributes:
        condition: the condition.
        then: steps that are executed if the condition holds.
        otherwise: steps of "else", or None if the statement has no "else".
    """

    condition: Condition
    then: "Steps"
    otherwise: "Steps | None" = None


@dataclass(frozen=True)
class Probability(Node):
    """Random choice of one alternative: ``probability { [0.2] { A } [0.5] { B } else { C } }``.

    Attributes:
        cases: probability and steps of each alternative.
        otherwise: steps of "else", which have the remaining probability (here 0.3), or None without "else".
    """

    cases: tuple[tuple[Expression, "Steps"], ...]
    otherwise: "Steps | None" = None


@dataclass(frozen=True)
class Switch(Node):
    """Choice by the value of a parameter: ``switch (n) { [1] { A } [2] { B } else { C } }``.

    Attributes:
        name: name of the parameter.
        cases: value and steps of each alternative.
        otherwise: steps that are executed if the parameter has another value, or None without "else".
    """

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
    """Kernel ``kernel NAME(ARGUMENTS) { STATEMENTS }``, the unit of work of an application.

    Its statements define parameters and data, require amounts of resources, or call other kernels.
    """

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
    """Application in the form ``model NAME { … }``; `items` are the definitions in the braces."""

    name: str
    items: tuple["Item", ...]


Item: TypeAlias = Param | Enum | Data | Import | Kernel | Control | Include | Component | Mapping | Application


@dataclass(frozen=True)
class File(Node):
    """Contents of an application's or a machine's file.

    Attributes:
        items: definitions, such as parameters, kernels and components, in the order of the text.
    """

    items: tuple[Item, ...]
