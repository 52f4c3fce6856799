"""Single measurements between two ranks, as both sides make them.

The first rank begins each with an order (which call, how many bytes, for how long the other is to wait), the other says
when it is ready, and the time goes back to the first where the other took it.
"""

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["CALLS", "answer", "ask", "cost_of_calls", "dismiss", "exchanges_in_a_row"]

CALLS = ("pingpong", "send", "isend", "late_send", "late_recv")
_END = -1
_TAG, _NEVER = 1, 2
_SETTLED = 5e-6  # seconds in which a receive that was announced is posted
_POLLS = 300


def exchanges_in_a_row(size: int) -> int:
    """How many ping-pongs are measured together, after one that is not: programs send on and on, in warm caches."""
    return max(3, min(30, (1 << 20) // max(1, size)))


def ask(world: Any, other: int, call: str, size: int, delay: float = 0.0) -> float:
    """Return the first rank's side of a measurement.

    Args:
        world: the communicator.
        other: the rank of the other side.
        call: which of CALLS: messages there and back, half of one's time; MPI_Send or MPI_Isend to a receive that is
            posted; MPI_Send to a receive that is posted `delay` later; MPI_Recv that begins `delay` after the message
            was sent.
        size: bytes.
        delay: seconds.

    Returns:
        Seconds.
    """
    now = _clock()
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


def answer(world: Any, other: int) -> bool:
    """Return the other side of a measurement; False when there are no more."""
    now = _clock()
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
    """There are no more."""
    world.Send(array("d", [_END, 0.0, 0.0]), dest=other, tag=_TAG)


def cost_of_calls(world: Any, other: int, call: str) -> float:
    """Seconds of an MPI_Iprobe that finds nothing, an MPI_Test that fails, or MPI_Wtime: the mean of a few hundred."""
    now = _clock()
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
    taken = (now() - start) / (_POLLS + 1 if call == "wtime" else _POLLS)  # with the last reading there is one more
    if request is not None:
        request.Cancel()
        request.Wait()
    return taken


def _reported(world: Any, other: int) -> float:
    taken = array("d", [0.0])
    world.Recv(taken, source=other, tag=_TAG)
    return taken[0]


def _clock() -> Callable[[], float]:
    from mpi4py import MPI

    now: Callable[[], float] = MPI.Wtime
    return now


def _wait(now: Callable[[], float], seconds: float) -> None:
    """Busily: a process that sleeps loses its core's speed and caches."""
    if seconds > 0:
        end = now() + seconds
        while now() < end:
            pass
