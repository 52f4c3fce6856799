"""Steps of a schedule (messages, waits, copies, computations): native arrays, and execution by MPI calls."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pysmpi.native import ffi, lib
from pysmpi.simulation.compute import execute

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["ANY_SOURCE", "ANY_TAG", "PROC_NULL", "NativeSteps", "Step", "carry_out_by_calls"]

# Values in steps, which are those of mpi.h. mpi4py may be built for an ABI with other ones.
ANY_SOURCE, ANY_TAG, PROC_NULL = -2, -1, -1

_BYTE = 0x4C00010D  # MPI_BYTE in MPICH's ABI


class Step(NamedTuple):
    """One step of a schedule: a message, wait, poll, look, copy or computation.

    Its bytes or seconds are `amount`, plus each size that is passed to `Schedule.run` times the corresponding number in
    `per`.
    """

    kind: int
    peer: int = PROC_NULL
    tag: int = 0
    memory: Any = None  # buffer of a message, or destination of a copy, as mpi4py describes it
    source: Any = None  # source of a copy
    amount: float = 0.0
    per: tuple[float, ...] = ()

    def needs_buffer(self) -> bool:
        """Return whether the step is a message without its own buffer, which uses the buffer of the schedule."""
        return self.memory is None and self.kind % lib.PYSMPI_STEP_BLOCKING in (
            lib.PYSMPI_STEP_SEND, lib.PYSMPI_STEP_SYNCHRONOUS_SEND, lib.PYSMPI_STEP_RECEIVE,
        )  # fmt: skip


class NativeSteps:
    """Steps of a schedule (`pointer`) and their bytes or seconds (`amounts`) as native arrays, and a copy of the Python
    steps."""

    __slots__ = ("amounts", "pointer", "steps")

    def __init__(self, steps: Sequence[Step], sizes: int) -> None:
        self.steps = list(steps)
        none = (0.0,) * sizes
        self.amounts = ffi.new("double[]", [number for step in steps for number in (step.amount, *(step.per or none))])
        self.pointer = ffi.new("pysmpi_step[]", [
            (step.kind, step.peer, step.tag, _BYTE, *_place(step.memory), *_place(step.source)[:1],
             0 if step.memory is None else step.memory.nbytes)
            for step in steps
        ])  # fmt: skip


def _place(memory: Any) -> tuple[Any]:
    return (ffi.NULL if memory is None else ffi.cast("void *", memory.address),)


def carry_out_by_calls(comm: "MPI.Comm", steps: Sequence[Step], buffer: Any, sizes: Sequence[float]) -> bool:
    """Execute the steps by MPI calls, up to a step `look` that finds a message; return whether there was one.

    Raises:
        MPI.Exception: an amount is negative or larger than its buffer, or a call has failed.
    """
    from mpi4py import MPI

    round_: list[Any] = []
    found = False
    of_mpi4py = {ANY_SOURCE: MPI.ANY_SOURCE, PROC_NULL: MPI.PROC_NULL}
    for kind, place, label, own, source, fixed, per in steps:
        peer = of_mpi4py.get(place, place)
        tag = MPI.ANY_TAG if label == ANY_TAG else label
        amount = fixed + sum(each * size for each, size in zip(per, sizes, strict=True)) if per else fixed
        memory = buffer if own is None else own
        if kind == lib.PYSMPI_STEP_EXECUTE:
            execute(max(amount, 0.0))
        elif kind == lib.PYSMPI_STEP_WAIT:
            MPI.Request.Waitall(round_)
            round_.clear()
        elif kind == lib.PYSMPI_STEP_POLL:
            while not comm.Iprobe(peer, tag):
                pass
        elif kind == lib.PYSMPI_STEP_LOOK:
            found = comm.Iprobe(peer, tag)
            if found:
                break
        elif not 0 <= amount <= memory.nbytes:
            raise MPI.Exception(MPI.ERR_COUNT)
        elif kind == lib.PYSMPI_STEP_COPY:
            memory[: int(amount)] = source[: int(amount)]
        else:
            post = (
                comm.Isend if kind % lib.PYSMPI_STEP_BLOCKING == lib.PYSMPI_STEP_SEND
                else comm.Issend if kind % lib.PYSMPI_STEP_BLOCKING == lib.PYSMPI_STEP_SYNCHRONOUS_SEND
                else comm.Irecv
            )  # fmt: skip
            request = post([memory, int(amount), MPI.BYTE], peer, tag)
            if kind >= lib.PYSMPI_STEP_BLOCKING:
                request.Wait()
            else:
                round_.append(request)
    MPI.Request.Waitall(round_)
    return found
