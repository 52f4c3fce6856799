"""Search of a module that has run for objects whose state a rank may change later.

Changes of dictionaries, lists and sets (containers) can be made to hold for one rank only
(pysmpi/native/isolation/contents.cpp). This is impossible for other objects, such as arrays, random generators, caches
and instances of classes: their state is hidden. Functions, classes, constants and wrappers of functions count as
harmless.

Example: after ``LIMIT = 3``, ``found = {}`` and ``draw = numpy.random.default_rng()``, the constant is harmless, the
dictionary is a container, and the generator has hidden state.
"""

import functools
import inspect
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from types import FunctionType, GenericAlias, ModuleType, SimpleNamespace
from typing import Any

from pysmpi.simulation.compute.sharing import SHARED

__all__ = ["Retained", "retained_state"]

Container = dict[Any, Any] | list[Any] | set[Any]

_CONTAINERS = frozenset((dict, defaultdict, Counter, list, set))
_CACHE = type(functools.lru_cache(lambda: None))
_LARGEST = 1000  # largest number of entries of a container; more would make it slow to switch to another rank

# Packages whose objects are constants, describe functions and types, or have a state that is private to ranks anyway.
_HARMLESS_FROM = frozenset((
    "_abc", "_ctypes", "_sre", "_struct", "_thread", "_weakref", "abc", "ctypes", "datetime", "decimal", "enum",
    "fractions", "importlib", "inspect", "jax", "jaxlib", "llvmlite", "logging", "numba", "operator", "pathlib",
    "pysmpi", "re", "struct", "threading", "types", "typing", "typing_extensions", "zoneinfo", "__future__",
))  # fmt: skip
_CONSTANTS = (type(None), bool, int, float, complex, str, bytes, range, slice, type(...), type(NotImplemented))


@dataclass(slots=True)
class Retained:
    """Objects whose state a rank may change.

    Attributes:
        containers: dictionaries, lists and sets, including those inside other containers.
        other: name and type of the first object with hidden state, as the option ``-v`` prints it, or None.
    """

    containers: list[Container] = field(default_factory=list)
    other: str | None = None


def retained_state(module: ModuleType) -> Retained:
    """Return the objects at the module's top level, and in its classes, whose state a rank may change."""
    retained = Retained()
    _examine_namespace(retained, module.__dict__, module.__name__, set())
    return retained


def _examine_namespace(retained: Retained, namespace: Any, module: str, seen: set[int]) -> None:
    for name, value in list(namespace.items()):
        if name.startswith("__") and name.endswith("__"):
            continue
        if issubclass(type(value), type):
            if value.__module__ == module and id(value) not in seen:
                seen.add(id(value))
                _examine_namespace(retained, value.__dict__, module, seen)
        elif not _is_harmless(retained, value, module, seen) and retained.other is None:
            kind = type(value)
            retained.other = f"{name}, of the type {_module_of(kind)}.{kind.__qualname__}"


def _is_harmless(retained: Retained, value: Any, module: str, seen: set[int]) -> bool:
    kind = type(value)  # not value.__class__, because the code of a lazy module would run
    if kind in _CONSTANTS or id(value) in seen or issubclass(kind, type | ModuleType):
        return True
    seen.add(id(value))
    if kind in _CONTAINERS:
        return _is_small_container(retained, value, module, seen)
    if kind in {tuple, frozenset} or (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return all(_is_harmless(retained, each, module, seen) for each in value)
    if issubclass(kind, staticmethod | classmethod):
        return _is_harmless(retained, value.__func__, module, seen)
    if kind is FunctionType:
        return value.__module__ != module or _is_harmless_function(retained, value, module, seen)
    if kind is functools.partial:
        return _is_harmless(retained, (value.func, value.args, *value.keywords.values()), module, seen)
    if kind is _CACHE:
        return bool(value.__module__ != module) or SHARED in value.__dict__
    return _describes_constant(value)


def _is_small_container(retained: Retained, value: Container, module: str, seen: set[int]) -> bool:
    if len(value) > _LARGEST:
        return False
    retained.containers.append(value)
    elements = value.values() if isinstance(value, dict) else value
    return all(_is_harmless(retained, each, module, seen) for each in list(elements))


def _is_harmless_function(retained: Retained, function: FunctionType, module: str, seen: set[int]) -> bool:
    """Return whether the function holds no hidden state in its default arguments or in variables of enclosing
    functions.

    A decorator's cache is an example of hidden state in a variable of an enclosing function.
    """
    values = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for cell in function.__closure__ or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:  # not assigned yet
            continue
    return all(_is_harmless(retained, each, module, seen) for each in values)


def _module_of(kind: type) -> str:
    """Return the name of the module that defines a class, or "" if its ``__module__`` is not a string (as for Cython's
    functions)."""
    module: object = kind.__module__
    return module if isinstance(module, str) else ""


def _describes_constant(value: Any) -> bool:
    """Return whether an object counts as harmless: a constant, a predefined MPI handle, or a wrapper of a function."""
    kind = type(value)
    package = _module_of(kind).partition(".")[0]
    if issubclass(kind, int | GenericAlias):
        return True
    if package == "mpi4py":
        mpi = sys.modules["mpi4py.MPI"]
        predefined = (mpi.COMM_WORLD, mpi.COMM_SELF, mpi.GROUP_EMPTY, mpi.ERRORS_RETURN, mpi.ERRORS_ARE_FATAL)
        return bool(getattr(value, "is_predefined", not value)) or value in predefined
    if package == "numpy":
        is_scalar = any(base.__name__ == "generic" for base in kind.__mro__)
        return is_scalar or kind.__name__ in {"dtype", "ufunc"} or kind.__name__.endswith("DType")
    if package in _HARMLESS_FROM or package == "builtins":
        return kind not in {bytearray, SimpleNamespace}
    if any(base.__module__ == "enum" for base in kind.__mro__):
        return True
    return any(inspect.getattr_static(value, name, None) is not None for name in ("__wrapped__", "__get__", "py_func"))
