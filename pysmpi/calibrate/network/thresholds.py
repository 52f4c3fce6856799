"""Message sizes at which an MPI library's protocol changes, found from waits of early senders and late receivers."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["first_that_leaves_late", "first_that_waits"]


def first_that_waits(rows: Iterable[Mapping[str, Any]]) -> int | None:
    """Return the least size whose MPI_Send waits for a late receive.

    MPI_Send is taken to wait if the median of its times is at least half of the receive's delay. The result is 0 if it
    waits at all sizes, and None if it never waits or was not measured.

    Args:
        rows: measurements; only those of the call "late_send" are used.
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
    """Return the least message size that is sent only when its receive is posted; None for no size, 0 for all sizes.

    A late MPI_Recv of a message that has already arrived is shorter than the whole message time, by at least the
    latency. The latency is the time of the smallest message minus the time of its late receive. A size is sent late if
    its receive is shorter by less than half the latency. If the latency is close to zero, even the smallest message is
    sent late, and the result is 0. Otherwise the result is the size that best separates smaller messages, sent at once,
    from larger ones, sent late.

    Args:
        received: seconds of MPI_Recv long after the message was sent, by size.
        one_way: seconds of a message without the sender's overhead, by size.
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
