"""Effects of statements: whether they send messages or make random choices.

All other statements only compute, and their time is known before the program runs. The effects depend only on the
statements of the model, not on values. So a program that is generated from the model is valid for all values of its
parameters.
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from pysmpi.aspen.exchanges import pattern_of
from pysmpi.aspen.messages import CARRIED, PATTERNS
from pysmpi.aspen.module import Module
from pysmpi.aspen.references import find_owner
from pysmpi.aspen.syntax_tree import (
    Call,
    Execute,
    Group,
    Kernel,
    Loop,
    Need,
    Node,
    Probability,
    Requires,
    Superstep,
    children_of,
)

__all__ = ["Effects"]

_Visited: TypeAlias = "tuple[Module, Node, bool]"  # module, node in it, whether random choices there are effects


class Effects:
    """Cache of the effects of an application's statements: whether they send messages or make random choices."""

    def __init__(self) -> None:
        # Keys are the `id` of a statement and whether random choices count as effects. Values are the statement and
        # whether it has an effect. The statement is kept, so that no other one can get its `id`.
        self._known: dict[tuple[int, bool], tuple[Node, bool]] = {}

    def sends(self, module: Module, statements: Iterable[Node]) -> bool:
        """Return whether statements of an application, or the kernels that they call, may send messages."""
        return any(self._has_effect(module, each, chooses=False) for each in statements)

    def acts(self, module: Module, statements: Iterable[Node]) -> bool:
        """Return whether statements may send messages, or make a random choice (`Probability`) outside parallel parts.

        Parallel parts are those of ``par { A B }``, ``map [n] { A }`` and ``{ A, B }``. If they send no messages, their
        random choices take the expected time, so that no random number is drawn.
        """
        return any(self._has_effect(module, each, chooses=True) for each in statements)

    def only_neighbours(self, module: Module, statements: Iterable[Node]) -> bool:
        """Return whether the only resources in statements are point-to-point messages, and never two at the same time.

        The resources of an ``execute`` statement, or of all ``requires`` statements of a kernel, are needed at the same
        time. Kernels that are called count, too. If no statement needs a resource, the result is False.
        """
        nodes = [node for each in statements for _, node, _ in _reachable(module, each, chooses=False)]
        blocks = [node.needs for node in nodes if isinstance(node, Execute)]
        for kernel in nodes:
            if isinstance(kernel, Kernel):
                blocks.append(tuple(each.need for each in kernel.body if isinstance(each, Requires)))
        blocks = [needs for needs in blocks if needs]
        return bool(blocks) and all(
            len(needs) == 1 and needs[0].resource in CARRIED and pattern_of(needs[0]) in PATTERNS for needs in blocks
        )

    def _has_effect(self, module: Module, node: Node, *, chooses: bool) -> bool:
        key = (id(node), chooses)
        if key not in self._known:
            found = any(
                (isinstance(each, Need) and each.resource in CARRIED) or (isinstance(each, Probability) and choices)
                for _, each, choices in _reachable(module, node, chooses=chooses)
            )
            self._known[key] = node, found
        return self._known[key][1]


def _reachable(module: Module, node: Node, *, chooses: bool) -> "Iterator[_Visited]":
    """Yield a node of the syntax tree, all nodes inside it, and those of the kernels and control flows that it calls.

    With each node come its module and a flag that says whether random choices there are effects. Each combination of
    node and flag is yielded once.

    Args:
        module: module that contains the node.
        node: node at which the search begins.
        chooses: whether random choices outside parallel parts are effects; those inside never are.
    """
    waiting: list[_Visited] = [(module, node, chooses)]
    seen = set()
    while waiting:
        owner, current, choices = waiting.pop()
        if (id(current), choices) in seen:
            continue
        seen.add((id(current), choices))
        yield owner, current, choices
        match current:
            case Call(name):
                called = find_owner(owner, name)
                waiting += [(*called, choices)] if called else []
            case Loop("map") | Group("par"):
                choices = False
            case Superstep(parts) if len(parts) > 1:
                choices = False
        waiting += [(owner, each, choices) for each in children_of(current)]
