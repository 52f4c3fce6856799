"""Names that the statements of a model use, with their places."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pysmpi.aspen.aspen_dialect import Place, error_at
from pysmpi.aspen.machine_grammar import LINKS, NETWORKS
from pysmpi.aspen.machine_parts import MachineParts
from pysmpi.aspen.module import Module
from pysmpi.aspen.syntax_tree import (
    Call,
    Component,
    Connected,
    Control,
    Data,
    If,
    Import,
    Index,
    Kernel,
    Linked,
    Loop,
    Name,
    Need,
    Node,
    Param,
    Part,
    Probability,
    Rate,
    Resource,
    Sample,
    Switch,
    Trait,
    children_of,
    nodes_of,
)

__all__ = [
    "Reference",
    "cycle_of",
    "flow_calls",
    "references_of_component",
    "references_of_module",
]


@dataclass(frozen=True)
class Reference:
    """Use of a name.

    Attributes:
        name: the name.
        place: file and line of the use.
        local: names that are valid there in addition to the parameters of the file.
        valid: all names that are valid there, or None for `local` and the parameters of the file.
        subject: subject of the text if the name is not valid, such as "no kernel" for "no kernel is called 'x'"; empty
            for the text "'x' is not defined".
    """

    name: str
    place: Place
    local: Collection[str] = ()
    valid: Collection[str] | None = None
    subject: str = ""


def flow_calls(flow: Kernel | Control) -> Iterator[str]:
    """Yield the names of kernels that a kernel or control flow calls unconditionally, not inside alternatives."""
    waiting: list[object] = list(flow.body)
    while waiting:
        current = waiting.pop()
        match current:
            case Call(name, _):
                yield name
            case If() | Switch() | Probability():
                continue
            case tuple():
                waiting += current
            case Node():
                waiting += children_of(current)


def cycle_of(graph: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the names of definitions that use each other in a cycle, in order, or an empty list if there is no cycle.

    Args:
        graph: for each name, the names that its definition uses.
    """
    done: set[str] = set()
    for root in graph:
        if root in done:
            continue
        stack = [(root, iter(graph[root]))]
        above = {root: None}
        while stack:
            current, following = stack[-1]
            name = next((each for each in following if each in graph and each not in done), None)
            if name is None:
                done.add(current)
                above.pop(current)
                stack.pop()
            elif name in above:
                names = list(above)
                return names[names.index(name) :]
            else:
                stack.append((name, iter(graph[name])))
                above[name] = None
    return []


def references_of_module(module: Module) -> Iterator[Reference]:
    """Yield the uses of names in an application, without those inside the applications that it imports.

    Raises:
        AspenError: a kernel is called with a wrong number of arguments.
    """
    for param in module.params.values():
        yield from _used(param, ())
    for data in module.data.values():
        yield from _used(data, ())
    for item, imported in module.imports.values():
        yield from _used(item.values, ())
        valid = [*imported.params, *(name for name, _ in _free(imported)), *imported.data, "P"]
        for name, _ in item.values:
            yield Reference(name, item.place, valid=valid, subject=f"no parameter or data of {imported.path}")
    for flow in module.flows.values():
        yield from _of_flow(module, flow)


def _free(module: Module) -> Iterator[tuple[str, Place]]:
    """Yield names that an application uses and does not define."""
    for node in nodes_of((*module.params.values(), *module.data.values(), *module.flows.values())):
        if isinstance(node, Name) and node.name not in module.params:
            yield node.name, node.place


def _of_flow(module: Module, flow: Kernel | Control) -> Iterator[Reference]:
    local = _locals(flow)
    yield from _used(flow.body, {*local, *module.data})
    arrays = {*module.data, *(each.name for each in nodes_of(flow.body) if isinstance(each, Data)), *local}
    for node in nodes_of(flow.body):
        if isinstance(node, Need) and node.array:
            yield Reference(node.array, node.place, valid=arrays, subject="no data")
        elif isinstance(node, Switch):
            yield Reference(node.name, node.place, local=local)
        elif isinstance(node, Call):
            yield from _of_call(module, node)


def _of_call(module: Module, call: Call) -> Iterator[Reference]:
    target = find_flow(module, call.name)
    if target is None:
        yield Reference(call.name, call.place, valid=list(module.all_names()), subject="no kernel")
        return
    expected = len(target.arguments) if isinstance(target, Kernel) else 0
    if len(call.arguments) != expected:
        plural = "" if expected == 1 else "s"
        raise error_at(
            call.place, f"kernel {call.name!r} has {expected} argument{plural}, but the call has {len(call.arguments)}"
        )


def find_flow(module: Module, name: str) -> Kernel | Control | None:
    """Return the kernel or control flow called `name`, or None. ``fft.main`` is ``main`` of the imported ``fft``."""
    found = find_owner(module, name)
    return found[1] if found else None


def find_owner(module: Module, name: str) -> tuple[Module, Kernel | Control] | None:
    """Return the application that defines the kernel or control flow called `name`, and the kernel or control flow.

    Return None if there is none.

    Args:
        module: application in which the name is used.
        name: the name; ``fft.main`` is defined by the application that is imported as ``fft``.
    """
    if name in module.flows:
        return module, module.flows[name]
    first, _, rest = name.partition(".")
    return find_owner(module.imports[first][1], rest) if rest and first in module.imports else None


def _locals(flow: Kernel | Control) -> set[str]:
    found = {each.name for each in flow.arguments} if isinstance(flow, Kernel) else set()
    for node in nodes_of(flow.body):
        match node:
            case Param(name=name) | Sample(name=name) | Loop(counter=name):
                found.add(name)
    return found


def _used(node: object, local: Collection[str]) -> Iterator[Reference]:
    """Yield the uses of names in a syntax tree.

    Names in arguments of traits are left out, because they may be words that are not parameters. Those in traits of
    data are included, as n in ``data a as Array(n, 8)``, because they are sizes.

    Args:
        node: root of the tree, or a tuple of roots.
        local: names that are valid there in addition to the parameters of the file.
    """
    waiting = [node]
    while waiting:
        current = waiting.pop()
        match current:
            case tuple():
                waiting += reversed(current)
            case Name(name) | Index(name, _):
                yield Reference(name, current.place, local)
            case Data(_, size, traits):
                waiting += [size, *(trait.arguments for trait in traits)]
            case Trait():
                continue
            case Import():
                waiting.append(current.values)
            case Node():
                waiting += reversed(list(children_of(current)))
        if isinstance(current, Index):
            waiting += reversed(current.indices)


def references_of_component(component: Component, parts: MachineParts) -> Iterator[Reference]:
    """Yield the uses of names in a component of a machine.

    Args:
        component: the component.
        parts: definitions of the machine.

    Raises:
        AspenError: the component contains "node x", for example, but x is defined as a component of another type.
    """
    own = {each.name for each in component.members if isinstance(each, Param)}
    for member in component.members:
        match member:
            case Part(kind, name, count, _):
                yield from _used(count, own)
                _check_type(name, kind, member.place, parts)
                yield Reference(name, member.place, valid=parts.names(kind), subject=f"no {kind}")
            case Linked(name):
                yield Reference(name, member.place, valid=parts.names(*LINKS), subject="no link")
            case Connected(count, name, _):
                yield from _used(count, own)
                yield Reference(name, member.place, valid=parts.names(*NETWORKS), subject="no network")
            case Resource(_, parameter, seconds, traits):
                yield from _used(seconds, {*own, parameter})
                for each in traits:
                    yield from _used(each.value, {*own, parameter, each.parameter, "base"})
            case Rate(name, rate, traits):
                yield from _used(rate, own)
                yield from _used(tuple(each.value for each in traits), {*own, name})
            case _:
                yield from _used(member, own)


def _check_type(name: str, kind: str, place: Place, parts: MachineParts) -> None:
    """Check that a component called `name`, if there is one, has the type `kind`; `place` is where this is required."""
    others = [each for each in parts.components if each.name == name]
    if others and parts.find(name, kind) is None:
        where = f"defined in {others[0].place}"
        raise error_at(place, f"{name!r} is of the type {others[0].type!r} ({where}), not {kind!r}")
