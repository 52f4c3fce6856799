"""Garbage collection in ranks: a collection visits and finalises only the objects that the running rank has made.

An object belongs to the rank that ran when it was made. Objects that were made outside ranks, or while a shared module
was imported, belong to the main greenlet.
"""

import gc
from collections.abc import Callable
from typing import Any

from pysmpi.isolation.current import running_rank, tracked_for_all
from pysmpi.isolation.patching import Patches
from pysmpi.native import lib

__all__ = ["install"]


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
        return _of_rank_and_shared(lambda: get_referrers(*objects))

    patches.set(gc, "get_objects", get_objects_of_rank)
    patches.set(gc, "get_referrers", get_referrers_of_rank)


def _of_rank_and_shared(find: Callable[[], list[Any]]) -> list[Any]:
    found = find()
    if running_rank() >= 0:
        with tracked_for_all():
            found += find()
    return found
