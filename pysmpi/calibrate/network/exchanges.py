"""Code that two ranks run for a single measurement of the time of a message.

For each measurement, the first rank sends an order (call, bytes, delay of the other side), and the other rank replies
when it is ready. If the other rank measures the time, it sends the time back.
"""

import time
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["CALLS", "answer", "ask", "cost_of_calls", "dismiss", "exchanges_in_a_row"]

CALLS = ("pingpong", "send", "isend", "late_send", "late_recv")
_END = -1
_TAG, _NEVER = 1, 2
_SETTLED = 5e-6  # seconds after which an announced receive has been posted
_POLLS = 300


def exchanges_in_a_row(size: int) -> int:
    """Return the number of ping-pongs that are timed together, after an untimed one that warms the caches."""
    return max(3, min(30, (1 << 20) // max(1, size)))


def ask(world: Any, other: int, call: str, size: int, delay: float = 0.0, clock: str = "wall") -> float:
    """Run the first rank's side of a measurement, and return the measured time.

    Args:
        world: the communicator.
        other: rank of the other side.
        call: one of CALLS. "pingpong": half the time of a message there and back. "send" and "isend": MPI_Send and
            MPI_Isend to a posted receive. "late_send": MPI_Send to a receive posted `delay` later. "late_recv":
            MPI_Recv `delay` after the message was sent.
        size: message size in bytes.
        delay: delay in seconds for "late_send" and "late_recv".
        clock: "wall" or "processor" (`Extent`).

    Returns:
        Time in seconds.
    """
    now = _clock(clock)
    message = np.ones(size, np.uint8)
    world.Send(array("d", [CALLS.index(call), size, delay]), dest=other, tag=_TAG)
    world.Recv(bytearray(0), source=other, tag=_TAG)
    if call == "pingpong":
        start = now()
        for exchange in range(exchanges_in_a_row(size) + 1):
            if exchange == 1:
                start = now()
            world.Send(message, dest=other, tag=_TAG)
            world.Recv(message, source=other, tag=_TAG)
        return (now() - start) / (2 * exchanges_in_a_row(size))
    if call == "late_recv":
        world.Send(message, dest=other, tag=_TAG)
        return _reported(world, other)
    if call != "late_send":
        _wait(now, _SETTLED)
    start = now()
    if call == "isend":
        request = world.Isend(message, dest=other, tag=_TAG)
        taken = now() - start
        request.Wait()
        return taken
    world.Send(message, dest=other, tag=_TAG)
    return now() - start


def answer(world: Any, other: int, clock: str = "wall") -> bool:
    """Run the second rank's side of one measurement; return False if the first rank has ended the measurements."""
    now = _clock(clock)
    order = array("d", [0.0, 0.0, 0.0])
    world.Recv(order, source=other, tag=_TAG)
    if order[0] == _END:
        return False
    call, size, delay = CALLS[int(order[0])], int(order[1]), order[2]
    message = np.ones(size, np.uint8)
    world.Send(bytearray(0), dest=other, tag=_TAG)
    if call == "pingpong":
        for _ in range(exchanges_in_a_row(size) + 1):
            world.Recv(message, source=other, tag=_TAG)
            world.Send(message, dest=other, tag=_TAG)
        return True
    _wait(now, delay)
    start = now()
    world.Recv(message, source=other, tag=_TAG)
    taken = now() - start
    if call == "late_recv":
        world.Send(array("d", [taken]), dest=other, tag=_TAG)
    return True


def dismiss(world: Any, other: int) -> None:
    """Notify the second rank that the measurements have ended."""
    world.Send(array("d", [_END, 0.0, 0.0]), dest=other, tag=_TAG)


def cost_of_calls(world: Any, other: int, call: str, clock: str = "wall") -> float:
    """Return the mean seconds of an unsuccessful MPI_Iprobe, an unsuccessful MPI_Test, or a reading of the clock."""
    now = _clock(clock)
    request = world.Irecv(bytearray(0), source=other, tag=_NEVER) if call == "test" else None
    start = now()
    if call == "iprobe":
        for _ in range(_POLLS):
            world.Iprobe(source=other, tag=_NEVER)
    elif request is not None:
        for _ in range(_POLLS):
            request.Test()
    else:
        for _ in range(_POLLS):
            now()
    taken = (now() - start) / (_POLLS + 1 if call == "wtime" else _POLLS)  # MPI_Wtime is read once more at the end
    if request is not None:
        request.Cancel()
        request.Wait()
    return taken


def _reported(world: Any, other: int) -> float:
    taken = array("d", [0.0])
    world.Recv(taken, source=other, tag=_TAG)
    return taken[0]


def _clock(name: str) -> Callable[[], float]:
    if name == "processor":
        return time.thread_time
    from mpi4py import MPI

    now: Callable[[], float] = MPI.Wtime
    return now


def _wait(now: Callable[[], float], seconds: float) -> None:
    """Wait in a busy loop, because a sleeping process would lose its warm caches and its core's clock rate."""
    if seconds > 0:
        end = now() + seconds
        while now() < end:
            pass
