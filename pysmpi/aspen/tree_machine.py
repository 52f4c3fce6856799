"""Syntax trees of machines: components, such as nodes and sockets, and the statements inside them."""

from dataclasses import dataclass
from typing import TypeAlias

from pysmpi.aspen.tree_values import Param, Trait
from pysmpi.formulas.expressions.tree import Expression, Node

__all__ = [
    "Component",
    "Conflict",
    "Connect",
    "Connected",
    "Figure",
    "Include",
    "Linked",
    "Member",
    "Part",
    "Property",
    "Rate",
    "Resource",
    "TraitCost",
    "Watts",
]


@dataclass(frozen=True)
class Include(Node):
    """Statement ``include PATH``: the definitions in that file belong to the including file."""

    path: str


@dataclass(frozen=True)
class Property(Node):
    """Statement ``property NAME [VALUE]`` of a component; `value` is None if the statement gives no value."""

    name: str
    value: Expression | None = None


@dataclass(frozen=True)
class Conflict(Node):
    """Statement ``conflict A, B``: two resources that cannot be used at the same time, so that their times add up."""

    first: str
    second: str


@dataclass(frozen=True)
class Watts(Node):
    """Power of a component in watts: ``static power [w]`` is always drawn, ``dynamic power [w]`` while it is busy."""

    kind: str
    watts: Expression


@dataclass(frozen=True)
class TraitCost(Node):
    """Change that a trait, such as "simd" in ``flops [n] as simd``, makes to a component's time or rate for a resource.

    Attributes:
        trait: name of the trait.
        parameter: name of the trait's argument in the formula, or empty if it has no argument.
        value: formula of the new seconds, in which ``base`` is the seconds so far; or of the new rate, in which the
            resource's name is the rate so far.
    """

    trait: str
    parameter: str
    value: Expression


@dataclass(frozen=True)
class Resource(Node):
    """Statement ``resource flops(n) [n / clock] with simd [base / 4]``: a component's time for an amount of a resource.

    Attributes:
        name: name of the resource, here flops.
        parameter: name of the amount in the formulas, here n.
        seconds: formula of the time in seconds.
        traits: changes of this time by traits.
    """

    name: str
    parameter: str
    seconds: Expression
    traits: tuple[TraitCost, ...] = ()


@dataclass(frozen=True)
class Rate(Node):
    """Rate of a resource in units per second: ``flops [rate] with simd(flops * 4)``. Traits may change the rate."""

    name: str
    rate: Expression
    traits: tuple[TraitCost, ...]


@dataclass(frozen=True)
class Figure(Node):
    """Statement ``NAME [VALUE]`` of a component, which gives it a number.

    NAME is "capacity" (bytes), "latency" (seconds), "bandwidth" (bytes per second), or a resource such as "flops". For
    a resource, the number is its rate in units per second. `Rate` is such a statement with changes by traits.
    """

    name: str
    value: Expression


@dataclass(frozen=True)
class Part(Node):
    """Components of one type inside another component, such as ``[16] pe cores`` in a socket.

    Attributes:
        type: type of the inner components, in the singular, such as "core".
        name: name of the inner component, such as "pe".
        count: number of them, or None for one.
        traits: descriptions after "as", such as a network's topology.
    """

    type: str
    name: str
    count: Expression | None = None
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Linked(Node):
    """Link that connects a socket with its node: ``linked with NAME``."""

    name: str


@dataclass(frozen=True)
class Connected(Node):
    """Connections of a node to a network: ``connected with [COUNT] of NAME as torus``; the trait is the topology."""

    count: Expression
    name: str
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Connect(Node):
    """Statement ``connect A, B``: components that can access each other's memory. pysmpi parses but does not use it."""

    names: tuple[str, ...]


Member: TypeAlias = Property | Conflict | Watts | Resource | Rate | Figure | Part | Linked | Connected | Connect | Param


@dataclass(frozen=True)
class Component(Node):
    """Component of a machine, such as a node.

    Attributes:
        type: type of the component, such as "node".
        name: name of the component.
        members: statements inside it: inner components, times and rates of resources, capacities, parameters.
    """

    type: str
    name: str
    members: tuple[Member, ...]
