"""pdb, and debuggers made of it, in ranks: each has the terminal while it is talked to, and its time stands still then.

What a debugger does costs the rank no time, between two prompts neither. With a chosen rank the breakpoints of all
others are passed over.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from pysmpi.isolation.attention import attended, unmeasured
from pysmpi.isolation.current import running_rank
from pysmpi.isolation.modules import when_loaded
from pysmpi.isolation.patching import Patches

__all__ = ["install"]


def install(patches: Patches, chosen: int | None) -> None:
    """Makes debuggers those of the running rank, once there are any.

    Args:
        patches: what was there before.
        chosen: the rank whose breakpoints count; None: all.
    """
    when_loaded(patches, "bdb", lambda: _change_bdb(patches, chosen))
    when_loaded(patches, "pdb", lambda: _change_pdb(patches))


def _change_bdb(patches: Patches, chosen: int | None) -> None:
    import bdb

    set_trace, dispatch = bdb.Bdb.set_trace, bdb.Bdb.trace_dispatch

    def set_trace_in_rank(self: bdb.Bdb, frame: FrameType | None = None, **named: Any) -> None:
        if chosen is None or running_rank() in {-1, chosen}:
            set_trace(self, frame or sys._getframe().f_back, **named)

    def dispatch_unmeasured(self: bdb.Bdb, frame: FrameType, event: str, arg: Any) -> Any:
        with unmeasured():
            return dispatch(self, frame, event, arg)

    _replace(patches, bdb.Bdb, "set_trace", set_trace_in_rank)
    _replace(patches, bdb.Bdb, "trace_dispatch", dispatch_unmeasured)


def _change_pdb(patches: Patches) -> None:
    import pdb

    interact = pdb.Pdb.interaction

    def interact_attended(self: pdb.Pdb, *arguments: Any, **named: Any) -> Any:
        if running_rank() < 0:
            return interact(self, *arguments, **named)
        with attended():
            return interact(self, *arguments, **named)

    _replace(patches, pdb.Pdb, "interaction", interact_attended)


def _replace(patches: Patches, owner: type, name: str, method: Callable[..., Any]) -> None:
    method.__name__, method.__qualname__ = name, f"{owner.__qualname__}.{name}"
    patches.set(owner, name, method)
