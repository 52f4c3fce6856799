"""Summary of a machine: components, bandwidths, memory, watts, and peak speeds with and without traits such as simd."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pysmpi.aspen.amounts import plain_json
from pysmpi.aspen.machine_grammar import singular
from pysmpi.aspen.machine_model import Level, Machine
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.socket_resources import SocketResources, peak_of
from pysmpi.aspen.syntax_tree import Component, Watts
from pysmpi.formulas.expressions.evaluation import Value, evaluate

__all__ = [
    "NetworkInfo",
    "SocketInfo",
    "ceilings_of",
    "machine_json",
    "networks_of",
    "node_watts",
    "parts_of",
    "sockets_of",
]

_MOST_TRAITS = 3  # largest number of traits, such as dp and simd, that are combined in one peak
_SHOWN_TRAITS = 2  # largest number of traits of a peak in printed tables and pictures
_COMPUTATION = "flops"


@dataclass(frozen=True)
class NetworkInfo:
    """Speed and size of a network.

    Attributes:
        bandwidth: bytes per second of one connection.
        latency: seconds that an empty message takes.
        connections: number of connections of the whole machine.
    """

    bandwidth: Value
    latency: Value
    connections: Value


@dataclass(frozen=True)
class SocketInfo:
    """Sockets of one kind; all attributes but `count` are for one socket.

    Attributes:
        count: number of these sockets in the whole machine.
        peaks: peak in operations per second by traits, such as "dp, simd", for all sequences of up to three traits; the
            key "" is the peak without traits.
        bandwidths: bytes per second of "loads" and of "stores"; one that the machine does not define is left out.
        capacity: bytes of memory, or None if the machine's file gives no capacity.
        static_power: watts that the socket always draws.
        dynamic_power: additional watts while all its components are busy.
        traits: names of the traits that change the speed of operations, in the order of the machine's file.
    """

    count: Value
    peaks: dict[str, Value]
    bandwidths: dict[str, Value]
    capacity: Value
    static_power: Value
    dynamic_power: Value
    traits: Sequence[str]


def parts_of(machine: Machine, scope: Scope) -> dict[str, Value]:
    """Return the number of each component in the whole machine, by its name.

    If components of several types have the same name, the key is the type and the name, such as "memory ddr3".
    """
    types: dict[str, set[str]] = {}
    levels = list(machine.levels(scope))
    for level in levels:
        types.setdefault(level.component.name, set()).add(level.type)
    found: dict[str, Value] = {}
    for level in levels:
        name = level.component.name
        key = name if len(types[name]) == 1 else f"{level.type} {name}"
        found[key] = found.get(key, 0.0) + level.total()
    return found


def networks_of(machine: Machine, scope: Scope) -> dict[str, NetworkInfo]:
    """Return bandwidth, latency and connections of the networks that carry the nodes' messages, by component name."""
    found: dict[str, NetworkInfo] = {}
    sockets = machine.sockets(scope)
    resources = SocketResources(machine, scope, sockets[0].component.name if sockets else None)
    server = resources.server("messages")
    nodes = next((level.total() for level in machine.levels(scope) if level.type == "node"), 1.0)
    for level in machine.networks(scope):
        if server is None or server.level.component is not level.component:
            continue
        per_node = level.is_under("node")
        connections = level.total() if per_node else level.total() * nodes
        latency = server.latency + resources.seconds(server, 0.0)
        found[level.component.name] = NetworkInfo(peak_of(resources, server), latency, connections)
    return found


def sockets_of(machine: Machine, scope: Scope) -> dict[str, SocketInfo]:
    """Return peaks, bandwidths, memory and power of each kind of sockets, by the kind's name.

    Args:
        machine: the machine.
        scope: values of its parameters.
    """
    return {level.component.name: _socket(machine, scope, level) for level in machine.sockets(scope)}


def ceilings_of(socket: SocketInfo) -> dict[str, float]:
    """Return the different peaks of a socket in operations per second, by traits such as "dp, simd".

    Only combinations of up to two traits are used, in the order of the machine's file. If several combinations have the
    same peak, only the first one is returned, so that traits without an effect are left out.
    """
    names: dict[float, str] = {}
    for name, peak in socket.peaks.items():
        numbers = [list(socket.traits).index(each) for each in name.split(", ")] if name else []
        if numbers == sorted(numbers) and len(numbers) <= _SHOWN_TRAITS:
            names.setdefault(float(peak), name)
    return {name: peak for peak, name in names.items()}


def machine_json(machine: Machine) -> dict[str, Any]:
    """Return what ``pysmpi aspen info --json`` prints: numbers of components, speeds of networks and sockets."""
    scope = machine.scope()
    found: dict[str, Any] = plain_json(
        {
            "parts": parts_of(machine, scope),
            "networks": {name: vars(each) for name, each in networks_of(machine, scope).items()},
            "sockets": {
                name: {key: value for key, value in vars(each).items() if key != "traits"}
                for name, each in sockets_of(machine, scope).items()
            },
        }
    )
    return found


def _socket(machine: Machine, scope: Scope, level: Level) -> SocketInfo:
    resources = SocketResources(machine, scope, level.component.name)
    computation = resources.server(_COMPUTATION)
    peaks: dict[str, Value] = {}
    names: list[str] = []
    if computation is not None:
        units = computation.level.within("socket")
        names = [each.trait for each in computation.traits if not each.parameter]
        for length in range(_MOST_TRAITS + 1):
            for chosen in itertools.permutations(names, length):
                peaks[", ".join(chosen)] = units * peak_of(resources, computation, chosen)
    bandwidths = {}
    for name in ("loads", "stores"):
        server = resources.server(name)
        if server is not None:
            bandwidths[name] = server.level.within("socket") * peak_of(resources, server)
    return SocketInfo(
        level.total(),
        peaks,
        bandwidths,
        machine.capacity(scope, level),
        _watts(machine, scope, level.component.name, "static", level.component),
        _watts(machine, scope, level.component.name, "dynamic", level.component),
        names,
    )


def node_watts(machine: Machine, scope: Scope, socket: Level) -> Value:
    """Return the static watts of one node, with all its sockets.

    Args:
        machine: the machine.
        scope: values of its parameters.
        socket: one kind of sockets in the node.
    """
    node = next(each for each in reversed(socket.path()) if each.type == "node")
    return _watts(machine, scope, None, "static", node.component)


def _watts(machine: Machine, scope: Scope, socket: str | None, kind: str, whole: Component) -> Value:
    """Return the watts of a component with all components in it.

    Args:
        machine: the machine.
        scope: values of its parameters.
        socket: name of the only kind of sockets whose watts are added, or None for all kinds.
        kind: "static" for watts that are always drawn, "dynamic" for additional watts of busy components.
        whole: the component, such as a node.
    """
    total: Value = 0.0
    for level in machine.levels(scope, socket):
        if not any(each.component is whole for each in level.path()):
            continue
        for member in level.component.members:
            if isinstance(member, Watts) and member.kind == kind:
                watts = evaluate(member.watts, machine.local(level.component, scope))
                total = total + watts * level.within(singular(whole.type))
    return total
