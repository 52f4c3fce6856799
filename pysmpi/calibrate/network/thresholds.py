"""The sizes at which a library's protocol changes, by what senders and receivers that come late wait for."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["first_that_leaves_late", "first_that_waits"]


def first_that_waits(rows: Iterable[Mapping[str, Any]]) -> int | None:
    """Return the first size whose MPI_Send waits for a receive that is late; 0 when all do, None when none does
    or no trials were made.

    Args:
        rows: measurements, of which those of late_send count.
    """
    shares = defaultdict(list)
    for row in rows:
        if row["call"] == "late_send":
            shares[row["bytes"]].append(row["seconds"] / row["delay"])
    early = [size for size, found in shares.items() if statistics.median(found) < 0.5]
    waiting = [size for size in shares if size not in early]
    if not early:
        return 0 if waiting else None
    return min((size for size in waiting if size > max(early)), default=None)


def first_that_leaves_late(received: Mapping[int, float], one_way: Mapping[int, float]) -> int | None:
    """Return the first size that leaves only when its receive is posted; None when none does, 0 when all do.

    Where a message has arrived before, MPI_Recv takes less than the way by what the smallest message's way takes over
    its receive, at least; half of that decides. Where that is next to nothing the smallest leaves late, and so do all.
    The size is the one that parts the two kinds with the fewest on the wrong side.

    Args:
        received: by size, how long MPI_Recv took long after the message was sent.
        one_way: by size, how long a message takes, less the sender's overhead.
    """
    sizes = sorted(size for size in received if size in one_way)
    if not sizes:
        return None
    latency = one_way[sizes[0]] - received[sizes[0]]
    if latency < one_way[sizes[0]] / 4:
        return 0
    late = [received[size] > one_way[size] - latency / 2 for size in sizes]
    wrong = [sum(late[:place]) + len(sizes) - place - sum(late[place:]) for place in range(len(sizes) + 1)]
    place = wrong.index(min(wrong))
    return None if place == len(sizes) else sizes[place]
