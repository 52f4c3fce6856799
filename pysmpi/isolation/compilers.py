"""Clocks that compilers of Python functions read.

jax traces and compiles a function on its first call, and refuses a second call of the function in the same thread until
then. All ranks run in one thread. Therefore no other rank may run meanwhile, so reading the clock takes no time here.
"""

import sys
import time
from typing import Any

from pysmpi.isolation.current import rank_of_thread
from pysmpi.isolation.modules import when_loaded
from pysmpi.isolation.patching import Patches
from pysmpi.native import lib

__all__ = ["install"]

_MODULES = ("jax._src.compiler", "jax._src.dispatch", "jax._src.linear_util")


class _TimelessClocks:
    """The module time, whose clocks let no time pass when they are read."""

    @staticmethod
    def time() -> float:
        return time.time() if rank_of_thread() < 0 else float(lib.pysmpi_own_time())

    monotonic = perf_counter = time

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)


def install(patches: Patches) -> None:
    """Let compilers read the clock without a pause."""
    clocks = _TimelessClocks()

    def change(name: str) -> None:
        module = sys.modules[name]
        if getattr(module, "time", None) is time:
            patches.set(module, "time", clocks)

    for name in _MODULES:
        when_loaded(patches, name, lambda name=name: change(name))  # type: ignore[misc]
