"""Point-to-point messages that a program hands over at once, instead of one MPI call after the other."""

import operator
from typing import TYPE_CHECKING, Any

from pysmpi.compute import execute, is_simulated
from pysmpi.errors import SimulationError
from pysmpi.native import ffi, lib

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from mpi4py import MPI

__all__ = ["Schedule"]


class Schedule:
    """Rounds of messages of the calling rank, carried out as often as `run` is called.

    In a simulation the engine goes through them by itself: the rank blocks once, whatever the number of rounds, which
    makes what is run often much faster to simulate. Simulated times are those of the same MPI calls: MPI_Isend (or
    MPI_Issend) for `send`, MPI_Irecv for `receive`, MPI_Waitall for `wait`, MPI_Iprobe until it finds something for
    `poll`; `execute` is that of pysmpi. The messages match those that other ranks send and receive in whatever way. In
    a real run `run` makes these calls.

    Each step has an amount: the bytes of a message or copy, the seconds of a computation, and nothing of note for
    `wait` and `poll`. It is that of the buffer, or what `run` is told.

    Example:
        >>> schedule = pysmpi.Schedule(comm)
        >>> schedule.receive(from_left, source=left)
        >>> schedule.send(to_right, dest=right)
        >>> schedule.wait()
        >>> schedule.run()

    Args:
        comm: an intracommunicator.

    Raises:
        SimulationError: it is an intercommunicator.
    """

    def __init__(self, comm: "MPI.Comm") -> None:
        if comm.Is_inter():
            raise SimulationError("Schedule: messages between the groups of an intercommunicator are not supported")
        self._comm = comm
        self._size = comm.size
        self._steps: list[tuple[Any, ...]] = []
        self._native: Any = None

    def __len__(self) -> int:
        """The number of steps."""
        return len(self._steps)

    def send(self, buffer: Any, dest: int, tag: int = 0, *, synchronous: bool = False) -> None:
        """A message to a rank of the communicator; `wait`, or the end, waits until the buffer is free again.

        Args:
            buffer: an array or another contiguous buffer; its contents are read when it is run.
            dest: a rank, or MPI.PROC_NULL for no message.
            tag: what tells messages to the same rank from each other.
            synchronous: it is complete only when it is being received, whatever its size.

        Raises:
            SimulationError: there is no such rank or tag, or the buffer is not contiguous.
        """
        dest = self._peer("dest", dest, any_allowed=False)
        tag = self._tag(tag, any_allowed=False)
        kind = lib.PYSMPI_STEP_SYNCHRONOUS_SEND if synchronous else lib.PYSMPI_STEP_SEND
        self._add(kind, dest, tag, _memory(buffer, writable=False))

    def receive(self, buffer: Any, source: int = -2, tag: int = -1) -> None:
        """A message from a rank of the communicator, of at most the buffer's length; `wait`, or the end, waits for it.

        Args:
            buffer: an array or another contiguous buffer that can be written.
            source: a rank, MPI.ANY_SOURCE, or MPI.PROC_NULL for no message.
            tag: that of the message, or MPI.ANY_TAG.

        Raises:
            SimulationError: there is no such rank or tag, or the buffer is not contiguous or read-only.
        """
        source = self._peer("source", source, any_allowed=True)
        tag = self._tag(tag, any_allowed=True)
        self._add(lib.PYSMPI_STEP_RECEIVE, source, tag, _memory(buffer, writable=True))

    def wait(self) -> None:
        """All messages so far are complete before what comes after this."""
        self._add(lib.PYSMPI_STEP_WAIT, 0, 0)

    def poll(self, source: int = -2, tag: int = -1) -> None:
        """Goes on when there is a message to be received, which it leaves there.

        Args:
            source: a rank, MPI.ANY_SOURCE, or MPI.PROC_NULL for going on at once.
            tag: that of the message, or MPI.ANY_TAG.

        Raises:
            SimulationError: there is no such rank or tag.
        """
        source = self._peer("source", source, any_allowed=True)
        tag = self._tag(tag, any_allowed=True)
        self._add(lib.PYSMPI_STEP_POLL, source, tag)

    def copy(self, source: Any, destination: Any) -> None:
        """Copies bytes from one buffer to another of the same length, which takes no simulated time.

        Raises:
            SimulationError: the lengths differ, a buffer is not contiguous, or the destination is read-only.
        """
        read = _memory(source, writable=False)
        written = _memory(destination, writable=True)
        if read.nbytes != written.nbytes:
            raise SimulationError(f"Schedule.copy: {read.nbytes} bytes do not fit in {written.nbytes}")
        self._add(lib.PYSMPI_STEP_COPY, 0, 0, written, read)

    def execute(self, seconds: float) -> None:
        """Computes for so many simulated seconds, as `pysmpi.execute` does; in a real run nothing happens.

        Raises:
            SimulationError: the duration is negative or not a number.
        """
        if not seconds >= 0:
            raise SimulationError(f"Schedule.execute({seconds!r}): the duration must be zero or more seconds")
        self._add(lib.PYSMPI_STEP_EXECUTE, 0, 0, amount=float(seconds))

    def run(self, amounts: "npt.NDArray[np.float64] | None" = None) -> None:
        """Goes through all of it, and waits for what has not been waited for.

        Args:
            amounts: other amounts for this run, one number a step in the order in which they were added: bytes, of
                which a buffer's first ones are meant, or seconds. With several rows the schedule is carried out once a
                row, without a wait between them.

        Raises:
            MPI.Exception: a message was longer than the buffer that receives it, an amount is negative or more than a
                buffer holds, the message's rank has failed, or the communicator has been freed.
            SimulationError: a row of `amounts` has not one number a step.
        """
        if amounts is not None and (amounts.shape[-1] != len(self._steps) or amounts.ndim > 2):
            raise SimulationError(f"Schedule.run: amounts of shape {amounts.shape} for {len(self._steps)} steps")
        if is_simulated():
            self._run_natively(amounts)
        else:
            self._run_by_calls(amounts)

    def _add(
        self, kind: int, peer: int, tag: int, memory: Any = None, other: Any = None, amount: float | None = None
    ) -> None:
        if amount is None:
            amount = 0.0 if memory is None else float(memory.nbytes)
        self._steps.append((kind, peer, tag, memory, other, amount))
        self._native = None

    def _peer(self, what: str, rank: int, *, any_allowed: bool) -> int:
        rank = _whole(what, rank)
        if 0 <= rank < self._size:
            return rank
        from mpi4py import MPI

        if rank != MPI.PROC_NULL and not (any_allowed and rank == MPI.ANY_SOURCE):
            raise SimulationError(f"Schedule: {what}={rank} is no rank of a communicator of {self._size}")
        return rank

    def _tag(self, tag: int, *, any_allowed: bool) -> int:
        from mpi4py import MPI

        tag = _whole("tag", tag)
        highest = self._comm.Get_attr(MPI.TAG_UB) or 32767  # what MPI guarantees
        if not 0 <= tag <= highest and not (any_allowed and tag == MPI.ANY_TAG):
            raise SimulationError(f"Schedule: tag={tag} is not from 0 to {highest}")
        return tag

    def _run_natively(self, amounts: "npt.NDArray[np.float64] | None") -> None:
        from mpi4py import MPI

        if self._native is None:
            self._native = _Native(self._steps, MPI._handleof(MPI.BYTE))
        native = self._native  # kept here: another thread of the rank may add a step meanwhile
        if amounts is None:
            amounts = native.amounts
        elif not amounts.flags.c_contiguous or amounts.dtype.char != "d":
            amounts = amounts.astype(float, order="C")
        repetitions = len(amounts) if amounts.ndim == 2 else 1
        # Handles are 32 bits, which Python numbers from 0 on.
        handle = (MPI._handleof(self._comm) + 0x80000000) % 0x100000000 - 0x80000000
        error = lib.pysmpi_run_steps(
            handle, native.number, native.pointer, repetitions, ffi.from_buffer("double *", amounts)
        )
        if error != MPI.SUCCESS:
            raise MPI.Exception(error)

    def _run_by_calls(self, amounts: "npt.NDArray[np.float64] | None") -> None:
        from mpi4py import MPI

        amount_rows = [[step[-1] for step in self._steps]] if amounts is None else amounts.reshape(-1, len(self._steps))
        round_: list[Any] = []
        for row in amount_rows:
            for (kind, peer, tag, memory, other, _), amount in zip(self._steps, row, strict=True):
                if memory is not None and not 0 <= amount <= memory.nbytes:
                    raise MPI.Exception(MPI.ERR_COUNT)
                bytes_ = int(amount)
                if kind == lib.PYSMPI_STEP_SEND:
                    round_.append(self._comm.Isend([memory, bytes_, MPI.BYTE], peer, tag))
                elif kind == lib.PYSMPI_STEP_SYNCHRONOUS_SEND:
                    round_.append(self._comm.Issend([memory, bytes_, MPI.BYTE], peer, tag))
                elif kind == lib.PYSMPI_STEP_RECEIVE:
                    round_.append(self._comm.Irecv([memory, bytes_, MPI.BYTE], peer, tag))
                elif kind == lib.PYSMPI_STEP_COPY:
                    memory[:bytes_] = other[:bytes_]
                elif kind == lib.PYSMPI_STEP_WAIT:
                    MPI.Request.Waitall(round_)
                    round_.clear()
                elif kind == lib.PYSMPI_STEP_EXECUTE:
                    execute(amount)
                else:
                    while not self._comm.Iprobe(peer, tag):
                        pass
        MPI.Request.Waitall(round_)


def _whole(what: str, number: Any) -> int:
    try:
        return operator.index(number)
    except TypeError:
        raise SimulationError(f"Schedule: {what}={number!r} is not a whole number") from None


def _memory(buffer: Any, *, writable: bool) -> Any:
    """What mpi4py knows of a buffer: its address and bytes. It keeps the buffer alive."""
    from mpi4py import MPI

    try:
        return MPI.buffer.frombuffer(buffer, readonly=not writable)
    except (BufferError, ValueError, TypeError) as error:
        raise SimulationError(f"Schedule: {type(buffer).__name__} is no contiguous buffer: {error}") from None


class _Native:
    """The steps as an array of the native side's structure, and their amounts."""

    def __init__(self, steps: list[tuple[Any, ...]], datatype: int) -> None:
        import numpy as np

        fields = [(name, f"i{ffi.sizeof(field.type)}") for name, field in ffi.typeof("pysmpi_step").fields]
        self._memory = np.array(
            [
                (
                    kind,
                    peer,
                    tag,
                    datatype,
                    memory.address if memory is not None else 0,
                    other.address if other is not None else 0,
                    memory.nbytes if memory is not None else 0,
                )
                for kind, peer, tag, memory, other, _ in steps
            ],
            dtype=np.dtype(fields, align=True),
        )
        self.number = len(steps)
        self.pointer = ffi.cast("pysmpi_step *", self._memory.ctypes.data)
        self.amounts = np.array([step[-1] for step in steps])
