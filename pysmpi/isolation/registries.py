"""Settings that a program makes once in a process: each rank has its own.

These are the start method of ``multiprocessing``, the dialects of ``csv``, the adapters and converters of ``sqlite3``,
and the parameters and colour maps of matplotlib.
"""

import multiprocessing.context
import sys
from collections.abc import Callable, Iterable
from typing import Any

from pysmpi.isolation.current import Private, running_rank
from pysmpi.isolation.interpreter import isolate_contents
from pysmpi.isolation.modules import when_loaded
from pysmpi.isolation.patching import Patches

__all__ = ["install"]

_contexts: Private[Any] = Private()  # multiprocessing's context of the start method that the rank has chosen


def install(patches: Patches) -> None:
    """Give each rank its own settings; a start method is not set at first."""
    shared = vars(multiprocessing.context._default_context)

    def get(_default: Any) -> Any:
        return shared["_actual_context"] if running_rank() < 0 else _contexts.get(running_rank(), None)

    def set_(_default: Any, context: Any) -> None:
        if running_rank() < 0:
            shared["_actual_context"] = context
        else:
            _contexts[running_rank()] = context

    patches.set(multiprocessing.context.DefaultContext, "_actual_context", property(get, set_))
    when_loaded(patches, "csv", lambda: _separate_dialects(patches))
    when_loaded(patches, "sqlite3", lambda: _separate_adapters(patches))
    when_loaded(patches, "matplotlib", lambda: _separate_matplotlib(patches))


def _separate(patches: Patches, owner: Any, methods: Iterable[str], container: Any) -> None:
    """Give a rank its own contents of a dictionary before it calls one of the functions that change it."""

    def isolating(change: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if running_rank() >= 0:  # not earlier, because each isolated container costs time at switches
                isolate_contents(container)
            return change(*arguments, **named)

        return call

    if isinstance(container, dict):
        for name in methods:
            if hasattr(owner, name):
                patches.set(owner, name, isolating(getattr(owner, name)))


def _separate_dialects(patches: Patches) -> None:
    names = ("register_dialect", "unregister_dialect")
    _separate(patches, sys.modules["csv"], names, getattr(sys.modules["_csv"], "_dialects", None))


def _separate_adapters(patches: Patches) -> None:
    sqlite3 = sys.modules["sqlite3"]
    for name, container in (("register_adapter", "adapters"), ("register_converter", "converters")):
        _separate(patches, sqlite3, [name], getattr(sqlite3, container, None))


def _separate_matplotlib(patches: Patches) -> None:
    matplotlib: Any = sys.modules["matplotlib"]
    parameters = getattr(matplotlib, "rcParams", None)
    _separate(patches, type(parameters), ("__setitem__", "_set", "_update_raw"), parameters)
    colour_maps = getattr(matplotlib, "colormaps", None)
    _separate(patches, type(colour_maps), ("register", "unregister"), getattr(colour_maps, "_cmaps", None))
