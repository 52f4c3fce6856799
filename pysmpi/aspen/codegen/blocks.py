"""Generation of Python code for the steps of applications that need resources: their seconds and their messages."""

from collections.abc import Mapping, Sequence

from pysmpi.aspen.codegen.expressions import Python, folded, number_python
from pysmpi.aspen.codegen.identifiers import PythonNames
from pysmpi.aspen.exchanges import pattern_of
from pysmpi.aspen.machine_grammar import NETWORKS
from pysmpi.aspen.messages import DIMENSIONS
from pysmpi.aspen.resolving import Names
from pysmpi.aspen.socket_resources import Server
from pysmpi.aspen.syntax_tree import Expression, Name, Need, Resource
from pysmpi.aspen.timing import Clock
from pysmpi.formulas.expressions.dialect import Strength

__all__ = ["Blocks"]

_MODIFIERS = ("face", "periodic", "nodal", "pwave", "nwave")


class Blocks:
    """Generator of Python code for blocks: steps that consist of equal, parallel elements, which need resources.

    Args:
        python: identifiers of the program.
        clock: times of steps on the machine, or None without a machine.

    Attributes:
        constants: lines of the program that define the numbers of sockets and nodes.
        conflicts: groups of resources that cannot be used at the same time: name of the group for each resource in one.
            A group has the name of one of its resources, which is left out.
    """

    def __init__(self, python: PythonNames, clock: Clock | None) -> None:
        self.python, self.clock = python, clock
        self.constants: list[str] = []
        self.conflicts: dict[str, str] = {}

    def seconds(
        self, needs: Sequence[Need], elements: Expression | None, names: Names, local: Mapping[str, str], timed: bool
    ) -> tuple[list[str], str]:
        """Return lines of code that compute the seconds of each resource, and an expression for the block's seconds.

        Args:
            needs: amounts of resources that each element needs, without messages.
            elements: number of elements, or None for 1.
            names: application that has the block, with the values of its parameters.
            local: identifiers of names in the kernel: arguments, parameters, counters of loops, random samples.
            timed: whether the expression is of the type `Time`, which has the busy seconds of each resource, too.
        """
        assert self.clock is not None
        lines: list[str] = []
        groups: dict[str, list[str]] = {}
        busy: dict[str, list[str]] = {}
        count = "1" if elements is None else self.python.text(elements, names.scope, local, Strength.PRODUCT)
        for need in needs:
            server = self.clock.server(need.resource, need.place)
            components = self._components(server)
            rounds = f"{count} / {components}" if components != "1" else count
            each = self._each(need, server, names, local)
            word = f"{need.resource}_s"
            is_first = need.resource not in busy
            lines.append(f"{word} {'=' if is_first else '+='} ceil({rounds}) * ({each})")
            busy.setdefault(need.resource, []).append(f"{rounds} * ({each})")
            if is_first:
                group = self.clock.resources.conflicting(need.resource)
                groups.setdefault(group, []).append(word)
                if group != need.resource:
                    self.conflicts[need.resource] = group
        sums = [" + ".join(words) for words in groups.values()]
        value = f"max({', '.join(sums)})" if len(sums) > 1 else (sums[0] if sums else "0.0")
        if timed:
            texts = ", ".join(f'"{name}": {" + ".join(each)}' for name, each in busy.items())
            value = f"Time({value}, {{{texts}}})"
        return lines, value

    def _components(self, server: Server) -> str:
        """Return a Python expression for the number of components that serve a resource; see `Clock.components`."""
        clock, level = self.clock, server.level
        assert clock is not None
        if clock.socket is None:
            return number_python(float(level.total()))
        if level.is_under("socket"):
            return self._times(float(level.within("socket")), "sockets")
        if level.is_under("node"):
            return self._times(float(level.within("node")), "nodes")
        if level.type in NETWORKS:
            return self._times(float(level.total()), "nodes")
        return number_python(float(level.total()))

    def _times(self, count: float, word: str) -> str:
        self._define_sockets(with_nodes=word == "nodes")
        return word if count == 1 else f"({number_python(count)} * {word})"

    def _define_sockets(self, *, with_nodes: bool) -> None:
        clock = self.clock
        assert clock is not None and clock.socket is not None
        if not self.constants:
            processors = self.processors
            name = clock.socket.component.name
            available = number_python(float(clock.available))
            self.constants.append(f"sockets = min({processors}, {available})  # sockets {name!r} that are used")
        if with_nodes and len(self.constants) == 1:
            inside = float(clock.socket.within("node")) if clock.socket.is_under("node") else 0.0
            nodes = f"ceil(sockets / {number_python(inside)})" if inside else "1"
            self.constants.append(f"nodes = {nodes}")

    processors: str = "rank.comm.size"
    """Python expression for the number of processors."""

    def _each(self, need: Need, server: Server, names: Names, local: Mapping[str, str]) -> str:
        """Return a Python expression for the seconds that one component takes for the amount that one element needs."""
        clock = self.clock
        assert clock is not None
        amount = self._amount(need, names, local)
        traits = [(trait, names.scope) for trait in need.traits]
        rule = server.rule
        if not isinstance(rule, Resource):
            return f"{amount} / {float(clock.resources.rate(server, traits))!r}"
        scope = clock.machine.local(server.level.component, clock.scope)
        words = {rule.parameter: f"({amount})"}
        found = _formula(folded(rule.seconds, words, scope), words)
        for trait in need.traits:
            cost = next((each for each in rule.traits if each.trait == trait.name), None)
            if cost is None:
                continue
            given = {**words, "base": f"({found})"}
            if cost.parameter:
                given[cost.parameter] = f"({self.python.text(trait.arguments[0], names.scope, local)})"
            found = _formula(folded(cost.value, given, scope), given)
        return found

    def _amount(self, need: Need, names: Names, local: Mapping[str, str]) -> str:
        amount = self.python.text(need.amount, names.scope, local, Strength.PRODUCT)
        if need.size is None:
            return amount
        return f"{amount} * {self.python.text(need.size, names.scope, local, Strength.SIGNED)}"

    def messages(
        self, need: Need, elements: Expression | None, names: Names, local: Mapping[str, str], uses_lanes: bool
    ) -> str:
        """Return a Python expression of the type `Exchange` for messages of a block.

        Args:
            need: messages that each element of the block sends.
            elements: number of elements, or None for 1.
            names: application that has the block, with the values of its parameters.
            local: identifiers of names in the kernel: arguments, parameters, counters of loops, random samples.
            uses_lanes: whether parallel parts of the program send messages; then functions have a parameter ``lane``.
        """
        kind = pattern_of(need)
        words = [f'"{each}"' for each in (trait.name.lower() for trait in need.traits) if each in _MODIFIERS]
        given = [f'"{kind}"', self._share(need, elements, names, local), *(words if kind in DIMENSIONS else [])]
        if need.resource == "comm" and kind in DIMENSIONS:
            given[1] = "1" if need.size is None else self.python.text(need.size, names.scope, local)
            given.append(f"side={self.python.text(need.amount, names.scope, local)}")
        given += ["lane=lane"] if uses_lanes else []
        within = next((each for each in need.traits if each.name.lower() == "within"), None)
        if within is not None:
            shape = [self.python.text(each, names.scope, local) for each in within.arguments]
            given.append(f"within=({', '.join(shape)}{',' * (len(shape) == 1)})")
        return f"rank.messages({', '.join(given)})"

    def _share(self, need: Need, elements: Expression | None, names: Names, local: Mapping[str, str]) -> str:
        """Return a Python expression for the bytes that each rank sends; the arguments are as for `messages`."""
        amount = self._amount(need, names, local)
        count = "1" if elements is None else self.python.text(elements, names.scope, local)
        if isinstance(elements, Name) and count == self.processors:
            return amount
        return f"rank.share({amount}, {count})"


def _formula(node: Expression, words: Mapping[str, str]) -> str:
    return Python(lambda each: words[each.name]).text(node)
