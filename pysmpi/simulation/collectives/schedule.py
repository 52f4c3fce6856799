"""Schedules: point-to-point messages that a program submits together, instead of one MPI call after the other."""

import math
import operator
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

from pysmpi.errors import SimulationError
from pysmpi.native import ffi, lib
from pysmpi.simulation.collectives.schedule_steps import (
    ANY_SOURCE,
    ANY_TAG,
    PROC_NULL,
    NativeSteps,
    Step,
    carry_out_by_calls,
)
from pysmpi.simulation.compute import is_simulated

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["Schedule"]

_LEAST_HIGHEST_TAG = 32767  # tag that each MPI library allows


class Schedule:
    """Rounds of messages of the calling rank, which each call of `run` executes.

    In a simulation the engine executes the steps itself: the rank blocks once, whatever the number of rounds. Schedules
    that run often are therefore much faster to simulate. Simulated times equal those of these MPI calls:

    - `send`: MPI_Isend, or MPI_Issend if synchronous; MPI_Send or MPI_Ssend if blocking.
    - `receive`: MPI_Irecv, or MPI_Recv if blocking.
    - `wait`: MPI_Waitall, or MPI_Wait for a single message.
    - `poll`: MPI_Iprobe until it finds a message.
    - `look`: MPI_Iprobe once.
    - `execute`: `pysmpi.execute`.

    The messages match any messages of other ranks, whether from schedules or MPI calls. In a real run, `run` makes
    these MPI calls.

    The amounts of steps (bytes or seconds) may depend on *sizes* that are known only when the schedule runs, such as a
    number of columns; `per` gives the increase for each of them. A schedule made without a communicator can be used
    with any communicator, and all ranks may share it (see `shared_cache`). `on` gives it a communicator, and a buffer
    for its messages.

    Example:
        >>> schedule = pysmpi.Schedule(comm)
        >>> schedule.receive(from_left, source=left)
        >>> schedule.send(to_right, dest=right)
        >>> schedule.wait()
        >>> schedule.run()

    Args:
        comm: intracommunicator, or None for a schedule that gets its communicator from `on`.
        sizes: number of sizes that `run` receives (default 0).

    Raises:
        SimulationError: `comm` is an intercommunicator.
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
        """Return the number of steps in the schedule."""
        return len(self._steps)

    def send(
        self, buffer: Any, dest: int, tag: int = 0, *, synchronous: bool = False, blocking: bool = False,
        amount: float | None = None, per: Sequence[float] = (),
    ) -> None:  # fmt: skip
        """Add a message to a rank; the next `wait`, or the end of the schedule, waits until the buffer can be reused.

        Args:
            buffer: array or other contiguous buffer, read when the schedule runs, or None for the buffer of `on`.
            dest: rank in the communicator, or MPI.PROC_NULL for no message.
            tag: message tag (default 0).
            synchronous: whether the message completes only when its receive has begun, whatever its size.
            blocking: whether the buffer can be reused before the next step.
            amount: number of the buffer's first bytes to send; by default all, or 0 if `per` is given.
            per: one number for each size that `run` receives; each size times its number is added to `amount`.

        Raises:
            SimulationError: the rank or tag is invalid, or the buffer is not contiguous.
        """
        kind = lib.PYSMPI_STEP_SYNCHRONOUS_SEND if synchronous else lib.PYSMPI_STEP_SEND
        kind += blocking * lib.PYSMPI_STEP_BLOCKING
        memory = _memory(buffer, writable=False)
        dest = self._peer("dest", dest, any_allowed=False)
        self._add(Step(kind, dest, _tag(tag, any_allowed=False), memory), amount, per)

    def receive(
        self, buffer: Any, source: int | None = None, tag: int = ANY_TAG, *, blocking: bool = False,
        amount: float | None = None, per: Sequence[float] = (),
    ) -> None:  # fmt: skip
        """Add the receive of a message of at most the buffer's size; the next `wait`, or the end of the schedule, waits
        for the message.

        Args:
            buffer: writable array or other contiguous buffer, or None for the buffer of `on`.
            source: rank in the communicator, MPI.ANY_SOURCE (the default), or MPI.PROC_NULL for no message.
            tag: message tag, or MPI.ANY_TAG (the default).
            blocking: whether the message is received before the next step.
            amount: largest number of bytes to receive; by default the whole buffer, or 0 if `per` is given.
            per: one number for each size that `run` receives; each size times its number is added to `amount`.

        Raises:
            SimulationError: the rank or tag is invalid, or the buffer is read-only or not contiguous.
        """
        memory = _memory(buffer, writable=True)
        peer = ANY_SOURCE if source is None else self._peer("source", source, any_allowed=True)
        kind = lib.PYSMPI_STEP_RECEIVE + blocking * lib.PYSMPI_STEP_BLOCKING
        self._add(Step(kind, peer, _tag(tag, any_allowed=True), memory), amount, per)

    def wait(self) -> None:
        """Add a step that waits until all earlier messages are complete."""
        self._add(Step(lib.PYSMPI_STEP_WAIT))

    def poll(self, source: int | None = None, tag: int = ANY_TAG) -> None:
        """Add a step that waits until a message can be received, without receiving it.

        Args:
            source: rank in the communicator, MPI.ANY_SOURCE (the default), or MPI.PROC_NULL to continue at once.
            tag: message tag, or MPI.ANY_TAG.

        Raises:
            SimulationError: the rank or tag is invalid.
        """
        peer = ANY_SOURCE if source is None else self._peer("source", source, any_allowed=True)
        self._add(Step(lib.PYSMPI_STEP_POLL, peer, _tag(tag, any_allowed=True)))

    def look(self, source: int | None = None, tag: int = ANY_TAG) -> None:
        """Add a step that asks once whether a message can be received, without receiving it.

        If so, the run ends with this step: neither later steps nor later schedules of `run_in_turn` are executed. A
        program that computes piece by piece and looks for a message in between is simulated as one run.

        Args:
            source: rank in the communicator, MPI.ANY_SOURCE (the default), or MPI.PROC_NULL to end the run at once.
            tag: message tag, or MPI.ANY_TAG.

        Raises:
            SimulationError: the rank or tag is invalid.
        """
        peer = ANY_SOURCE if source is None else self._peer("source", source, any_allowed=True)
        self._add(Step(lib.PYSMPI_STEP_LOOK, peer, _tag(tag, any_allowed=True)))

    def copy(self, source: Any, destination: Any) -> None:
        """Add a step that copies bytes from one buffer to another of the same length, in no simulated time.

        Raises:
            SimulationError: the lengths differ, a buffer is not contiguous, or the destination is read-only.
        """
        read = _memory(source, writable=False)
        written = _memory(destination, writable=True)
        if read.nbytes != written.nbytes:
            raise SimulationError(
                f"Schedule.copy: the source has {read.nbytes} bytes, the destination {written.nbytes}; use equal sizes"
            )
        self._add(Step(lib.PYSMPI_STEP_COPY, memory=written, source=read))

    def execute(self, seconds: float, *, per: Sequence[float] = ()) -> None:
        """Add a computation of a number of simulated seconds, as by `pysmpi.execute`; real runs skip this step.

        Args:
            seconds: duration; with `per` it may be negative, and a negative sum counts as zero.
            per: one number for each size that `run` receives; each size times its number is added to `seconds`.

        Raises:
            SimulationError: the duration is infinite, not a number, or negative without `per`.
        """
        if not math.isfinite(seconds) or (seconds < 0 and not per):
            raise SimulationError(
                f"Schedule.execute({seconds!r}): invalid duration; give a finite number of seconds, zero or more"
            )
        self._add(Step(lib.PYSMPI_STEP_EXECUTE), float(seconds), per)

    def on(self, comm: "MPI.Comm", buffer: Any = None) -> Self:
        """Return a schedule that executes the steps added so far on the given communicator.

        Args:
            comm: intracommunicator that contains the peers of all steps.
            buffer: writable array or other contiguous buffer, for messages without their own buffer.

        Raises:
            SimulationError: `comm` is an intercommunicator or too small, or the buffer is read-only or not
                contiguous.
        """
        _check_group(comm)
        highest = max((step.peer for step in self._steps), default=-1)
        if highest >= comm.size:
            raise SimulationError(
                f"Schedule.on: a step uses rank {highest}, but the communicator has only {comm.size} ranks"
            )
        if self._native is None:
            self._native = NativeSteps(self._steps, self._sizes)
        other = type(self)(None, self._sizes)
        other._comm, other._steps, other._native = comm, self._native.steps, self._native
        other._buffer = _memory(buffer, writable=True)
        return other

    def run(self, *sizes: float) -> bool:
        """Execute all steps, or those up to a `look` that finds a message; then wait for outstanding requests.

        Return whether a `look` has found a message.

        Args:
            sizes: values that the amounts of steps depend on.

        Raises:
            MPI.Exception: a message is longer than its receive buffer; an amount is negative, larger than its buffer,
                or not a number; the rank of a message or poll has failed; or the communicator has been freed.
            SimulationError: the number of sizes is wrong, or the communicator or the buffer is missing.
        """
        return Schedule.run_in_turn([self], sizes) is not None

    @staticmethod
    def run_in_turn(schedules: "Sequence[Schedule]", sizes: Iterable[float] = ()) -> int | None:
        """Run schedules one after the other; in a simulation the rank blocks once for all of them.

        Args:
            schedules: any number of schedules, which may repeat.
            sizes: sizes of the first schedule, then those of the second, and so on.

        Returns:
            Index of the schedule in which a `look` has found a message and ended the run; None if all have run.

        Raises:
            MPI.Exception, SimulationError: see `run`.
        """
        numbers = sizes if isinstance(sizes, array) and sizes.typecode == "d" else array("d", sizes)
        structs = [schedule._struct or schedule._prepare() for schedule in schedules]
        needed = sum([schedule._sizes for schedule in schedules])
        if len(numbers) != needed:
            raise SimulationError(f"Schedule.run: {len(numbers)} sizes are given; the steps need {needed}")
        if not is_simulated():
            place = 0
            for index, schedule in enumerate(schedules):
                own = numbers[place : place + schedule._sizes]
                if carry_out_by_calls(schedule._communicator(), schedule._steps, schedule._buffer, own):
                    return index
                place += schedule._sizes
            return None
        # This list keeps the native steps alive: another thread of the rank may add steps meanwhile, which would free
        # them.
        _held = [schedule._native for schedule in schedules]
        found = ffi.new("int64_t *")
        error = lib.pysmpi_run_schedules(
            len(structs), ffi.new("pysmpi_schedule *[]", structs), ffi.from_buffer("double[]", numbers), found
        )
        if error != 0:
            from mpi4py import MPI

            raise MPI.Exception(error)
        return None if found[0] < 0 else int(found[0])

    def native_steps(self) -> NativeSteps:
        """Return the current steps as native arrays, for a replay.

        Raises:
            SimulationError: the steps depend on sizes, or look for messages.
        """
        if any(step.kind == lib.PYSMPI_STEP_LOOK for step in self._steps):
            raise SimulationError(
                "Schedule: a schedule for replay must not contain look(), because a look that finds a message ends the "
                "run; use poll(), which waits for the message"
            )
        if self._sizes:
            raise SimulationError(
                f"Schedule: this schedule has {self._sizes} sizes; schedules for replay must have none"
            )
        if self._native is None:
            self._native = NativeSteps(self._steps, 0)
        return self._native

    def _add(self, step: Step, amount: float | None = None, per: Sequence[float] = ()) -> None:
        if per and len(per) != self._sizes:
            raise SimulationError(
                f"Schedule: per={per!r} has {len(per)} numbers; give one for each of the {self._sizes} sizes"
            )
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

        if rank == MPI.PROC_NULL:
            return PROC_NULL
        if any_allowed and rank == MPI.ANY_SOURCE:
            return ANY_SOURCE
        size = "any" if self._comm is None else self._comm.size
        raise SimulationError(f"Schedule: {what}={rank} is not a rank of a communicator of size {size}")

    def _communicator(self) -> "MPI.Comm":
        if self._comm is None:
            raise SimulationError("Schedule.run: the schedule has no communicator; use `on` to set one")
        return self._comm

    def _prepare(self) -> Any:
        comm = self._communicator()
        if self._native is None:
            self._native = NativeSteps(self._steps, self._sizes)
        steps, buffer = self._native, self._buffer
        if buffer is None and any(step.needs_buffer() for step in self._steps):
            raise SimulationError("Schedule.run: some messages have no buffer; use `on` to set one")
        handle = comm.py2f()  # Fortran's handle, which is the simulator's number in each ABI
        address, room = (0, 0) if buffer is None else (buffer.address, buffer.nbytes)
        place = ffi.cast("void *", address)
        fields = (len(self._steps), steps.pointer, steps.amounts, self._sizes, handle, place, room)
        self._struct = ffi.new("pysmpi_schedule *", fields)
        return self._struct


def _check_group(comm: "MPI.Comm | None") -> None:
    if comm is not None and comm.Is_inter():
        raise SimulationError("Schedule: messages between the groups of an intercommunicator are not supported")


def _tag(tag: int, *, any_allowed: bool) -> int:
    tag = _whole("tag", tag)
    if (ANY_TAG if any_allowed else 0) <= tag <= _LEAST_HIGHEST_TAG:
        return tag  # without mpi4py.MPI, so that schedules can be made where no MPI library is installed or loaded yet
    from mpi4py import MPI

    highest = MPI.COMM_WORLD.Get_attr(MPI.TAG_UB) or _LEAST_HIGHEST_TAG
    if any_allowed and tag == MPI.ANY_TAG:
        return ANY_TAG
    if not 0 <= tag <= highest:
        raise SimulationError(f"Schedule: invalid tag={tag}; valid: 0 to {highest}")
    return tag


def _whole(what: str, number: Any) -> int:
    try:
        return operator.index(number)
    except TypeError:
        raise SimulationError(f"Schedule: {what}={number!r} is not a whole number") from None


def _memory(buffer: Any, *, writable: bool) -> Any:
    """Return mpi4py's object with the address and size of a buffer, or None for no buffer. The object keeps the buffer
    alive."""
    if buffer is None:
        return None
    from mpi4py import MPI

    try:
        return MPI.buffer.frombuffer(buffer, readonly=not writable)
    except (BufferError, ValueError, TypeError) as error:
        raise SimulationError(f"Schedule: {type(buffer).__name__} is not a contiguous buffer: {error}") from None
