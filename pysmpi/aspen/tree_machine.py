"""Syntax trees of machines: components and their members."""

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
    """Statement ``include``: the items of the file `path` belong to the including file."""

    path: str


@dataclass(frozen=True)
class Property(Node):
    """Property of a component, with or without a value."""

    name: str
    value: Expression | None = None


@dataclass(frozen=True)
class Conflict(Node):
    """Two resources that cannot be used at the same time, so that their times add up."""

    first: str
    second: str


@dataclass(frozen=True)
class Watts(Node):
    """Power of a component in watts: "static", always drawn, or "dynamic", drawn in addition while it is busy."""

    kind: str
    watts: Expression


@dataclass(frozen=True)
class TraitCost(Node):
    """Change that a trait makes to the seconds of a `Resource` or to the rate of a `Rate`.

    Attributes:
        trait: name of the trait.
        parameter: name of the trait's argument in the formula, or empty.
        value: formula of the new seconds, in which ``base`` is the seconds so far; or of the new rate, in which the
            resource's name is the rate so far.
    """

    trait: str
    parameter: str
    value: Expression


@dataclass(frozen=True)
class Resource(Node):
    """Seconds that the component takes for an amount of a resource; `parameter` is the amount in the formula."""

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
    """Number that a component has: capacity, latency, bandwidth, or the rate of a resource that no trait changes."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Part(Node):
    """Components of one type inside another component: `count` of them, or one if `count` is None."""

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
    """Number of connections of a node to a network, and the network's topology as a trait."""

    count: Expression
    name: str
    traits: tuple[Trait, ...] = ()


@dataclass(frozen=True)
class Connect(Node):
    """Components that reach each other's memory; pysmpi parses the statement but does not use it."""

    names: tuple[str, ...]


Member: TypeAlias = Property | Conflict | Watts | Resource | Rate | Figure | Part | Linked | Connected | Connect | Param


@dataclass(frozen=True)
class Component(Node):
    """Component of a machine, such as a node, with its members: parts, resources, figures, parameters."""

    type: str
    name: str
    members: tuple[Member, ...]
