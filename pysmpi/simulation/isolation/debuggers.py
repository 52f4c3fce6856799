"""Debugging of ranks with pdb and debuggers derived from it: the debugger uses the terminal directly.

Neither the user's input nor the debugger's own work takes simulated time. If one rank is chosen for debugging,
breakpoints in all other ranks are ignored.
"""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from pysmpi.simulation.isolation.attention import attended, unmeasured
from pysmpi.simulation.isolation.current import running_rank
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install"]


def install(patches: Patches, chosen: int | None) -> None:
    """Adapt debuggers to ranks as soon as their modules are loaded.

    Args:
        patches: record of the replaced attributes.
        chosen: the only rank whose breakpoints have an effect, or None for all ranks.
    """
    when_loaded(patches, "bdb", lambda: _change_bdb(patches, chosen))
    when_loaded(patches, "pdb", lambda: _change_pdb(patches))


def _change_bdb(patches: Patches, chosen: int | None) -> None:
    import bdb

    set_trace, dispatch = bdb.Bdb.set_trace, bdb.Bdb.trace_dispatch

    def set_trace_in_rank(self: bdb.Bdb, frame: FrameType | None = None, **named: Any) -> None:
        if chosen is None or running_rank(depends=False) in {-1, chosen}:
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
        if running_rank(depends=False) < 0:
            return interact(self, *arguments, **named)
        with attended():
            return interact(self, *arguments, **named)

    _replace(patches, pdb.Pdb, "interaction", interact_attended)


def _replace(patches: Patches, owner: type, name: str, method: Callable[..., Any]) -> None:
    method.__name__, method.__qualname__ = name, f"{owner.__qualname__}.{name}"
    patches.set(owner, name, method)
