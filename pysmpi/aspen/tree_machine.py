"""Trees of machines: components and their members."""

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
