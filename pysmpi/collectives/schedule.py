"""Point-to-point messages that a program hands over at once, instead of one MPI call after the other."""

import math
import operator
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

from pysmpi.collectives.steps import NativeSteps, Step, carry_out_by_calls
from pysmpi.compute import is_simulated
from pysmpi.errors import SimulationError
from pysmpi.native import ffi, lib

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["Schedule"]


class Schedule:
    """Rounds of messages of the calling rank, carried out as often as `run` is called.

    In a simulation the engine goes through them by itself: the rank blocks once, whatever the number of rounds, which
    makes what is run often much faster to simulate. Simulated times are those of the same MPI calls: MPI_Isend (or
    MPI_Issend) for `send`, MPI_Irecv for `receive`, MPI_Waitall (MPI_Wait for a single message) for `wait`, MPI_Iprobe
    until it finds something for `poll`, MPI_Send (or MPI_Ssend) and MPI_Recv for messages that are blocking; `execute`
    is that of pysmpi. The messages match those that other ranks send and receive in whatever way. In a real run `run`
    makes these calls.

    The amounts of steps, bytes or seconds, may depend on *sizes* that are known only when the schedule is run, such as
    a number of columns: `per` says how much each of them adds. One that is made without a communicator holds for any,
    and all ranks may share it (see `shared_cache`); `on` gives it a communicator, and a buffer for its messages.

    Example:
        >>> schedule = pysmpi.Schedule(comm)
        >>> schedule.receive(from_left, source=left)
        >>> schedule.send(to_right, dest=right)
        >>> schedule.wait()
        >>> schedule.run()

    Args:
        comm: an intracommunicator, or None for a schedule that is run only `on` one.
        sizes: how many `run` is to be told.

    Raises:
        SimulationError: it is an intercommunicator.
    """

    __slots__ = ("_buffer", "_comm", "_native", "_sizes", "_steps", "_struct")

    def __init__(self, comm: "MPI.Comm | None" = None, sizes: int = 0) -> None:
        _check_group(comm)
        self._comm = comm
        self._sizes = sizes
        self._buffer: Any = None
        self._steps: list[Step] = []
        self._native: NativeSteps | None = None
        self._struct: Any = None

    def __len__(self) -> int:
        """The number of steps."""
        return len(self._steps)

    def send(
        self, buffer: Any, dest: int, tag: int = 0, *, synchronous: bool = False, blocking: bool = False,
        amount: float | None = None, per: Sequence[float] = (),
    ) -> None:  # fmt: skip
        """A message to a rank of the communicator; `wait`, or the end, waits until the buffer is free again.

        Args:
            buffer: an array or another contiguous buffer; its contents are read when it is run. None: that of `on`.
            dest: a rank, or MPI.PROC_NULL for no message.
            tag: what tells messages to the same rank from each other.
            synchronous: it is complete only when it is being received, whatever its size.
            blocking: the buffer is free again before what comes after this.
            amount: how many of the buffer's first bytes are sent; all of them unless this or `per` says otherwise.
            per: how many bytes each of the sizes that `run` is told adds to that.

        Raises:
            SimulationError: there is no such rank or tag, or the buffer is not contiguous.
        """
        kind = lib.PYSMPI_STEP_SYNCHRONOUS_SEND if synchronous else lib.PYSMPI_STEP_SEND
        kind += blocking * lib.PYSMPI_STEP_BLOCKING
        memory = _memory(buffer, writable=False)
        dest = self._peer("dest", dest, any_allowed=False)
        self._add(Step(kind, dest, _tag(tag, any_allowed=False), memory), amount, per)

    def receive(
        self, buffer: Any, source: int = -2, tag: int = -1, *, blocking: bool = False, amount: float | None = None,
        per: Sequence[float] = (),
    ) -> None:  # fmt: skip
        """A message from a rank of the communicator, of at most the buffer's length; `wait`, or the end, waits for it.

        Args:
            buffer: an array or another contiguous buffer that can be written. None: that of `on`.
            source: a rank, MPI.ANY_SOURCE, or MPI.PROC_NULL for no message.
            tag: that of the message, or MPI.ANY_TAG.
            blocking: the message is there before what comes after this.
            amount: the most bytes that it may have; as many as the buffer unless this or `per` says otherwise.
            per: how many bytes each of the sizes that `run` is told adds to that.

        Raises:
            SimulationError: there is no such rank or tag, or the buffer is not contiguous or read-only.
        """
        memory = _memory(buffer, writable=True)
        source = self._peer("source", source, any_allowed=True)
        kind = lib.PYSMPI_STEP_RECEIVE + blocking * lib.PYSMPI_STEP_BLOCKING
        self._add(Step(kind, source, _tag(tag, any_allowed=True), memory), amount, per)

    def wait(self) -> None:
        """All messages so far are complete before what comes after this."""
        self._add(Step(lib.PYSMPI_STEP_WAIT))

    def poll(self, source: int = -2, tag: int = -1) -> None:
        """Goes on when there is a message to be received, which it leaves there.

        Args:
            source: a rank, MPI.ANY_SOURCE, or MPI.PROC_NULL for going on at once.
            tag: that of the message, or MPI.ANY_TAG.

        Raises:
            SimulationError: there is no such rank or tag.
        """
        source = self._peer("source", source, any_allowed=True)
        self._add(Step(lib.PYSMPI_STEP_POLL, source, _tag(tag, any_allowed=True)))

    def copy(self, source: Any, destination: Any) -> None:
        """Copies bytes from one buffer to another of the same length, which takes no simulated time.

        Raises:
            SimulationError: the lengths differ, a buffer is not contiguous, or the destination is read-only.
        """
        read = _memory(source, writable=False)
        written = _memory(destination, writable=True)
        if read.nbytes != written.nbytes:
            raise SimulationError(f"Schedule.copy: {read.nbytes} bytes do not fit in {written.nbytes}")
        self._add(Step(lib.PYSMPI_STEP_COPY, memory=written, source=read))

    def execute(self, seconds: float, *, per: Sequence[float] = ()) -> None:
        """Computes for so many simulated seconds, as `pysmpi.execute` does; in a real run nothing happens.

        Args:
            seconds: how long; with `per` it may be negative, and a sum of less than zero is none.
            per: how many seconds each of the sizes that `run` is told adds to that.

        Raises:
            SimulationError: the duration is negative, infinite or not a number.
        """
        if not math.isfinite(seconds) or (seconds < 0 and not per):
            raise SimulationError(
                f"Schedule.execute({seconds!r}): the duration must be zero or more seconds, and finite"
            )
        self._add(Step(lib.PYSMPI_STEP_EXECUTE), float(seconds), per)

    def on(self, comm: "MPI.Comm", buffer: Any = None) -> Self:
        """The same steps, those that there are by now, on this communicator.

        Args:
            comm: an intracommunicator of which the peers of all steps are ranks.
            buffer: an array or another contiguous buffer that can be written, for the messages without one of their
                own.

        Raises:
            SimulationError: it is an intercommunicator or too small, or the buffer is not contiguous or read-only.
        """
        _check_group(comm)
        highest = max((step.peer for step in self._steps), default=-1)
        if highest >= comm.size:
            raise SimulationError(f"Schedule.on: there is no rank {highest} in a communicator of {comm.size}")
        if self._native is None:
            self._native = NativeSteps(self._steps, self._sizes)
        other = type(self)(None, self._sizes)
        other._comm, other._steps, other._native = comm, self._native.steps, self._native
        other._buffer = _memory(buffer, writable=True)
        return other

    def run(self, *sizes: float) -> None:
        """Goes through all of it, and waits for what has not been waited for.

        Args:
            sizes: what the amounts of steps depend on.

        Raises:
            MPI.Exception: a message was longer than the buffer that receives it, an amount is negative or more than a
                buffer holds, or no number of seconds, the rank of a message, or of one that is polled for, has failed,
                or the communicator has been freed.
            SimulationError: there are more or fewer sizes than the schedule has, or it has no communicator or buffer.
        """
        Schedule.run_in_turn([self], sizes)

    @staticmethod
    def run_in_turn(schedules: "Sequence[Schedule]", sizes: Iterable[float] = ()) -> None:
        """Runs schedules one after the other; in a simulation the rank blocks once for all.

        Args:
            schedules: any number, the same one as often as one likes.
            sizes: those of the first schedule, those of the second, and so on.

        Raises:
            MPI.Exception, SimulationError: as `run` does.
        """
        numbers = sizes if isinstance(sizes, array) and sizes.typecode == "d" else array("d", sizes)
        structs = [schedule._struct or schedule._prepare() for schedule in schedules]
        needed = sum([schedule._sizes for schedule in schedules])
        if len(numbers) != needed:
            raise SimulationError(f"Schedule.run: {len(numbers)} sizes, where the steps have {needed}")
        if not is_simulated():
            place = 0
            for schedule in schedules:
                own = numbers[place : place + schedule._sizes]
                carry_out_by_calls(schedule._communicator(), schedule._steps, schedule._buffer, own)
                place += schedule._sizes
            return
        # Held here: another thread of the rank may add steps meanwhile.
        _held = [schedule._native for schedule in schedules]
        error = lib.pysmpi_run_schedules(
            len(structs), ffi.new("pysmpi_schedule *[]", structs), ffi.from_buffer("double[]", numbers)
        )
        if error != 0:
            from mpi4py import MPI

            raise MPI.Exception(error)

    def native_steps(self) -> NativeSteps:
        """The steps that there are by now, for the native side.

        Raises:
            SimulationError: they depend on sizes.
        """
        if self._sizes:
            raise SimulationError(f"Schedule: a skeleton's schedules have no sizes, and this one has {self._sizes}")
        if self._native is None:
            self._native = NativeSteps(self._steps, 0)
        return self._native

    def _add(self, step: Step, amount: float | None = None, per: Sequence[float] = ()) -> None:
        if per and len(per) != self._sizes:
            raise SimulationError(f"Schedule: per={per!r} has {len(per)} numbers, and the schedule {self._sizes} sizes")
        if amount is None:
            amount = 0.0 if step.memory is None or per else float(step.memory.nbytes)
        if self._native is not None:  # `on` has shared the steps
            self._steps = list(self._steps)
        self._steps.append(step._replace(amount=amount, per=tuple(per)))
        self._native = self._struct = None

    def _peer(self, what: str, rank: int, *, any_allowed: bool) -> int:
        rank = _whole(what, rank)
        if rank >= 0 and (self._comm is None or rank < self._comm.size):
            return rank
        from mpi4py import MPI

        if rank != MPI.PROC_NULL and not (any_allowed and rank == MPI.ANY_SOURCE):
            size = "any" if self._comm is None else self._comm.size
            raise SimulationError(f"Schedule: {what}={rank} is no rank of a communicator of {size}")
        return rank

    def _communicator(self) -> "MPI.Comm":
        if self._comm is None:
            raise SimulationError("Schedule.run: it has no communicator; `on` gives it one")
        return self._comm

    def _prepare(self) -> Any:
        """Makes the native side's structure."""
        from mpi4py import MPI

        comm = self._communicator()
        if self._native is None:
            self._native = NativeSteps(self._steps, self._sizes)
        steps, buffer = self._native, self._buffer
        if buffer is None and any(step.needs_buffer() for step in self._steps):
            raise SimulationError("Schedule.run: there are messages without a buffer; `on` gives them one")
        # Handles are 32 bits, which Python numbers from 0 on.
        handle = (MPI._handleof(comm) + 0x80000000) % 0x100000000 - 0x80000000
        address, room = (0, 0) if buffer is None else (buffer.address, buffer.nbytes)
        place = ffi.cast("void *", address)
        fields = (len(self._steps), steps.pointer, steps.amounts, self._sizes, handle, place, room)
        self._struct = ffi.new("pysmpi_schedule *", fields)
        return self._struct


def _check_group(comm: "MPI.Comm | None") -> None:
    if comm is not None and comm.Is_inter():
        raise SimulationError("Schedule: messages between the groups of an intercommunicator are not supported")


def _tag(tag: int, *, any_allowed: bool) -> int:
    from mpi4py import MPI

    tag = _whole("tag", tag)
    highest = MPI.COMM_WORLD.Get_attr(MPI.TAG_UB) or 32767  # what MPI guarantees
    if not 0 <= tag <= highest and not (any_allowed and tag == MPI.ANY_TAG):
        raise SimulationError(f"Schedule: tag={tag} is not from 0 to {highest}")
    return tag


def _whole(what: str, number: Any) -> int:
    try:
        return operator.index(number)
    except TypeError:
        raise SimulationError(f"Schedule: {what}={number!r} is not a whole number") from None


def _memory(buffer: Any, *, writable: bool) -> Any:
    """What mpi4py knows of a buffer: its address and bytes. It keeps the buffer alive. None for none."""
    from mpi4py import MPI

    if buffer is None:
        return None
    try:
        return MPI.buffer.frombuffer(buffer, readonly=not writable)
    except (BufferError, ValueError, TypeError) as error:
        raise SimulationError(f"Schedule: {type(buffer).__name__} is no contiguous buffer: {error}") from None
