"""Components of a machine that serve resources, such as flops or loads, and the seconds that they take for an amount.

Traits of a request, such as "simd", change these seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from pysmpi.aspen.aspen_dialect import error_at
from pysmpi.aspen.machine_grammar import NETWORKS
from pysmpi.aspen.machine_model import Level, Machine
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.syntax_tree import Conflict, Figure, Rate, Resource, Trait, TraitCost
from pysmpi.formulas.expressions.evaluation import Value, evaluate, plain

__all__ = ["Server", "SocketResources", "peak_of"]

_STREAMS = {"memory": ("loads", "stores", "bytes"), "link": ("intracomm",), **dict.fromkeys(NETWORKS, ("messages",))}
"""Resources that a component serves with its bandwidth, by the component's type."""

_NO_RATES = ("capacity", "latency", "bandwidth")  # names of a component's numbers that are not the rate of a resource
_LARGE = 2.0**40  # units; a peak is the rate between this amount and twice the amount, without constant parts of times


@dataclass(frozen=True)
class Server:
    """Component that serves a resource.

    Attributes:
        level: the component with its position in the machine.
        resource: name of the resource.
        rule: statement of the machine's file with the formula of the time, the rate, or the bandwidth.
        latency: latency in seconds of a network that has a bandwidth, paid once a message; 0 for other components.
    """

    level: Level
    resource: str
    rule: Resource | Rate | Figure
    latency: Value = 0.0

    @property
    def traits(self) -> tuple[TraitCost, ...]:
        """Formulas by which traits change the time or the rate."""
        return () if isinstance(self.rule, Figure) else self.rule.traits


class SocketResources:
    """Resources that sockets of one kind can use: which component of the machine serves each of them, and how fast.

    Args:
        machine: the machine.
        scope: values of its parameters.
        socket: name of the sockets, or None if the machine has none.
    """

    def __init__(self, machine: Machine, scope: Scope, socket: str | None) -> None:
        self.machine, self.scope, self.socket = machine, scope, socket
        self._servers: dict[str, Server] = {}
        self._conflicts: list[tuple[str, str]] = []
        for level in machine.levels(scope, socket):
            for server in self._served(level):
                self._servers.setdefault(server.resource, server)
            for member in level.component.members:
                if isinstance(member, Conflict):
                    self._conflicts.append((member.first, member.second))
        for server in self._servers.values():
            shared = [each.resource for each in self._servers.values() if each.rule is server.rule]
            self._conflicts += [(server.resource, each) for each in shared if each != server.resource]

        if "comm" not in self._servers:  # the resource "messages" takes its place, see `Clock._as_messages`
            self._conflicts.append(("comm", "messages"))

    @property
    def names(self) -> list[str]:
        """Names of all resources."""
        return list(self._servers)

    def server(self, resource: str) -> Server | None:
        """Return the first component, depth first, that serves a resource, or None."""
        return self._servers.get(resource)

    def conflicting(self, resource: str) -> str:
        """Return the name of the group of a resource; resources of one group cannot be used at the same time.

        The group has the resource and all that conflict with it, directly or through others. Its name is that of the
        alphabetically first one.
        """
        group = {resource}
        while True:
            more = {other for pair in self._conflicts if group & set(pair) for other in pair}
            if more <= group:
                return min(group)
            group |= more

    def seconds(self, server: Server, amount: Value, traits: Sequence[tuple[Trait, Scope]] = ()) -> Value:
        """Return the seconds that one component takes for an amount, without `Server.latency`.

        Args:
            server: the component.
            amount: units of the resource.
            traits: traits in the order in which they are applied, each with the scope of its arguments.

        Raises:
            AspenError: a trait lacks its argument, or the formula has no finite value.
        """
        local = self.machine.local(server.level.component, self.scope)
        rule = server.rule
        if isinstance(rule, Resource):
            found = evaluate(rule.seconds, Scope({}, local, {rule.parameter: amount}))
            for trait, names in traits:
                cost = _find(rule.traits, trait)
                if cost is not None:
                    given = {rule.parameter: amount, "base": found, **_argument(cost, trait, names)}
                    found = evaluate(cost.value, Scope({}, local, given))
            return found
        return amount / self.rate(server, traits)

    def rate(self, server: Server, traits: Sequence[tuple[Trait, Scope]] = ()) -> Value:
        """Return the units per second of one component; its rule must be a rate or a bandwidth.

        The arguments are those of `seconds`.

        Raises:
            AspenError: the rate is not positive.
        """
        local = self.machine.local(server.level.component, self.scope)
        rule = server.rule
        assert not isinstance(rule, Resource)
        rate = evaluate(rule.rate if isinstance(rule, Rate) else rule.value, local)
        if isinstance(rule, Rate):
            for trait, _ in traits:
                cost = _find(rule.traits, trait)
                if cost is not None:
                    rate = evaluate(cost.value, Scope({}, local, {rule.name: rate}))
        if numpy.any(numpy.less_equal(rate, 0)):
            raise error_at(rule.place, f"a rate of {float(numpy.min(rate)):.6g} is not positive")
        return rate

    def _served(self, level: Level) -> list[Server]:
        found = []
        for member in level.component.members:
            match member:
                case Resource(name=name) | Rate(name=name):
                    found.append(Server(level, name, member))
                case Figure("bandwidth", _):
                    latency = 0.0
                    if level.type in NETWORKS:
                        latency = self.machine.figure(level.component, "latency", self.scope) or 0.0
                    streams = _STREAMS.get(level.type, ())
                    found += [Server(level, name, member, latency) for name in streams]
                case Figure(name, _) if name not in _NO_RATES:
                    found.append(Server(level, name, member))
        return found


def peak_of(resources: SocketResources, server: Server, traits: Sequence[str] = ()) -> Value:
    """Return the peak of one component: its units per second for large amounts of a resource.

    Args:
        resources: resources of the machine.
        server: the component.
        traits: names of traits; traits with an argument are not possible here.
    """
    named = [(Trait(each), resources.scope) for each in traits]
    if not isinstance(server.rule, Resource):
        return resources.rate(server, named)
    with numpy.errstate(all="ignore"):  # the peak is infinite if amounts take no time
        if not numpy.any(resources.seconds(server, 0.0, named)):
            return plain(numpy.divide(1.0, resources.seconds(server, 1.0, named)))
        slope = (resources.seconds(server, 2 * _LARGE, named) - resources.seconds(server, _LARGE, named)) / _LARGE
        return plain(numpy.divide(1.0, slope))


def _find(costs: Sequence[TraitCost], trait: Trait) -> TraitCost | None:
    return next((each for each in costs if each.trait == trait.name), None)


def _argument(cost: TraitCost, trait: Trait, names: Scope) -> dict[str, Value]:
    if not cost.parameter:
        return {}
    if len(trait.arguments) != 1:
        raise error_at(trait.place, f"trait {trait.name!r} needs its argument: {trait.name}({cost.parameter})")
    return {cost.parameter: evaluate(trait.arguments[0], names)}
