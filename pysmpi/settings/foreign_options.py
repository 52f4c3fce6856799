"""SimGrid's settings that pysmpi does not have, each with what to do instead, or why it has no meaning here.

From SimGrid 3.32 (src/simgrid/sg_config.cpp, src/smpi/internals/smpi_config.cpp) and the configuration page of its
manual up to version 4.1.
"""

__all__ = ["FAMILIES", "REASONS", "reason_against"]

_ONE_SOLVER = "rates come from one solver, weighted max-min, as with SimGrid's default"
_NO_TRACES = "pysmpirun --trace FILE writes timelines (FILE.paje: Pajé's), and --trace-ti DIR time-independent traces"
_MEMORY = "Python frees what a rank no longer refers to; the run's peak memory stands in its summary"
_FILES_KEPT = "nothing is compiled or copied, so there are no temporary files"
_BARRIER = "pysmpi adds no barriers; where one is wanted, the program calls MPI_Barrier"
_ISOLATION = "ranks are always isolated (docs/isolation.md)"
_PLACES = "errors and deadlock reports always name file and line"

REASONS: dict[str, str] = {
    "cpu/solver": _ONE_SOLVER,
    "disk/model": _ONE_SOLVER,
    "disk/solver": _ONE_SOLVER,
    "exception/cutpath": "a rank's exception is shown as Python shows it",
    "host/solver": _ONE_SOLVER,
    "maxmin/concurrency-limit": "any number of flows may cross a link, as with SimGrid's default, -1",
    "maxmin/precision": "later versions of SimGrid call it precision/work-amount: write this",
    "path": "files that a platform file includes are looked for beside it",
    "smpi/barrier-collectives": _BARRIER,
    "smpi/barrier-finalization": _BARRIER,
    "smpi/comp-adjustment-file": "code whose speed is known differently declares it with pysmpi.execute_flops",
    "smpi/display-allocs": _MEMORY,
    "smpi/display-timing": "the summary at a run's end shows simulated and wall time; --quiet leaves it out",
    "smpi/errors-are-fatal": "error handlers are the program's: mpi4py.rc.errors, or Comm.Set_errhandler",
    "smpi/finalization-barrier": _BARRIER,
    "smpi/hostfile": "the command line says it: --hostfile FILE",
    "smpi/keep-temps": _FILES_KEPT,
    "smpi/list-leaks": _MEMORY,
    "smpi/map": "the command line says it: --map",
    "smpi/np": "the command line says it: -np N",
    "smpi/papi-events": "hardware counters are not read; computation is measured by the clock, or declared",
    "smpi/pedantic": "pysmpi checks arguments, mismatched collectives and truncated messages in any case",
    "smpi/privatization": _ISOLATION,
    "smpi/privatize-libs": _ISOLATION,
    "smpi/replay": "the command line says it: --replay FILE",
    "smpi/tmpdir": _FILES_KEPT,
    "smpi/trace-call-location": _PLACES,
    "smpi/trace-call-use-absolute-path": _PLACES,
    "surf/precision": "later versions of SimGrid call it precision/timing: write this",
    "tracing": _NO_TRACES,
}

FAMILIES: dict[str, str] = {
    "bmf/": _ONE_SOLVER,
    "contexts/": "ranks are greenlets, whose stacks grow as they need to, in one thread",
    "debug/": "SimGrid's own debugging; pysmpirun --verbose, and Python's debuggers, serve here",
    "model-check/": "pysmpi has no model checker: a run takes one order of events, and the same one each time",
    "ns3/": "messages are flows or delays (network/model); pysmpi simulates no packets",
    "storage/": "SimGrid itself has none since 3.27; disks are part of hosts",
    "tracing/": _NO_TRACES,
}


def reason_against(name: str) -> str | None:
    """Why pysmpi does not have this setting of SimGrid, and what to do instead; None when SimGrid has no such one."""
    if name in REASONS:
        return REASONS[name]
    return next((reason for family, reason in FAMILIES.items() if name.startswith(family)), None)
