"""Exchanges between pairs of ranks, which all ranks run together for one measurement.

In each exchange, the ranks of some pairs exchange messages. The others sleep, or wait inside MPI, where they poll.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Exchange", "run"]

_TAG = 3
_WINDOW = 64  # messages under way at once when the rate of messages is measured, as in osu_mbw_mr
_ASLEEP = 1.5  # duration for which the other ranks sleep, relative to the duration of the exchange


@dataclass(frozen=True)
class Exchange:
    """Messages between pairs of ranks that one measurement times.

    Attributes:
        figure: measured quantity: "one way" and "waiting" (ping-pongs), "memory" and "card" (messages in one direction,
            one after the other), or "rate" (many small messages at once).
        pairs: pairs of ranks that exchange messages with each other; the first rank of a pair sends first.
        size: bytes of a message.
        times: for each pair, the number of ping-pongs, of messages in one direction, or for "rate" of groups of 64
            messages.
        polls: whether ranks outside the pairs wait inside MPI, where they poll, instead of sleeping.
    """

    figure: str
    pairs: tuple[tuple[int, int], ...]
    size: int
    times: int
    polls: bool

    def amount(self) -> float:
        """Return the work of the whole exchange: bytes for "memory" and "card", otherwise the number of messages."""
        messages = self.times * len(self.pairs)
        return {"one way": 2 * messages, "waiting": 2 * messages, "rate": _WINDOW * messages}.get(
            self.figure, self.size * messages
        )


def run(world: Any, exchange: Exchange) -> float:
    """Run an exchange twice, and return the seconds of the slowest pair the second time. All ranks call this function.

    The first run warms the caches; in it, the other ranks wait inside MPI. Its duration determines how long ranks that
    must not poll sleep in the second run.
    """
    first = _once(world, exchange, sleep=0.0)
    return _once(world, exchange, sleep=0.0 if exchange.polls else _ASLEEP * first + 1e-3)


def _once(world: Any, exchange: Exchange, sleep: float) -> float:
    from mpi4py import MPI

    mine = next((pair for pair in exchange.pairs if world.rank in pair), None)
    message = np.ones(exchange.size, np.uint8)
    world.Barrier()
    taken = 0.0
    if mine is not None:
        taken = _exchange(world, exchange, mine, message)
    elif sleep > 0:
        time.sleep(sleep)
    return float(world.allreduce(taken, MPI.MAX))


def _exchange(world: Any, exchange: Exchange, pair: Sequence[int], message: np.ndarray) -> float:
    """Exchange messages in one of a pair's ranks, and return the seconds that they take."""
    from mpi4py import MPI

    sends = world.rank == pair[0]
    other = pair[1] if sends else pair[0]
    start = MPI.Wtime()
    if exchange.figure in ("one way", "waiting"):
        for number in range(exchange.times + 1):
            if number == 1:  # by now, the other ranks sleep or wait
                start = MPI.Wtime()
            if sends:
                world.Send(message, other, _TAG)
                world.Recv(message, other, _TAG)
            else:
                world.Recv(message, other, _TAG)
                world.Send(message, other, _TAG)
        return MPI.Wtime() - start
    for _ in range(exchange.times):
        if exchange.figure != "rate":
            if sends:
                world.Send(message, other, _TAG)
            else:
                world.Recv(message, other, _TAG)
        elif sends:
            MPI.Request.Waitall([world.Isend(message, other, _TAG) for _ in range(_WINDOW)])
        else:
            room = [np.empty_like(message) for _ in range(_WINDOW)]
            MPI.Request.Waitall([world.Irecv(each, other, _TAG) for each in room])
    answer = np.zeros(1, np.uint8)
    if sends:  # the answer says that the last message has arrived
        world.Recv(answer, other, _TAG)
    else:
        world.Send(answer, other, _TAG)
    return MPI.Wtime() - start
