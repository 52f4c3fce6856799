"""Replacement of attributes of modules and classes during a simulation."""

import ctypes
import gc
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from pysmpi.errors import SimulationError
from pysmpi.native import ffi, lib

__all__ = ["Patches", "object_at", "original_of"]

_ABSENT = object()


def object_at(address: Any) -> Any:
    """Return the Python object to which a pointer of C refers."""
    return ctypes.cast(int(ffi.cast("uintptr_t", address)), ctypes.py_object).value


def original_of(function: Any) -> Any:
    """Return a callable that runs a builtin function or method written in C, also while `Patches` replaces it.

    Raises:
        SimulationError: `function` is not a builtin of CPython.
    """
    original = lib.pysmpi_original_builtin(ffi.cast("void *", id(function)))
    if original == ffi.NULL:
        raise SimulationError(f"{function!r} is not a builtin function of this interpreter, and cannot be replaced")
    return object_at(original)


class Patches:
    """Record of replaced attributes with their original values, by which all replacements can be reverted."""

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, Any]] = []

    def set(self, owner: object, name: str, value: object) -> Any:
        """Replace an attribute and return its old value, or None if it was missing."""
        before = vars(owner).get(name, _ABSENT)
        self._before.append((owner, name, before))
        if isinstance(owner, ModuleType) and isinstance(value, FunctionType):  # pickle finds functions by name
            value.__module__, value.__name__, value.__qualname__ = owner.__name__, name, name
            if callable(before):
                value.__doc__ = before.__doc__
                vars(value)["__wrapped__"] = before  # inspect and help show its signature
        setattr(owner, name, value)
        return None if before is _ABSENT else before

    def remove(self, owner: object, name: str) -> None:
        """Remove an attribute."""
        self._before.append((owner, name, vars(owner)[name]))
        delattr(owner, name)

    def set_class(self, instance: object, kind: type) -> None:
        """Give an object another class of the same memory layout."""
        self._before.append((instance, "__class__", type(instance)))
        instance.__class__ = kind

    def set_method(self, kind: type, name: str, method: Callable[..., Any]) -> None:
        """Replace a method of a class written in C, to which Python code cannot assign. Existing objects of the class
        use the new method, too."""
        (attributes,) = gc.get_referents(vars(kind))  # the dictionary behind the read-only view

        def put(value: object) -> None:
            attributes[name] = value
            ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))

        before = attributes[name]
        put(method)
        self.at_undo(lambda: put(before))

    def set_builtin(self, function: Any, replacement: Callable[..., Any]) -> None:
        """Replace a function or method written in C for ranks, wherever a reference to it is kept.

        Modules that were imported before the simulation may hold one, as after ``from time import monotonic as _time``.

        Args:
            function: the builtin; a method is taken from the dictionary of its class.
            replacement: function that is called in ranks; for a method, its first argument is the object or the class.
                It calls the result of `original_of` to run the builtin itself.
        """
        replaced = ffi.cast("void *", id(function))
        lib.pysmpi_replace_builtin(replaced, ffi.cast("void *", id(replacement)))
        self.at_undo(lambda: lib.pysmpi_restore_builtin(replaced))

    def at_undo(self, restore: Callable[[], None]) -> None:
        """Register a function that `undo` will call, to revert a change that is not the replacement of an attribute."""
        self._before.append((restore, "", None))

    def undo(self) -> None:
        """Revert all changes, the latest first."""
        while self._before:
            owner, name, before = self._before.pop()
            if not name:
                owner()
            elif before is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, before)
