"""Machines as platforms: nodes are hosts, and each core of a host is a socket of the chosen kind."""

import dataclasses
from collections.abc import Sequence

from pysmpi.aspen.aspen_dialect import error_at
from pysmpi.aspen.bisection_links import default_sides
from pysmpi.aspen.machine_info import networks_of, node_watts, sockets_of
from pysmpi.aspen.machine_model import Level, Machine
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.socket_resources import SocketResources
from pysmpi.aspen.syntax_tree import Resource, Trait
from pysmpi.errors import PlatformError
from pysmpi.formulas.expressions.evaluation import evaluate
from pysmpi.formulas.expressions.text import expression_text
from pysmpi.platform import Platform
from pysmpi.platform.cluster_spec import from_text
from pysmpi.platform.topologies.cluster_of_hosts import ClusterOfHosts

__all__ = ["cluster_of", "read"]

_PORTS = 36  # ports of a switch in a fat tree without arguments
_SIZES = (2.0**10, 2.0**20, 2.0**30)  # bytes of messages, to see whether a time is linear


def read(source: str) -> Platform:
    """Return the platform of the machine in a file, whose name may be followed by values: ``m.aspen:numNodes=4``.

    Raises:
        AspenError: the file is not a valid machine, or the machine has no nodes or no network.
    """
    return cluster_of(Machine.read(source)).build(source)


def cluster_of(machine: Machine, socket: str | None = None) -> ClusterOfHosts:
    """Return a machine as the description of a platform: its nodes are hosts, and sockets of one kind are their cores.

    Args:
        machine: the machine.
        socket: name of the sockets that are cores of hosts; by default the first kind.

    Raises:
        AspenError: the machine has no nodes, sockets or network, or the time of a message is not linear in its bytes.
    """
    scope = machine.scope()
    kinds = sockets_of(machine, scope)
    chosen = machine.choose_socket(scope, socket or next(iter(kinds), None))
    if chosen is None or not chosen.is_under("node"):
        raise error_at(machine.place, "the machine has no sockets in nodes; a platform needs both")
    found = kinds[chosen.component.name]
    if not found.peaks:
        raise error_at(chosen.component.place, f"socket {chosen.component.name!r} has no resource 'flops'")
    cores = _whole(chosen.within("node"), chosen)
    nodes = _whole(chosen.total() / cores, chosen)
    network, level = _network(machine, scope, chosen)
    shape, hops = _shape(level.traits, nodes, scope)
    words = [
        shape,
        f"speed={float(max(found.peaks.values()))!r}f",
        f"cores={cores}",
        f"bw={float(network[0] * network[2])!r}Bps",
        f"lat={float(network[1] / hops)!r}s",
    ]
    try:
        cluster = from_text(":".join(words))
    except PlatformError as error:
        raise error_at(level.component.place, f"this network cannot be a platform: {error}") from None
    static, dynamic = node_watts(machine, scope, chosen), found.dynamic_power * cores
    if static or dynamic:
        watts = {"wattage_per_state": f"{static}:{static}:{static + dynamic}"}
        cluster = dataclasses.replace(cluster, properties=watts)
    return cluster


def _whole(count: float, level: Level) -> int:
    if count != round(count) or count < 1:
        raise error_at(
            level.component.place,
            f"the number of {level.component.name!r} is {count:.6g}; a platform needs a whole number above 0",
        )
    return round(count)


def _network(machine: Machine, scope: Scope, socket: Level) -> tuple[tuple[float, float, float], Level]:
    """Return the network that carries the nodes' messages.

    Returns:
        Bandwidth of a connection (bytes/s), latency (seconds) and number of connections of each node; and the network
        with its position in the machine's tree of components.
    """
    for level in machine.networks(scope):
        found = networks_of(machine, scope).get(level.component.name)
        if found is not None:
            _check_linear(machine, scope, socket)
            rails = level.within("node") if level.is_under("node") else level.total()
            return (found.bandwidth, found.latency, rails), level
    raise error_at(machine.place, "the machine has no network that serves messages; a platform needs one")


def _check_linear(machine: Machine, scope: Scope, socket: Level) -> None:
    resources = SocketResources(machine, scope, socket.component.name)
    server = resources.server("messages")
    assert server is not None
    first, second, third = (resources.seconds(server, size) for size in _SIZES)
    slopes = (second - first) / (_SIZES[1] - _SIZES[0]), (third - second) / (_SIZES[2] - _SIZES[1])
    if abs(slopes[0] - slopes[1]) > 1e-6 * abs(slopes[1]):
        taken = expression_text(server.rule.seconds) if isinstance(server.rule, Resource) else "not"
        raise error_at(
            server.rule.place, f"seconds of messages must be linear in the bytes on a platform, but are {taken}"
        )


def _shape(traits: Sequence[Trait], nodes: int, scope: Scope) -> tuple[str, int]:
    """Return the first word of a cluster's description, such as ``torus:4,4``, and a number of links.

    The latency of each link is the network's latency divided by this number. It is the number of links of the longest
    route, or 1 for a torus or hypercube.

    Args:
        traits: traits of the network, one of which may be the topology.
        nodes: number of nodes.
        scope: values of the machine's parameters.
    """
    for trait in traits:
        name = trait.name.lower()
        given = [round(float(evaluate(each, scope))) for each in trait.arguments]
        if name == "torus":
            sides = given or [side for side in default_sides(nodes) if side > 1] or [1]
            _check_nodes(trait, sides, nodes)
            return f"torus:{','.join(map(str, sides))}", 1
        if name == "hypercube":
            dimensions = given[0] if given else max(0, nodes.bit_length() - 1)
            _check_nodes(trait, [2] * dimensions, nodes)
            return f"hypercube:{dimensions}", 1
        if name == "fattree":
            down = given[0] if given else _down_ports(nodes)
            if down < 2 or nodes % down or nodes <= _PORTS:
                return (f"fattree:1/{nodes}/1/1", 2) if nodes > 1 else ("flat:1", 2)
            return f"fattree:2/{down},{nodes // down}/1,{down}/1,1", 4
        if name == "mesh":
            raise error_at(trait.place, "a mesh can be costed, but not simulated; use torus, hypercube or fatTree")
    return f"flat:{nodes}", 2


def _down_ports(nodes: int) -> int:
    """Return the hosts of each switch of a fat tree: the largest divisor of `nodes` up to half of a switch's ports."""
    return max((each for each in range(1, _PORTS // 2 + 1) if nodes % each == 0), default=1)


def _check_nodes(trait: Trait, sides: Sequence[int], nodes: int) -> None:
    places = 1
    for side in sides:
        places *= side
    if places != nodes:
        shown = " × ".join(map(str, sides)) or "1"
        raise error_at(trait.place, f"{trait.name} of {shown} = {places} nodes, but the machine has {nodes}")
