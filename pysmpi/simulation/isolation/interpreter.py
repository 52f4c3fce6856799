"""Interpreter state of each rank: ``sys.argv``, ``sys.path``, warning filters, and assignments.

Assignments that a rank makes in the modules ``sys``, ``warnings`` and ``logging`` and in ``sys.modules`` hold for that
rank only. So do attributes that it sets on other modules and on classes, if all ranks share them.
"""

import logging
import sys
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation.current import Private, isolate_entry, running_rank
from pysmpi.simulation.isolation.patching import Patches
from pysmpi.simulation.isolation.search_lists import of_ranks, shared

__all__ = ["install", "isolate_assignments", "isolate_contents"]

_arguments: Private[list[str]] = Private()  # sys.argv of ranks that have read it


def install(patches: Patches, arguments: Callable[[int], list[str]], search_path: Callable[[int], list[str]]) -> None:
    """Give each rank its own interpreter state.

    Args:
        patches: record of the replaced attributes.
        arguments: function that returns a rank's command line.
        search_path: function that returns the first entries of a rank's ``sys.path``.
    """
    _install_lists(patches, arguments, search_path)
    _install_warnings(patches)
    for dictionary in (vars(sys), vars(warnings), vars(logging), sys.modules):
        isolate_assignments(dictionary)
    lib.pysmpi_isolate_attributes()


def isolate_assignments(dictionary: dict[str, Any]) -> None:
    """Make later assignments to keys of the dictionary private to the rank that makes them."""
    lib.pysmpi_isolate_dictionary(ffi.cast("void *", id(dictionary)))


def isolate_contents(container: dict[Any, Any] | list[Any] | set[Any]) -> None:
    """Make later changes of the container hold only for the rank that makes them."""
    lib.pysmpi_isolate_contents(ffi.cast("void *", id(container)))


def _install_lists(
    patches: Patches, arguments: Callable[[int], list[str]], search_path: Callable[[int], list[str]]
) -> None:
    """Give each rank its own ``sys.argv``, ``sys.path``, ``sys.meta_path`` and ``sys.path_hooks``.

    A rank gets a list when it first reads it, so that ranks that do not read it cost nothing.
    """
    namespace = vars(sys)

    def list_of_rank(name: str, own: Private[list[Any]], make: Callable[[int], list[Any]]) -> property:
        def get(_module: ModuleType) -> list[Any]:
            rank = running_rank(depends=False)
            if rank >= 0 and rank not in own:
                own[rank] = make(rank)
                isolate_entry(rank, namespace, name, own[rank])
            found: list[Any] = namespace[name]
            return found

        def set_(_module: ModuleType, value: Any) -> None:
            rank = running_rank()
            if rank >= 0:
                own[rank] = value
            namespace[name] = value

        def delete(_module: ModuleType) -> None:
            del namespace[name]

        return property(get, set_, delete)

    shared.update({name: namespace[name] for name in of_ranks})

    def own_copy(name: str) -> property:
        return list_of_rank(name, of_ranks[name], lambda rank: list(namespace[name]))

    class System(ModuleType):
        """Class of the module sys during a simulation, in which each rank has its own argv and search lists."""

        def __new__(cls, name: str, documentation: str | None = None) -> Any:
            """Return a plain module, because importlib calls the class of sys to create modules."""
            return ModuleType(name, documentation)

        argv = list_of_rank("argv", _arguments, lambda rank: list(arguments(rank)))
        path = list_of_rank("path", of_ranks["path"], lambda rank: [*search_path(rank), *shared["path"]])
        meta_path = own_copy("meta_path")
        path_hooks = own_copy("path_hooks")

    patches.set_class(sys, System)


def _install_warnings(patches: Patches) -> None:
    """Give a rank its own list of warning filters when it first changes them.

    A copy is assigned to ``warnings.filters``; this assignment holds for the running rank only.
    """
    shared = warnings.filters

    def owning(function: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: Any, **named: Any) -> None:
            if running_rank(depends=False) >= 0 and warnings.filters is shared:
                warnings.filters = list(shared)
            function(*arguments, **named)

        return call

    for name in ("_add_filter", "resetwarnings"):
        if name in vars(warnings):
            patches.set(warnings, name, owning(getattr(warnings, name)))
