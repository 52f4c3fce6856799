"""Which statements act on ranks: they may send messages, or choose among alternatives at random.

All other statements only compute; ranks know their time beforehand. The answer depends on the text alone and not on
values, so that a program that was written from a model takes the same steps as the model itself.
"""

from collections.abc import Iterable

from pysmpi.aspen.messages import CARRIED
from pysmpi.aspen.module import Module
from pysmpi.aspen.tree import Call, Group, Loop, Need, Node, Probability, Superstep, children_of

__all__ = ["Acting"]


class Acting:
    """Answers for the statements of one application."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, bool], bool] = {}

    def sends(self, module: Module, statements: Iterable[Node]) -> bool:
        """Return whether statements may send messages."""
        return any(self._any(module, each, choices=False) for each in statements)

    def acts(self, module: Module, statements: Iterable[Node]) -> bool:
        """Return whether statements may send messages, or choose outside parts side by side.

        Parts side by side without messages take their expected time.
        """
        return any(self._any(module, each, choices=True) for each in statements)

    def _any(self, module: Module, node: Node, *, choices: bool) -> bool:
        match node:
            case Need(resource):
                return resource in CARRIED
            case Call(name):
                return self._called(module, name, choices=choices)
            case Probability() if choices:
                return True
            case Loop("map") | Group("par"):
                choices = False
            case Superstep(parts) if len(parts) > 1:
                choices = False
        return any(self._any(module, each, choices=choices) for each in children_of(node))

    def _called(self, module: Module, name: str, *, choices: bool) -> bool:
        first, _, rest = name.partition(".")
        if name not in module.flows:
            return bool(rest) and first in module.imports and self._called(
                module.imports[first][1], rest, choices=choices
            )  # fmt: skip
        key = (module.path, name, choices)
        if key not in self._known:
            self._known[key] = False  # for kernels that call themselves
            self._known[key] = any(self._any(module, each, choices=choices) for each in module.flows[name].body)
        return self._known[key]
