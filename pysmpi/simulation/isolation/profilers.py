"""cProfile in ranks: each rank profiles only itself, on its own clock.

Profile functions are swapped with ranks natively (pysmpi/native/engine/tracing.hpp). The clock is the simulated time
plus the rank's computation since its last MPI call. The time of a blocking call is therefore the rank's simulated
wait; other ranks' run time on this machine does not count.
"""

from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation.current import running_rank
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Make profilers that ranks create use the rank's clock, unless they are given another one."""
    when_loaded(patches, "_lsprof", lambda: _change(patches))


def _change(patches: Patches) -> None:
    import _lsprof

    class Profiler(_lsprof.Profiler):
        """Profiler that uses the rank's clock by default."""

        def __init__(self, timer: Any = None, *arguments: Any, **named: Any) -> None:
            if timer is None and running_rank(depends=False) >= 0:
                timer = lib.pysmpi_own_time
            super().__init__(timer, *arguments, **named)

    patches.set(_lsprof, "Profiler", Profiler)
