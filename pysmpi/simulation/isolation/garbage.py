"""Garbage collection in ranks: a collection visits and finalises only the objects that the running rank has made.

An object belongs to the rank that ran when it was made. Objects that were made outside ranks, or while a shared module
was imported, belong to the main greenlet.
"""

import gc
from collections.abc import Callable
from types import ModuleType
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.isolation.current import Private, running_rank, tracked_for_all
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install"]

_callbacks: Private[list[Callable[..., Any]]] = Private()  # lists of ranks that have read gc.callbacks


def install(patches: Patches, ranks: int) -> None:
    """Give each rank its own objects and settings in the garbage collector, if the interpreter's version allows it.

    Args:
        patches: record of the replaced attributes.
        ranks: number of ranks.
    """
    if not lib.pysmpi_garbage_begin(ranks):
        return
    patches.at_undo(lib.pysmpi_garbage_end)
    get_objects, get_referrers = gc.get_objects, gc.get_referrers

    def get_objects_of_rank(generation: int | None = None) -> list[Any]:
        return _of_rank_and_shared(lambda: get_objects(generation))

    def get_referrers_of_rank(*objects: Any) -> list[Any]:
        found = _of_rank_and_shared(lambda: get_referrers(*objects))
        return [each for each in found if each is not objects]

    class Collector(ModuleType):
        """Class of the module gc during a simulation, in which each rank has its own ``gc.callbacks``."""

        @property
        def callbacks(self) -> list[Any]:
            """Functions that the collector calls before and after a collection for the running rank.

            Each rank has its own list, at first a copy of the list outside ranks.
            """
            shared: list[Any] = vars(gc)["callbacks"]
            if running_rank(depends=False) < 0:
                return shared
            own = _callbacks.of_running(lambda: list(shared))
            lib.pysmpi_garbage_callbacks(ffi.cast("void *", id(own)))
            return own

        @callbacks.setter
        def callbacks(self, functions: list[Any]) -> None:
            if running_rank(depends=False) < 0:
                vars(gc)["callbacks"] = functions
            else:
                _callbacks[running_rank(depends=False)] = functions
                lib.pysmpi_garbage_callbacks(ffi.cast("void *", id(functions)))

    patches.set_class(gc, Collector)
    patches.set(gc, "get_objects", get_objects_of_rank)
    patches.set(gc, "get_referrers", get_referrers_of_rank)


def _of_rank_and_shared(find: Callable[[], list[Any]]) -> list[Any]:
    found = find()
    if running_rank(depends=False) >= 0:
        with tracked_for_all():
            found += find()
    return found
