"""Settings of the standard library that a program makes once in a process: each rank has its own.

These are the start method of ``multiprocessing`` and the dialects of ``csv``.
"""

import multiprocessing.context
import sys
from collections.abc import Callable
from typing import Any

from pysmpi.isolation.current import Private, running_rank
from pysmpi.isolation.interpreter import isolate_contents
from pysmpi.isolation.modules import when_loaded
from pysmpi.isolation.patching import Patches

__all__ = ["install"]

_contexts: Private[Any] = Private()  # multiprocessing's context of the start method that the rank has chosen


def install(patches: Patches) -> None:
    """Give each rank its own start method, which is not set at first, and dialects."""
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


def _separate_dialects(patches: Patches) -> None:
    csv = sys.modules["csv"]
    dialects: Any = getattr(sys.modules["_csv"], "_dialects", None)

    def isolating(change: Callable[..., None]) -> Callable[..., None]:
        def call(*arguments: Any, **named: Any) -> None:
            if running_rank() >= 0:  # not earlier, because each isolated container costs time at switches
                isolate_contents(dialects)
            change(*arguments, **named)

        return call

    for name in ("register_dialect", "unregister_dialect") if dialects is not None else ():
        patches.set(csv, name, isolating(getattr(csv, name)))
