"""SimGrid's settings that pysmpi does not have, each with an alternative or the reason why it is not needed.

The names come from SimGrid 3.32 (src/simgrid/sg_config.cpp, src/smpi/internals/smpi_config.cpp) and the configuration
page of its manual up to version 4.1.
"""

__all__ = ["FAMILIES", "FORMER_NAMES", "REASONS", "reason_against"]

_ONE_SOLVER = "rates come from one solver, weighted max-min, as with SimGrid's default"
_NO_TRACES = "pysmpirun --trace FILE writes timelines (FILE.paje: Pajé's), and --trace-ti DIR time-independent traces"
_MEMORY = "Python frees memory that a rank no longer refers to; --verbose shows the peak memory of the run"
_GREENLETS = "ranks are greenlets in one thread"
_FILES_KEPT = "nothing is compiled or copied, so there are no temporary files"
_BARRIER = "pysmpi adds no barriers; the program can call MPI_Barrier"
_ISOLATION = "ranks are always isolated (docs/isolation.md)"
_PLACES = "errors and deadlock reports always name file and line"

REASONS: dict[str, str] = {
    "contexts/factory": _GREENLETS,
    "contexts/guard-size": "own stacks always have a guard; ranks without one are greenlets",
    "contexts/nthreads": _GREENLETS,
    "contexts/parallel-threshold": _GREENLETS,
    "contexts/synchro": _GREENLETS,
    "cpu/solver": _ONE_SOLVER,
    "disk/model": _ONE_SOLVER,
    "disk/solver": _ONE_SOLVER,
    "exception/cutpath": "exceptions of ranks are printed as by Python",
    "host/solver": _ONE_SOLVER,
    "maxmin/concurrency-limit": "any number of flows may cross a link, as with SimGrid's default, -1",
    "path": "files that a platform file includes are looked up in its directory",
    "smpi/barrier-collectives": _BARRIER,
    "smpi/barrier-finalization": _BARRIER,
    "smpi/comp-adjustment-file": "declare the speed of code with pysmpi.execute_flops",
    "smpi/display-allocs": _MEMORY,
    "smpi/display-timing": "the summary at the end of a run shows simulated and wall time, unless --quiet is given",
    "smpi/errors-are-fatal": "the program chooses error handlers: mpi4py.rc.errors, or Comm.Set_errhandler",
    "smpi/finalization-barrier": _BARRIER,
    "smpi/hostfile": "use the command line: --hostfile FILE",
    "smpi/keep-temps": _FILES_KEPT,
    "smpi/list-leaks": _MEMORY,
    "smpi/map": "use the command line: --map",
    "smpi/np": "use the command line: -np N",
    "smpi/papi-events": "hardware counters are not read; computation is measured by the clock, or declared",
    "smpi/pedantic": "pysmpi always checks arguments, mismatched collectives and truncated messages",
    "smpi/privatization": _ISOLATION,
    "smpi/privatize-libs": _ISOLATION,
    "smpi/replay": "use the command line: --replay FILE",
    "smpi/tmpdir": _FILES_KEPT,
    "smpi/trace-call-location": _PLACES,
    "smpi/trace-call-use-absolute-path": _PLACES,
    "tracing": _NO_TRACES,
}

FAMILIES: dict[str, str] = {
    "bmf/": _ONE_SOLVER,
    "debug/": "use pysmpirun --verbose, --pdb and Python's debuggers",
    "model-check/": "pysmpi has no model checker: a run has one order of events, the same each time",
    "ns3/": "network/model:Packets is pysmpi's own model of packets, with settings packets/…",
    "storage/": "SimGrid itself removed storages in 3.27; disks are part of hosts",
    "tracing/": _NO_TRACES,
}


FORMER_NAMES: dict[str, str] = {
    "maxmin/precision": "precision/work-amount",
    "smpi/async-small-thres": "smpi/async-small-thresh",
    "smpi/async_small_thresh": "smpi/async-small-thresh",
    "smpi/bw_factor": "smpi/bw-factor",
    "smpi/cpu_threshold": "smpi/cpu-threshold",
    "smpi/lat_factor": "smpi/lat-factor",
    "smpi/loopback-lat_factor": "smpi/loopback-lat-factor",
    "smpi/loopback_bw_factor": "smpi/loopback-bw-factor",
    "smpi/privatize-global-variables": "smpi/privatization",
    "smpi/running-power": "smpi/host-speed",
    "smpi/running_power": "smpi/host-speed",
    "smpi/send-is-detached-thres": "smpi/send-is-detached-thresh",
    "smpi/send_is_detached_thresh": "smpi/send-is-detached-thresh",
    "surf/precision": "precision/timing",
}
"""Present names of settings by their names in earlier versions of SimGrid. Only platform files may use former names;
elsewhere the error tells the present one. `surf/precision` and `maxmin/precision` are still names of SimGrid 3.32."""


def reason_against(name: str) -> str | None:
    """Return why pysmpi does not have a setting of SimGrid and what to do instead, or None for other names."""
    if name in REASONS:
        return REASONS[name]
    if name in FORMER_NAMES:
        present = FORMER_NAMES[name]
        return REASONS.get(present, f"later versions of SimGrid call it {present}; use that name")
    return next((reason for family, reason in FAMILIES.items() if name.startswith(family)), None)
