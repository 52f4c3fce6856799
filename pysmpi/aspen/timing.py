"""Times of an application's steps on a machine, by rules under which parallel parts overlap or add up."""

import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy

from pysmpi.aspen.aspen_dialect import Place, error_at
from pysmpi.aspen.bisection_links import bisection_links
from pysmpi.aspen.flow import Demand, Flow
from pysmpi.aspen.grid import elements_in_the_middle
from pysmpi.aspen.machine_grammar import NETWORKS
from pysmpi.aspen.machine_model import Level, Machine
from pysmpi.aspen.messages import CARRIED, DIMENSIONS, MESSAGE_TRAITS, is_collective
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.socket_resources import Server, SocketResources, peak_of
from pysmpi.aspen.syntax_tree import Connected
from pysmpi.formulas.expressions.evaluation import Value, plain

__all__ = ["ORNL", "OVERLAP", "RULES", "Clock", "Timing", "timing_of", "weight_of"]

OVERLAP, ORNL = "overlap", "ornl"
RULES = (OVERLAP, ORNL)
"""Names of the rules: parallel parts overlap, or add up as in ORNL's tools."""


@dataclass
class Timing:
    """Time of a step.

    Attributes:
        seconds: time of one execution.
        resources: seconds by resource, whether they overlap or not.
        busy: seconds by resource if its components shared the work evenly: 5 elements on 4 cores count as 1.25 rounds,
            although they take 2.
        binding: seconds by the resource that determines them; their sum is `seconds`.
    """

    seconds: Value = 0.0
    resources: dict[str, Value] = field(default_factory=dict)
    busy: dict[str, Value] = field(default_factory=dict)
    binding: dict[str, Value] = field(default_factory=dict)

    def add(self, other: "Timing", count: Value = 1.0) -> None:
        """Add `count` executions of a step that follows this one."""
        self.seconds = self.seconds + other.seconds * count
        for own, more in ((self.resources, other.resources), (self.busy, other.busy), (self.binding, other.binding)):
            for name, value in more.items():
                own[name] = own.get(name, 0.0) + value * count


class Clock:
    """Computation of the times that steps of an application take on a machine.

    Args:
        machine: the machine.
        scope: values of its parameters.
        socket: the sockets that compute, or None if the machine has none.
        processors: number of sockets to use, or None for all.
        rules: one of `RULES`.
        ceilings: whether the rounds in which cores execute parallel elements are rounded up: 5 elements on 4 cores take
            2 rounds, not 1.25.

    Attributes:
        resources: components that serve the sockets that compute.
        available: number of sockets in the machine.
        used: number of sockets that are used.
        nodes: number of nodes that have the used sockets.
        unknown_traits: file and line of the first use of each trait that the machine does not define; the keys are
            pairs of a resource and the trait's name.
    """

    def __init__(
        self,
        machine: Machine,
        scope: Scope,
        socket: Level | None,
        processors: Value,
        rules: str,
        *,
        ceilings: bool = True,
    ) -> None:
        self.machine, self.scope, self.socket, self.rules = machine, scope, socket, rules
        self._whole: Callable[[Value], Value] = numpy.ceil if ceilings else (lambda value: value)
        self.resources = SocketResources(machine, scope, socket.component.name if socket else None)
        self.available: Value = socket.total() if socket else 1.0
        self.used = self.available if processors is None else plain(numpy.minimum(processors, self.available))
        self._blocks: dict[int, tuple[Flow, Timing]] = {}
        self.unknown_traits: dict[tuple[str, str], Place] = {}
        self.nodes: Value = 1.0
        if socket is not None and socket.is_under("node"):
            self.nodes = plain(self._whole(self.used / socket.within("node")))

    def block(self, flow: Flow) -> Timing:
        """Return the time of a block, which consists of equal, parallel elements that need resources.

        The time is computed once for each block, because it is the same wherever the block is executed.
        """
        if id(flow) in self._blocks:
            return self._blocks[id(flow)][1]
        found = Timing()
        for demand in flow.demands:
            seconds, busy = self._demand(demand, flow.parallelism)
            name = demand.resource
            found.resources[name] = found.resources.get(name, 0.0) + seconds
            found.busy[name] = found.busy.get(name, 0.0) + busy
        found.seconds, found.binding = _greatest(list(self._groups(found.resources)))
        self._blocks[id(flow)] = flow, found
        return found

    def parallel(self, parts: Sequence[Timing], copies: Value = 1.0) -> Timing:
        """Return the time of parallel parts.

        Args:
            parts: times of the parts.
            copies: number of parallel copies of all parts.
        """
        found = Timing()
        for part in parts:
            found.add(part, copies)
        if self.rules == OVERLAP:
            options = [(part.seconds * numpy.minimum(copies, 1.0), part.binding) for part in parts]
            found.seconds, found.binding = _greatest([*options, *self._groups(found.busy)])
        return found

    def components(self, server: Server) -> Value:
        """Return the number of components that serve a resource.

        Under the rules "overlap", components in unused sockets and nodes do not count. Under "ornl", all components
        count, but a network that nodes are ``connected with`` is one component.

        Args:
            server: component that serves the resource.
        """
        level = server.level
        if self.rules == ORNL and _is_connected(level):
            return 1.0
        if self.rules == ORNL or self.socket is None:
            return level.total()
        if level.is_under("socket"):
            return level.within("socket") * self.used
        if level.is_under("node"):
            return level.within("node") * self.nodes
        return level.total() * self.nodes if level.type in NETWORKS else level.total()

    def _demand(self, demand: Demand, elements: Value) -> tuple[Value, Value]:
        """Return the seconds that the machine takes for an amount of a resource, with and without rounding up.

        Rounding up concerns the rounds in which components serve the elements: 5 elements on 4 cores take 2 rounds, and
        without rounding up 1.25.

        Args:
            demand: amount that one element needs.
            elements: number of parallel elements.
        """
        demand = self._as_messages(demand)
        server = self.server(demand.resource, demand.place)
        traits = [(trait, demand.scope) for trait in demand.traits]
        self._note_traits(demand, server)
        components = self.components(server)
        if numpy.any(numpy.less_equal(components, 0)):
            name = server.level.component.name
            raise error_at(demand.place, f"the machine has 0 components {name!r} for {demand.resource!r}")
        each = self.resources.seconds(server, demand.amount, traits)
        rounds, share = self._whole(elements / components), elements / components
        with numpy.errstate(all="ignore"):
            seconds, busy = rounds * each, share * each
        if not numpy.all(numpy.isfinite(seconds)):
            raise error_at(demand.place, f"the seconds of {demand.resource} are not a finite number")
        if not numpy.any(server.latency) and server.level.type not in NETWORKS:
            return plain(seconds), plain(busy)
        collective = any(is_collective(trait.name) for trait in demand.traits)
        if self.rules == ORNL or not collective:
            return plain(rounds * (each + server.latency)), plain(share * (each + server.latency))
        if any(trait.name.lower() == "alltoall" for trait in demand.traits):
            crossing = self._crossing(demand, server, elements)
            seconds, busy = numpy.maximum(seconds, crossing), numpy.maximum(busy, crossing)
        once = numpy.where(numpy.greater(elements, 0), server.latency, 0.0)
        return plain(seconds + once), plain(busy + once)

    def _as_messages(self, demand: Demand) -> Demand:
        """Return an amount of the resource "comm" as an amount of "messages", in bytes.

        If the machine serves "comm" itself, or does not serve "messages", return the amount unchanged.
        """
        if demand.resource != "comm" or self.resources.server("comm") or not self.resources.server("messages"):
            return demand
        names = [trait.name for trait in demand.traits]
        dimensions = next((DIMENSIONS[each.lower()] for each in names if each.lower() in DIMENSIONS), 0)
        amount = demand.amount
        if dimensions:
            amount = elements_in_the_middle(dimensions, demand.units, names) * demand.size
        return replace(demand, resource="messages", amount=amount)

    def _crossing(self, demand: Demand, server: Server, elements: Value) -> Value:
        """Return the seconds that an all-to-all needs between two halves of the network.

        Half of the ranks send half of their bytes to the other half, in either direction.

        Args:
            demand: bytes that one element sends.
            server: the network.
            elements: number of elements that send.
        """
        links = bisection_links(server.level.traits, self.nodes, self.scope)
        if links is None:
            return 0.0
        crossing = demand.amount * elements / 4
        return crossing / (links * peak_of(self.resources, server))

    def server(self, resource: str, place: Place) -> Server:
        """Return the component that serves a resource.

        Raises:
            AspenError: the machine lacks the resource; the message begins with `place`, a file and line.
        """
        found = self.resources.server(resource)
        if found is None:
            under = f" under socket {self.socket.component.name!r}" if self.socket else ""
            there = ", ".join(self.resources.names) or "none"
            raise error_at(
                place,
                f"no component of {self.machine.path} has the resource {resource!r}{under} (there: {there})",
            )
        return found

    def _note_traits(self, demand: Demand, server: Server) -> None:
        known = {each.trait for each in server.traits}
        for trait in demand.traits:
            is_message = demand.resource in CARRIED and trait.name.lower() in MESSAGE_TRAITS
            if trait.name not in known and not is_message:
                self.unknown_traits.setdefault((demand.resource, trait.name), trait.place)

    def _groups(self, seconds: dict[str, Value]) -> list[tuple[Value, dict[str, Value]]]:
        """Divide resources into groups that cannot be used at the same time.

        Args:
            seconds: seconds by resource.

        Returns:
            For each group, the sum of its seconds, and the seconds of each resource in it.
        """
        groups: dict[str, dict[str, Value]] = {}
        for name, value in seconds.items():
            groups.setdefault(self.resources.conflicting(name), {})[name] = value
        return [(functools.reduce(operator.add, group.values()), group) for group in groups.values()]


def _is_connected(level: Level) -> bool:
    """Return whether a component is a network that nodes are ``connected with``, as in the SC12 paper.

    Under the rules "ornl", such a network is one connection for all nodes.
    """
    members = level.above.component.members if level.above else ()
    return any(isinstance(each, Connected) and each.name == level.component.name for each in members)


def _greatest(options: Sequence[tuple[Value, dict[str, Value]]]) -> tuple[Value, dict[str, Value]]:
    """Return the longest of several times, and the seconds that each resource contributes to it.

    Args:
        options: pairs of a time and the seconds that each resource contributes to it. Times may be arrays; then the
            longest one is chosen for each element.
    """
    if not options:
        return 0.0, {}
    times = numpy.stack(numpy.broadcast_arrays(*(time for time, _ in options)))
    first = numpy.argmax(times, axis=0)
    binding: dict[str, Value] = {}
    for number, (_, parts) in enumerate(options):
        for name, value in parts.items():
            binding[name] = binding.get(name, 0.0) + numpy.where(first == number, value, 0.0)
    return plain(times.max(axis=0)), {name: plain(value) for name, value in binding.items()}


def weight_of(step: Flow) -> Value:
    """Return the factor of a step's time in the time of the step around it.

    It is the weight of an alternative, such as its probability, and 1 for all other steps. The time of a loop includes
    all its rounds already.
    """
    return step.count if step.kind == "case" else 1.0


def timing_of(clock: Clock, flow: Flow, parts: Sequence[Timing]) -> Timing:
    """Return the time of one execution of a step.

    Args:
        clock: machine and rules for the times.
        flow: the step.
        parts: times of the steps inside it.
    """
    if flow.is_block or not flow.steps:
        return clock.block(flow)
    if flow.is_parallel and flow.kind != "map":
        return clock.parallel(parts)
    body = Timing()
    for step, part in zip(flow.steps, parts, strict=True):
        body.add(part, weight_of(step))
    if flow.kind == "map":
        return clock.parallel([body], flow.count)
    found = Timing()
    found.add(body, flow.count if flow.kind == "iterate" else 1.0)
    return found
