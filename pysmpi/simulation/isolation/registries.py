"""Settings of libraries that exist once per process: each rank has its own.

Standard library: the start method of ``multiprocessing``, the dialects of ``csv``, the adapters and converters of
``sqlite3``, the functions that ``copyreg`` registers for pickling, the prefixes of XML namespaces, and the opener of
URLs. Other packages: the parameters and colour maps of matplotlib, and the markers that pytest knows.
"""

import functools
import multiprocessing.context
import sys
from collections.abc import Callable, Iterable
from typing import Any

from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.interpreter import isolate_assignments, isolate_contents
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install"]

# Modules with a function that changes a dictionary of the module: names of module, function and dictionary.
_REGISTRIES = (
    ("sqlite3", "register_adapter", "adapters"),
    ("sqlite3", "register_converter", "converters"),
    ("copyreg", "pickle", "dispatch_table"),
    ("xml.etree.ElementTree", "register_namespace", "_namespace_map"),
)
_contexts: Private[Any] = Private()  # multiprocessing's context of the start method that the rank has chosen
_sessions: Private[Any] = Private()  # configuration of the pytest session in which the rank runs tests
_markers: Private[set[str]] = Private()  # names of the markers of that session


def install(patches: Patches) -> None:
    """Give each rank its own settings of these libraries.

    At first, no rank has chosen a start method of multiprocessing.
    """
    context: Any = multiprocessing.context
    actual = _own(_contexts, vars(context._default_context), "_actual_context", lambda: None)
    patches.set(context.DefaultContext, "_actual_context", actual)
    when_loaded(patches, "csv", lambda: _separate_dialects(patches))
    for module, function, container in _REGISTRIES:
        when_loaded(patches, module, functools.partial(_separate_registry, patches, module, function, container))
    when_loaded(patches, "urllib.request", lambda: _separate_opener(patches))
    when_loaded(patches, "matplotlib", lambda: _separate_matplotlib(patches))
    when_loaded(patches, "_pytest.mark.structures", lambda: _separate_marks(patches))


def _separate(patches: Patches, owner: Any, methods: Iterable[str], container: Any) -> None:
    """Let a rank get its own contents of the dictionary `container` when it first calls one of `methods`, which change
    it."""

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


def _separate_registry(patches: Patches, module: str, function: str, container: str) -> None:
    _separate(patches, sys.modules[module], [function], getattr(sys.modules[module], container, None))


def _separate_opener(patches: Patches) -> None:
    request: Any = sys.modules["urllib.request"]
    install_opener = request.install_opener

    def install_opener_of_rank(opener: Any) -> None:
        if running_rank() >= 0:
            isolate_assignments(vars(request))
        install_opener(opener)

    patches.set(request, "install_opener", install_opener_of_rank)


def _separate_matplotlib(patches: Patches) -> None:
    matplotlib: Any = sys.modules["matplotlib"]
    parameters = getattr(matplotlib, "rcParams", None)
    _separate(patches, type(parameters), ("__setitem__", "_set", "_update_raw"), parameters)
    colour_maps = getattr(matplotlib, "colormaps", None)
    _separate(patches, type(colour_maps), ("register", "unregister"), getattr(colour_maps, "_cmaps", None))


def _separate_marks(patches: Patches) -> None:
    """Let ``pytest.mark`` know the markers of the running rank's session, if ranks run tests."""
    generator = sys.modules["_pytest.mark.structures"].MARK_GEN
    for name, values, empty in (("_config", _sessions, lambda: None), ("_markers", _markers, set)):
        if name in vars(generator):
            patches.set(type(generator), name, _own(values, vars(generator), name, empty))


def _own(values: Private[Any], shared: dict[str, Any], name: str, empty: Callable[[], Any]) -> property:
    """Return a property that gives each rank its own value of an attribute. The attribute's class must have only one
    instance.

    Args:
        values: the ranks' values.
        shared: the instance's dictionary, with the value outside ranks.
        name: name of the attribute.
        empty: function that makes a rank's first value.
    """

    def get(_instance: Any) -> Any:
        rank = running_rank()
        if rank < 0:
            return shared[name]
        if rank not in values:
            values[rank] = empty()
        return values[rank]

    def set_(_instance: Any, value: Any) -> None:
        if running_rank() < 0:
            shared[name] = value
        else:
            values[running_rank()] = value

    return property(get, set_)
