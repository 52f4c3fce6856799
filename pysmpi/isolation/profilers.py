"""cProfile in ranks: each profiles itself only, on its own clock.

Profile functions are swapped with ranks natively (pysmpi/native/engine/tracing.hpp). The clock is the simulated one as
the rank would find it if what it has computed since its last MPI call had passed: the time of a call that waits for
others is what it waits, and what other ranks do here meanwhile is nobody's.
"""

from typing import Any

from pysmpi.isolation.current import running_rank
from pysmpi.isolation.modules import when_loaded
from pysmpi.isolation.patching import Patches
from pysmpi.native import lib

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Profilers that ranks make take the rank's clock, unless they are told another."""
    when_loaded(patches, "_lsprof", lambda: _change(patches))


def _change(patches: Patches) -> None:
    import _lsprof

    class Profiler(_lsprof.Profiler):
        """One whose clock is the rank's."""

        def __init__(self, timer: Any = None, *arguments: Any, **named: Any) -> None:
            if timer is None and running_rank() >= 0:
                timer = lib.pysmpi_own_time
            super().__init__(timer, *arguments, **named)

    patches.set(_lsprof, "Profiler", Profiler)
