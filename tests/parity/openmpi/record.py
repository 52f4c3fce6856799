"""Record the messages of Open MPI's collectives, or an MPI library's reductions: trees, bits, results of elements.

Usage: record.py messages|trees|bits|trees-on-cliques|schedules|schedules-between-nodes OUTPUT.jsonl.xz [RANKS...]
       record.py messages-on-nodes|trees-on-nodes OUTPUT.jsonl.xz [LAYOUT...]
       record.py elements OUTPUT.jsonl.xz 1
       record.py programs OUTPUT.jsonl.xz [RANKS...]
       record.py segmented OUTPUT.jsonl.xz

Runs itself by the mpiexec that stands beside the interpreter, once for each number of ranks, or each layout of ranks
on nodes. Messages are read from Open MPI's component pml/monitoring through the MPI tool interface: each rank reads
what it has sent to each other rank before and after a call. Schedules are those of MPICH's nonblocking collectives
(`mpich_schedules`).
"""

import ctypes
import functools
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import openmpi_cases
from openmpi_cases import LAYOUTS, RANKS, Case

OPTIONS = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
MONITORING = ["--mca", "pml_monitoring_enable", "1", "--mca", "mpi_yield_when_idle", "1"]
HERE = pathlib.Path(__file__).parent
FLAT = "MPIR_CVAR_NOLOCAL"  # lets MPICH treat each rank as if it had a node of its own
FORCED = ["--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_reduce_algorithm"]
CLASS_SIZE = 2  # Open MPI's MPI_T_PVAR_CLASS_SIZE
PARTS = {"messages-on-nodes": LAYOUTS, "trees-on-nodes": LAYOUTS, "programs": ("2", "3", "4", "5", "8")}
"""Layouts or numbers of ranks that are recorded, if not those of `RANKS`."""


class Sent:
    """Counters of this rank's messages to each other rank: MPI_T variables of Open MPI."""

    def __init__(self, world: Any) -> None:
        from mpi4py import MPI

        self._library = ctypes.CDLL("libmpi.so.40")  # loaded already
        self._world = ctypes.c_void_p.from_address(MPI._addressof(world))
        self._session, self._handles, self._size = ctypes.c_void_p(), [], world.size
        provided = ctypes.c_int()
        self._call("MPI_T_init_thread", 0, ctypes.byref(provided))
        self._call("MPI_T_pvar_session_create", ctypes.byref(self._session))
        for name in (b"pml_monitoring_messages_count", b"pml_monitoring_messages_size"):
            self._handles.append(self._start(name))

    def _call(self, function: str, *arguments: Any) -> None:
        error = getattr(self._library, function)(*arguments)
        if error != 0:
            raise RuntimeError(f"{function} failed with error {error}")

    def _start(self, name: bytes) -> ctypes.c_void_p:
        index, handle, count = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int()
        self._call("MPI_T_pvar_get_index", name, CLASS_SIZE, ctypes.byref(index))
        self._call(
            "MPI_T_pvar_handle_alloc",
            self._session, index, ctypes.byref(self._world), ctypes.byref(handle), ctypes.byref(count),
        )  # fmt: skip
        self._call("MPI_T_pvar_start", self._session, handle)
        return handle

    def read(self) -> list[list[int]]:
        """Return the numbers of messages and of bytes to each rank so far."""
        result = []
        for handle in self._handles:
            values = (ctypes.c_size_t * self._size)()
            self._call("MPI_T_pvar_read", self._session, handle, values)
            result.append(list(values))
        return result


def _messages(case: Case, world: Any, sent: Sent) -> list[list[int]] | None:
    """Carry out a case; return what `_sent_by` returns."""
    from openmpi_calls import Prepared

    prepared = Prepared(case, world)
    messages = _sent_by(prepared.start_and_wait, world, sent)
    prepared.free()
    return messages


def _sent_by(action: Callable[[], None], world: Any, sent: Sent) -> list[list[int]] | None:
    """Carry out an action; return [sender, receiver, messages, bytes] for each pair with messages, at rank 0."""
    before = sent.read()
    action()
    after = sent.read()
    rows = world.gather([(a - b, c - d) for b, a, d, c in zip(before[0], after[0], before[1], after[1], strict=True)])
    if rows is None:
        return None
    return [[i, j, *pair] for i, row in enumerate(rows) for j, pair in enumerate(row) if pair[0]]


def _scheduled(case: Case, world: Any, schedules: Any) -> list[list[int | None]] | None:
    """Carry out a case; return [sender, receiver, messages, bytes or None] for each pair with messages, at rank 0."""
    from openmpi_calls import Prepared

    prepared = Prepared(case, world)
    request, sent = schedules.started(prepared.start)
    request.Wait()
    if case.mode == "persistent":
        request.Free()
    prepared.free()
    rows = world.gather(sent)
    return rows and [[i, to, *row[to]] for i, row in enumerate(rows) for to in sorted(row)]


def _schedule_lines(world: Any) -> list[dict[str, Any]]:
    """Return the lines of all cases for the number of ranks that run, or of those that depend on nodes."""
    from mpich_schedules import Schedules

    schedules, is_flat = Schedules(), FLAT in os.environ
    return [
        case.to_json() | {"sent": _scheduled(case, world, schedules)}
        for case in openmpi_cases.mpich_cases()
        if case.ranks == world.size and (case.call in openmpi_cases.BY_NODES or not is_flat)
    ]


def _element_lines() -> list[dict[str, Any]]:
    """Return the results of all predefined operations on all predefined datatypes.

    Logical operations on floating-point numbers, which MPI does not define, are left out for MPICH 4.
    """
    import openmpi_elements
    from mpi4py import MPI

    is_mpich_4 = MPI.get_vendor()[0] == "MPICH" and MPI.get_vendor()[1][0] == 4
    logical = ("LAND", "LOR", "LXOR")

    def reduced(operands: openmpi_elements.Operands, op: str) -> list[int] | str | None:
        return None if is_mpich_4 and operands.kind in "fc" and op in logical else operands.reduced(op)

    results = openmpi_elements.all_results(reduced)
    return [
        {"type": name} | {op: value for op, value in row.items() if value is not None} for name, row in results.items()
    ]


def _begin_on_nodes(world: Any) -> None:
    """Let coll/han send the messages of each call's first use, by which it makes communicators of nodes."""
    from openmpi_calls import Prepared

    for call in openmpi_cases.BY_NODE * 2:
        prepared = Prepared(Case(call=call, mode="blocking", ranks=world.size, count=1), world)
        prepared.start_and_wait()
        prepared.free()


def _reductions(field: str, cases: list[Case], world: Any) -> list[dict[str, Any]]:
    """Return the lines of reductions with the results in this field: "trees" or "bits"."""
    import openmpi_calls

    function = {"trees": openmpi_calls.trees_of, "bits": openmpi_calls.bits_of}[field]
    chosen = [case for case in cases if field == "trees" or case.commutes]
    return [case.to_json() | {field: function(case, world)} for case in chosen]


def _tree_cases(what: str) -> list[Case]:
    """Return the cases of "trees" and "bits", or of "trees:ALGORITHM:SEGMENT"."""
    _, *algorithm = what.split(":")
    return openmpi_cases.segmented_cases(*map(int, algorithm)) if algorithm else openmpi_cases.tree_cases()


def _lines(what: str, part: str, world: Any) -> list[dict[str, Any]]:
    """Carry out the cases of a number of ranks or of a layout, and return their lines."""
    if what == "elements":
        return _element_lines()
    if what == "programs":
        return _programs(world)
    if what.startswith("schedules"):
        return _schedule_lines(world)
    messages, on_nodes = what.startswith("messages"), part in LAYOUTS
    if on_nodes:
        _begin_on_nodes(world)
        all_cases = openmpi_cases.message_cases_on_nodes() if messages else openmpi_cases.tree_cases_on_nodes()
    else:
        all_cases = openmpi_cases.message_cases() if messages else _tree_cases(what)
    cases = [case for case in all_cases if part == (case.layout or str(case.ranks))]
    if messages:
        sent = Sent(world)
        return [case.to_json() | {"sent": _messages(case, world, sent)} for case in cases]
    return _reductions("bits" if what == "bits" else "trees", cases, world)


def _programs(world: Any) -> list[dict[str, Any]]:
    from openmpi_programs import PROGRAMS

    sent = Sent(world)
    return [
        {"program": run.__name__, "ranks": world.size, "sent": _sent_by(functools.partial(run, world), world, sent)}
        for run in PROGRAMS
    ]


def _record(what: str, part: str, output: pathlib.Path) -> None:
    """Carry out all cases of a number of ranks or of a layout; rank 0 writes their results."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    lines = _lines(what, part, world)
    if world.rank == 0:
        output.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    world.Barrier()
    if part in LAYOUTS:
        os._exit(0)  # without MPI_Finalize, in which Open MPI 5.0.11 fails with its monitoring beside coll/han


def _run(what: str, part: str, folder: pathlib.Path, more_options: Sequence[str] = ()) -> str:
    """Run the cases of a number of ranks or of a layout; return their lines."""
    output = folder / f"{part}.jsonl"
    mpiexec = pathlib.Path(sys.executable).parent / "mpiexec"
    is_openmpi = (mpiexec.parent / "ompi_info").exists()
    options: list[Any] = [*OPTIONS, *MONITORING] if is_openmpi else []
    ranks, nodes = part, []
    if part in LAYOUTS:
        hostfile = folder / f"{part}.hosts"
        hostfile.write_text("".join(f"node{node}\n" for node in part))
        options += ["--hostfile", hostfile, "--map-by", "seq", "--mca", "coll", "^monitoring"]
        ranks, nodes = str(len(part)), [HERE / "on_nodes.sh", str(len(set(part)))]
    elif what == "schedules-between-nodes":
        options += ["-genv", FLAT, "1"]
    elif what == "trees-on-cliques":
        options += ["-genv", "MPIR_CVAR_NUM_CLIQUES", "3", "-genv", "MPIR_CVAR_CLIQUES_BY_BLOCK", "1"]
    subprocess.run(
        [
            *nodes,
            mpiexec,
            *options,
            *more_options,
            "-n",
            ranks,
            sys.executable,
            __file__,
            "--worker",
            what,
            part,
            output,
        ],
        check=not nodes,  # ranks on nodes do not finalise MPI
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    return output.read_text()


def _parts(what: str, parts: Sequence[str], folder: pathlib.Path) -> str:
    """Run the cases of numbers of ranks or of layouts, by default all of them; return their lines."""
    text = ""
    for part in parts or PARTS.get(what, [str(ranks) for ranks in RANKS]):
        text += _run(what, part, folder)
        print(f"{what}: {part} recorded", flush=True)
    return text


def _segmented(folder: pathlib.Path) -> str:
    """Run the reductions that Open MPI 4.0 carries out in segments; return their lines."""
    text = ""
    for (algorithm, segment), (ranks, _) in openmpi_cases.SEGMENTED.items():
        forced = [*FORCED, str(algorithm), "--mca", "coll_tuned_reduce_algorithm_segmentsize", str(segment)]
        text += _run(f"trees:{algorithm}:{segment}", str(ranks), folder, forced)
    return text


def main() -> None:
    """Record all numbers of ranks or layouts into one file, or carry out the cases of one as a rank of mpiexec."""
    if sys.argv[1] == "--worker":
        _record(*sys.argv[2:4], pathlib.Path(sys.argv[4]))
        return
    what, output, *parts = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        recorded = _segmented if what == "segmented" else functools.partial(_parts, what, parts)
        pathlib.Path(output).write_bytes(lzma.compress(recorded(pathlib.Path(folder)).encode()))


if __name__ == "__main__":
    main()
