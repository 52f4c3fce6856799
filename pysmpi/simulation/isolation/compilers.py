"""Clocks for jax and numba while they compile Python functions.

jax and numba compile a function at its first call, and use a lock or a check to keep other threads out meanwhile. All
ranks run in one thread, so no other rank may run before the compilation ends. But compilers read clocks, and reading a
clock usually takes simulated time and lets other ranks run. The clocks of this module do neither.
"""

import sys
import time
from types import ModuleType
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation.current import rank_of_thread
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install"]

# Modules that read a clock while they compile, and the names of the clock in these modules.
_READERS = {
    "jax._src.compiler": "time",
    "jax._src.dispatch": "time",
    "jax._src.linear_util": "time",
    "numba.core.compiler_machinery": "timeit",
    "numba.core.event": "timer",
}


def _read() -> float:
    return time.perf_counter() if rank_of_thread() < 0 else float(lib.pysmpi_own_time())


class _TimelessClocks:
    """Replacement of a module such as time, with clocks that can be read without simulated time passing."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    time = monotonic = perf_counter = default_timer = staticmethod(_read)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def install(patches: Patches) -> None:
    """Let jax and numba read clocks without simulated time passing."""

    def replace(module: str, name: str) -> None:
        clock = getattr(sys.modules[module], name, None)
        if clock is not None:
            timeless = _TimelessClocks(clock) if isinstance(clock, ModuleType) else _read
            patches.set(sys.modules[module], name, timeless)

    for module, name in _READERS.items():
        when_loaded(patches, module, lambda module=module, name=name: replace(module, name))  # type: ignore[misc]
