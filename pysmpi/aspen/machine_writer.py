"""Conversion of the syntax trees of machines' components to Aspen source text."""

from collections.abc import Iterator

from pysmpi.aspen.statement_text import param_text, traits_text
from pysmpi.aspen.syntax_tree import (
    Component,
    Conflict,
    Connect,
    Connected,
    Figure,
    Linked,
    Member,
    Param,
    Part,
    Property,
    Rate,
    Resource,
    TraitCost,
    Watts,
)
from pysmpi.formulas.expressions.text import expression_text

__all__ = ["component_lines"]


def component_lines(component: Component) -> Iterator[str]:
    """Yield the lines of the Aspen source text of a component, such as ``core pe {``."""
    yield f"{component.type} {component.name} {{"
    for member in component.members:
        yield f"  {_member(member)}"
    yield "}"


def _member(member: Member) -> str:
    match member:
        case Param():
            return param_text(member)
        case Property(name, value):
            return f"property {name}{f' [{expression_text(value)}]' if value is not None else ''}"
        case Conflict(first, second):
            return f"conflict {first}, {second}"
        case Watts(kind, watts):
            return f"{kind} power [{expression_text(watts)}]"
        case Resource(name, parameter, seconds, traits):
            return f"resource {name}({parameter}) [{expression_text(seconds)}]{_costs(traits)}"
        case Rate(name, rate, traits):
            costs = ", ".join(f"{each.trait}({expression_text(each.value)})" for each in traits)
            return f"{name} [{expression_text(rate)}] with {costs}"
        case Figure(name, value):
            return f"{name} [{expression_text(value)}]"
        case Part():
            return _part(member)
        case Linked(name):
            return f"linked with {name}"
        case Connected(count, name, traits):
            return f"connected with [{expression_text(count)}] of {name}{traits_text(traits)}"
        case Connect(names):
            return f"connect {', '.join(names)}"


def _part(part: Part) -> str:
    count = f" [{expression_text(part.count)}]" if part.count is not None else ""
    return f"{part.type}{count} {part.name}{traits_text(part.traits)}"


def _costs(traits: tuple[TraitCost, ...]) -> str:
    costs = ", ".join(
        f"{each.trait}{f'({each.parameter})' if each.parameter else ''} [{expression_text(each.value)}]"
        for each in traits
    )
    return f" with {costs}" if costs else ""
