"""Messages between ranks: messages.py PATTERN BYTES ROUNDS. The twin of messages.c.

ring: all send to the right and receive from the left. pingpong: ranks 0 and 1 send to and fro. posted: rank 1 sends one
message per round, and rank 0 has posted a receive with another tag for each, matched in reverse order. waitall: the
same, but rank 0 waits for all at once. burst: all send to all at once. permutation: each sends to one rank and receives
from one rank, drawn at random.
"""

import sys

import numpy as np
from mpi4py import MPI
from report import Stretch

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
pattern, length, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
sent, received = np.zeros(length, np.uint8), np.empty(length, np.uint8)


def drawn() -> tuple[int, int]:
    """Return the ranks that this rank sends to and receives from."""
    to, source = np.arange(size, dtype=np.intc), np.empty(size, np.intc)
    if rank == 0:
        state = 1
        for i in range(size - 1, 0, -1):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            j = (state >> 8) % (i + 1)
            to[i], to[j] = to[j], to[i]
        source[to] = np.arange(size)
    mine = np.empty(2, np.intc)
    world.Scatter(to, mine[:1])
    world.Scatter(source, mine[1:])
    return int(mine[0]), int(mine[1])


if pattern == "ring":
    to, source = (rank + 1) % size, (rank - 1) % size
elif pattern == "permutation":
    to, source = drawn()
into = np.empty((size, length), np.uint8) if pattern == "burst" else received
stretch = Stretch(world)
if pattern in ("ring", "permutation"):
    for _ in range(rounds):
        world.Sendrecv(sent, to, 0, received, source)
elif pattern == "pingpong" and rank < 2:
    for _ in range(rounds):
        if rank == 0:
            world.Send(sent, 1)
            world.Recv(received, 1)
        else:
            world.Recv(received, 0)
            world.Send(sent, 0)
elif pattern in ("posted", "waitall") and rank < 2:
    if rank == 0:
        requests = [world.Irecv(received, 1, tag) for tag in range(rounds)]
        world.Barrier()
        if pattern == "waitall":
            MPI.Request.Waitall(requests)
        for request in reversed(requests):
            request.Wait()
    else:
        world.Barrier()
        for tag in reversed(range(rounds)):
            world.Send(sent, 0, tag)
elif pattern == "burst":
    for _ in range(rounds):
        others = [(rank + i) % size for i in range(1, size)]
        requests = [world.Irecv(into[other], other) for other in others]
        requests += [world.Isend(sent, other) for other in others]
        MPI.Request.Waitall(requests)
stretch.end()
