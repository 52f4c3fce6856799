"""Machines: trees of components, with the values of their parameters."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy

from pysmpi.aspen.application import PROCESSORS, set_values, value_text
from pysmpi.aspen.aspen_dialect import Place, error_at
from pysmpi.aspen.machine_grammar import NETWORKS, singular
from pysmpi.aspen.machine_parts import MachineParts, Portion
from pysmpi.aspen.scope import Scope
from pysmpi.aspen.syntax_tree import Component, Figure, Param, Property, Trait, names_in
from pysmpi.errors import did_you_mean
from pysmpi.formulas.expressions.evaluation import Value, evaluate

__all__ = ["Level", "Machine"]


@dataclass(frozen=True)
class Level:
    """Component at one position in the tree of a machine's components.

    Example: the cores in the sockets of the nodes of a machine are one position.

    Attributes:
        component: the component.
        count: number of these components in one component of the position above.
        above: position of the component that contains this one, or None for the machine itself.
        type: type of the component at this position, such as "socket".
        traits: words after "as" that describe its connection, such as a topology.
    """

    component: Component
    count: Value
    above: "Level | None"
    type: str
    traits: tuple[Trait, ...] = ()

    def path(self) -> "list[Level]":
        """Return the positions from the machine down to this one."""
        return [*(self.above.path() if self.above else []), self]

    def total(self) -> Value:
        """Return the number of these components in the whole machine."""
        return self.count * (self.above.total() if self.above else 1.0)

    def within(self, type_: str) -> Value:
        """Return the number of these components in the enclosing component of a type: for "node", the cores of a node.

        If this component has the type itself, return 1. If no component around it has the type, return the number in
        the whole machine.

        Args:
            type_: type of the enclosing component.
        """
        if self.type == type_:
            return 1.0
        return self.count * (self.above.within(type_) if self.above else 1.0)

    def is_under(self, type_: str) -> bool:
        """Return whether this component, or one that contains it, is of a type."""
        return any(each.type == type_ for each in self.path())


@dataclass(frozen=True)
class Machine:
    """Model of a machine.

    Attributes:
        parts: definitions in its files.
        values: values of parameters that have been set, by name.
    """

    parts: MachineParts
    values: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, path: str) -> Self:
        """Read a model of a machine.

        Args:
            path: path of the file; values of parameters may follow it: ``m.aspen:numNodes=4:rails=2``.

        Raises:
            AspenError: the file, or one that it includes, cannot be read or is not valid, or a value is given for a
                parameter that the machine does not have.
        """
        file, *settings = str(path).split(":")
        machine = cls(MachineParts.read(file))
        values = {}
        for each in settings:
            name, equals, text = each.partition("=")
            if not equals or not name or not text:
                raise error_at(Place(file, 1), f"{each!r} is not of the form NAME=VALUE, such as numNodes=4")
            values[name] = text
        return machine.with_values(values)

    @property
    def path(self) -> str:
        """Path of the file."""
        return self.parts.path

    def set(self, **values: Any) -> Self:
        """Return the machine with other values of parameters.

        Args:
            values: numbers, arrays that are broadcast, or texts of expressions such as "2^16".

        Raises:
            AspenError: the machine has no such parameter.
        """
        return self.with_values(values)

    def with_values(self, values: Mapping[str, Any]) -> Self:
        """Return the machine with other values of parameters, by name; see `set` for the forms of values."""
        valid = {*self.parts.params, *(name for each in self.parts.components for name in names_in(each))}
        return replace(self, values={**self.values, **set_values(values, valid, self.parts.params, self.place)})

    def __fspath__(self) -> str:
        """Return the path and all values, such as ``m.aspen:numNodes=4``, as `read` and ``--platform`` take it."""
        return ":".join([self.path, *(f"{name}={value_text(each)}" for name, each in self.values.items())])

    @property
    def place(self) -> Place:
        """File and line of the last component in the text, usually the machine; without components, the first line."""
        return self.parts.components[-1].place if self.parts.components else Place(self.path, 1)

    def scope(self, processors: Value = None) -> Scope:
        """Return a scope with the values of the machine's parameters, in which formulas can be evaluated.

        Args:
            processors: number of processors, which the parameters may depend on as P, or None if it is unknown.
        """
        base = Scope(values={} if processors is None else {PROCESSORS: processors})
        return Scope(self.parts.params, base, self.values)

    def root(self) -> Component:
        """Return the outermost component: the one of the type "machine", or the only one that is part of no other.

        Raises:
            AspenError: there is none, or there are several.
        """
        machines = [each for each in self.parts.components if singular(each.type) == "machine"]
        if not machines:
            inner = {id(part.component) for each in self.parts.components for part in self.parts.portions(each)}
            machines = [each for each in self.parts.components if id(each) not in inner]
        if len(machines) != 1:
            listed = ", ".join(f"{each.type} {each.name}" for each in machines)
            found = f"{len(machines)} outermost components ({listed})" if machines else "no component"
            place = machines[1].place if machines else Place(self.path, 1)
            raise error_at(place, f"the file has {found}; one component must contain all others")
        return machines[0]

    def levels(self, scope: Scope, socket: str | None = None) -> Iterator[Level]:
        """Yield all components of the machine depth first, each with its position in the tree of components.

        Args:
            scope: values of the machine's parameters.
            socket: name of the only kind of sockets to include with the components inside, or None for all kinds.

        Raises:
            AspenError: a component is not defined, contains itself, or its number cannot be computed.
        """
        root = self.root()
        yield from self._below(Level(root, 1.0, None, singular(root.type)), scope, socket)

    def _below(self, level: Level, scope: Scope, socket: str | None) -> Iterator[Level]:
        if socket is not None and level.type == "socket" and level.component.name != socket:
            return
        yield level
        above = [each.component for each in level.path()]
        for portion in self.parts.portions(level.component):
            if any(portion.component is each for each in above):
                names = " → ".join(each.name for each in [*above, portion.component])
                raise error_at(portion.place, f"{portion.component.name!r} is a part of itself: {names}")
            count = _count(portion, self.local(level.component, scope))
            yield from self._below(Level(portion.component, count, level, portion.type, portion.traits), scope, socket)

    def local(self, component: Component, scope: Scope) -> Scope:
        """Return a scope with the values of a component's own parameters and of the machine's parameters.

        Args:
            component: the component.
            scope: values of the machine's parameters.
        """
        own = {each.name: each for each in component.members if isinstance(each, Param)}
        return Scope(own, scope) if own else scope

    def sockets(self, scope: Scope) -> list[Level]:
        """Return each kind of sockets, with its position in the tree of components."""
        return [each for each in self.levels(scope) if each.type == "socket"]

    def choose_socket(self, scope: Scope, name: str | None) -> Level | None:
        """Return the kind of sockets called `name`, or the only kind if `name` is None, with its position in the tree.

        Return None if `name` is None and the machine has no sockets.

        Raises:
            AspenError: there are no sockets of this name, or there are several kinds and no name is given.
        """
        found = self.sockets(scope)
        names = list(dict.fromkeys(each.component.name for each in found))
        if name is not None:
            chosen = next((each for each in found if each.component.name == name), None)
            if chosen is None:
                hint = did_you_mean(name, names)
                raise error_at(self.place, f"no socket is called {name!r}{hint} (valid: {', '.join(names) or 'none'})")
            return chosen
        if len(names) > 1:
            owner = found[0].above
            place = owner.component.place if owner else self.place
            say = ", ".join(f"--socket {each}" for each in names)
            kinds = {2: "two", 3: "three", 4: "four"}.get(len(names), str(len(names)))
            raise error_at(place, f"{kinds} kinds of sockets; choose one: {say}")
        return found[0] if found else None

    def capacity(self, scope: Scope, socket: Level | None) -> Value:
        """Return the bytes of memory for one socket, or None if no memory has a capacity.

        Memory outside of sockets, such as that of a node, is divided evenly among all sockets of this kind.
        """
        total: Value = 0.0
        is_known = False
        for level in self.levels(scope, socket.component.name if socket else None):
            value = self.figure(level.component, "capacity", scope) if level.type == "memory" else None
            if value is None:
                continue
            is_known = True
            if socket is None or level.is_under("socket"):
                total = total + value * level.within("socket" if socket else "machine")
            else:
                total = total + value * level.total() / socket.total()
        return total if is_known else None

    def figure(self, component: Component, name: str, scope: Scope) -> Value:
        """Return a number of a component, from its statement ``NAME [VALUE]`` or ``property NAME [VALUE]``.

        Args:
            component: the component.
            name: name of the number, such as "capacity".
            scope: values of the machine's parameters.

        Returns:
            The number, or None if the component has no such statement.
        """
        for member in component.members:
            if isinstance(member, Figure | Property) and member.name == name and member.value is not None:
                return evaluate(member.value, self.local(component, scope))
        return None

    def networks(self, scope: Scope, socket: str | None = None) -> list[Level]:
        """Return each network, with its position in the tree of components; the arguments are those of `levels`."""
        return [each for each in self.levels(scope, socket) if each.type in NETWORKS]


def _count(portion: Portion, scope: Scope) -> Value:
    count = evaluate(portion.count, scope)
    if numpy.any(numpy.less(count, 0)):
        raise error_at(
            portion.place,
            f"the number of components {portion.component.name!r} is {float(numpy.min(count)):.6g}, which is negative",
        )
    return count
