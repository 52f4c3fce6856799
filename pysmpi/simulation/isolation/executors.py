"""Thread pools that a shared module keeps, so that all ranks reach them: each rank has its own worker threads.

A package that keeps a pool in a global variable (dask does) creates it when a rank first needs it. If ranks were
processes, each rank would have created its own pool. Here, the pool exists once. For each other rank that uses it, a
twin of the pool runs the tasks of this rank, in threads of this rank.

Example: rank 0 has created the pool. If rank 1 calls ``pool.submit(f)``, a twin of the pool starts a thread of rank 1,
which calls `f`. At the end of rank 0, the pool shuts down, and the twin of rank 1 continues to work.
"""

import functools
import sys
import weakref
from typing import Any

from pysmpi.simulation.isolation.current import Private, running_rank
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches

__all__ = ["install"]

_twins: Private["weakref.WeakKeyDictionary[Any, Any]"] = Private()  # twins by the pool that another rank has created


def install(patches: Patches) -> None:
    """Give each rank its own workers in every ``concurrent.futures.ThreadPoolExecutor``."""
    when_loaded(patches, "concurrent.futures.thread", lambda: _install_twins(patches))


def _install_twins(patches: Patches) -> None:
    module: Any = sys.modules["concurrent.futures.thread"]
    kind = module.ThreadPoolExecutor
    init, submit, shutdown = kind.__init__, kind.submit, kind.shutdown
    simulation = object()

    @functools.wraps(init)
    def init_in_rank(self: Any, *arguments: Any, **named: Any) -> None:
        init(self, *arguments, **named)
        self._pysmpi_made = (simulation, running_rank()), arguments, named

    def of_running_rank(pool: Any) -> Any:
        rank = running_rank()
        made = getattr(pool, "_pysmpi_made", None)
        if rank < 0 or made is None or made[0] == (simulation, rank):
            return pool
        twins = _twins.of_running(weakref.WeakKeyDictionary)
        twin = twins.get(pool)
        if twin is None:
            twin = twins[pool] = object.__new__(type(pool))
            vars(twin).update(vars(pool))  # attributes of a derived class, on which its methods may rely
            init_in_rank(twin, *made[1], **made[2])
        return twin

    @functools.wraps(submit)
    def submit_in_rank(self: Any, /, *arguments: Any, **named: Any) -> Any:
        return submit(of_running_rank(self), *arguments, **named)

    @functools.wraps(shutdown)
    def shutdown_in_rank(self: Any, *arguments: Any, **named: Any) -> None:
        shutdown(of_running_rank(self), *arguments, **named)

    for name, replaced in (("__init__", init_in_rank), ("submit", submit_in_rank), ("shutdown", shutdown_in_rank)):
        patches.set(kind, name, replaced)

    def forget_workers() -> None:
        # The pools may outlive the simulation. At exit, the interpreter would try to join their threads, which are
        # greenlets.
        for thread in list(module._threads_queues):
            if hasattr(thread, "_pysmpi_joining"):
                del module._threads_queues[thread]

    patches.at_undo(forget_workers)
