"""Churn of threads in ranks, with locks, queues, pools, and files that they write."""

import queue
import threading
from concurrent.futures import ThreadPoolExecutor

from churn import churn
from mpi4py import MPI

world = MPI.COMM_WORLD


def a_round(number: int) -> int:
    """Start four threads."""
    box: queue.Queue[int] = queue.Queue()
    senders = [threading.Thread(target=world.send, args=(number, world.rank, tag)) for tag in range(2)]
    for thread in senders:
        thread.start()
    for tag in range(2):
        box.put(world.recv(tag=tag))
    for thread in senders:
        thread.join()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: box.get(timeout=1), range(2)))
    return 4


churn(5_000, a_round)
