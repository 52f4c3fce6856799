"""Replaces attributes of modules and classes for the time of a simulation."""

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

__all__ = ["Patches"]

_ABSENT = object()


class Patches:
    """Attributes that were replaced, with what they were before."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []

    def set(self, owner: object, name: str, value: object) -> Any:
        """Replaces an attribute and returns what it was (None when there was none)."""
        before = vars(owner).get(name, _ABSENT)
        self._before.append((owner, name, before))
        if isinstance(owner, ModuleType) and isinstance(value, FunctionType):  # it is pickled by its name
            value.__module__, value.__name__, value.__qualname__ = owner.__name__, name, name
        setattr(owner, name, value)
        return None if before is _ABSENT else before

    def remove(self, owner: object, name: str) -> None:
        """Takes an attribute away."""
        self._before.append((owner, name, vars(owner)[name]))
        delattr(owner, name)

    def set_class(self, instance: object, kind: type) -> None:
        """Gives an object another class of the same layout."""
        self._before.append((instance, "__class__", type(instance)))
        instance.__class__ = kind

    def at_undo(self, restore: Callable[[], None]) -> None:
        """Something else was changed, which this puts back."""
        self._before.append((restore, "", None))

    def undo(self) -> None:
        """Puts everything back, the last replaced first."""
        while self._before:
            owner, name, before = self._before.pop()
            if not name:
                owner()
            elif before is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, before)
