"""Run an unmodified Python MPI program on a supercomputer that is not there.

Two audiences meet here. A program that is simulated may call what `pysmpi.compute` offers, and `Schedule`: each does
the plain thing in a real run. A program that simulates calls `simulate`, or `use` first when it imports mpi4py itself;
`simulate_skeleton` does without programs; `explain` tells where the time of one message goes; `Study` sweeps. Importing
pysmpi never touches MPI.
"""

from typing import TYPE_CHECKING, Any

from pysmpi.compute import (
    FoldedMemoryError,
    Host,
    Sample,
    execute,
    execute_flops,
    folded_empty,
    host,
    is_folded,
    is_simulated,
    partial_shared_malloc,
    pstate,
    sample,
    set_pstate,
    shared_cache,
    shared_free,
    shared_malloc,
    sleep,
    untimed,
)
from pysmpi.errors import PysmpiError
from pysmpi.observe import phase, report

if TYPE_CHECKING:
    from pysmpi.collectives.schedule import Schedule
    from pysmpi.launch.binding import use
    from pysmpi.launch.explanation import explain
    from pysmpi.launch.jobs import simulate_jobs
    from pysmpi.launch.outcome import Result
    from pysmpi.launch.simulate import simulate
    from pysmpi.skeleton import SkeletonResult, simulate_skeleton
    from pysmpi.study import Study
    from pysmpi.study.what_if import WhatIf, what_if

__all__ = [
    "FoldedMemoryError",
    "Host",
    "PysmpiError",
    "Result",
    "Sample",
    "Schedule",
    "SkeletonResult",
    "Study",
    "WhatIf",
    "execute",
    "execute_flops",
    "explain",
    "folded_empty",
    "host",
    "is_folded",
    "is_simulated",
    "partial_shared_malloc",
    "phase",
    "pstate",
    "report",
    "sample",
    "set_pstate",
    "shared_cache",
    "shared_free",
    "shared_malloc",
    "simulate",
    "simulate_jobs",
    "simulate_skeleton",
    "sleep",
    "untimed",
    "use",
    "what_if",
]


def __getattr__(name: str) -> Any:
    """The launcher's part, loaded when it is first asked for: simulated and real programs do without it."""
    if name == "simulate":
        from pysmpi.launch.simulate import simulate

        return simulate
    if name == "simulate_jobs":
        from pysmpi.launch.jobs import simulate_jobs

        return simulate_jobs
    if name == "Schedule":
        from pysmpi.collectives.schedule import Schedule

        return Schedule
    if name == "explain":
        from pysmpi.launch.explanation import explain

        return explain
    if name == "simulate_skeleton":
        from pysmpi.skeleton import simulate_skeleton

        return simulate_skeleton
    if name == "SkeletonResult":
        from pysmpi.skeleton import SkeletonResult

        return SkeletonResult
    if name == "Study":
        from pysmpi.study import Study

        return Study
    if name == "use":
        from pysmpi.launch.binding import use

        return use
    if name == "Result":
        from pysmpi.launch.outcome import Result

        return Result
    if name == "what_if":
        from pysmpi.study.what_if import what_if

        return what_if
    if name == "WhatIf":
        from pysmpi.study.what_if import WhatIf

        return WhatIf
    raise AttributeError(f"module 'pysmpi' has no attribute {name!r}")
