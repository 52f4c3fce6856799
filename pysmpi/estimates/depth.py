"""Longest chain of computations: it limits the parallelism of a program, however its arrays are divided among nodes.

Example: t[i, j] computed from t[i-1, j] and t[i, j-1] on n · n elements has a chain of 2n - 1 computations. On no
machine can more than n² / (2n - 1) of them run at once on average.
"""

import numpy as np

from pysmpi.estimates.record import MEETING, SCAN, Array
from pysmpi.estimates.value_flow import Flow

__all__ = ["parallelism"]


def parallelism(flow: Flow) -> float:
    """Return the mean parallelism: number of computed values divided by the length of the longest chain.

    The values are those of the last step of the program (such as a time step), or of the whole run if it has no
    repeated steps. Steps that are repeated and stored once (see `pysmpi.estimates.repeats`) count once, in the number
    as in the chain.
    """
    inside = flow.computed & (flow.step_times[flow.event] > 0)
    chosen = inside[flow.edges.sink]
    source, sink = flow.edges.source[chosen], flow.edges.sink[chosen]
    level = inside.astype(np.int32)
    level[(flow.kind & MEETING) != 0] = 0
    # Partial sums of a scan can be computed in a tree, so the edges between them do not count for the longest chain.
    linked = (flow.kind[source] & flow.kind[sink] & SCAN) != 0
    source, sink = source[~linked], sink[~linked]
    # A meeting (an auxiliary vertex) is numbered after its results, so values are sorted with sources before sinks.
    meeting = (flow.kind & MEETING) != 0
    key = 2 * np.arange(flow.values, dtype=np.int64)
    key[meeting] = 2 * flow.values
    np.minimum.at(key, flow.leaving.source, 2 * flow.leaving.sink.astype(np.int64) - 1)
    ordered = np.argsort(key, kind="stable")
    rank = np.empty_like(ordered)
    rank[ordered] = np.arange(flow.values)
    source, sink = rank[source], rank[sink]
    order = np.argsort(sink, kind="stable")
    level, inside, meeting = level[ordered], inside[ordered], meeting[ordered]
    _raise_levels(level, source[order], sink[order], inside, meeting)
    values = int((inside & ~meeting).sum())
    return max(values, 1) / max(int(level.max(initial=0)), 1)


def _raise_levels(level: Array, source: Array, sink: Array, inside: Array, meeting: Array) -> None:
    """Compute the level of each value: the length of the longest chain of computations that ends with it.

    It is the highest level of the values that it is computed from, plus one. Values are processed in groups in which
    no value is computed from another one of the group.

    Args:
        level: (values) levels, which are set here for values that have sources.
        source, sink: (edges) value that is read, and value that is computed from it, sorted by the latter.
        inside: (values) True for values that count; others have the level 0.
        meeting: (values) True for auxiliary vertices, which do not make a chain longer.
    """
    if len(sink) == 0:
        return
    begins = np.flatnonzero(np.concatenate([[True], sink[1:] != sink[:-1]]))
    sinks = sink[begins]
    latest = np.maximum.reduceat(np.where(inside[source], source, -1), begins)
    number = 0
    while number < len(sinks):
        width = 64
        while True:
            window = latest[number : number + width] >= sinks[number]
            if window.any() or number + width >= len(sinks):
                break
            width *= 4
        stop = number + int(np.argmax(window)) if window.any() else len(sinks)
        first = begins[number]
        last = begins[stop] if stop < len(begins) else len(source)
        found = np.maximum.reduceat(np.where(inside[source[first:last]], level[source[first:last]], 0),
                                    begins[number:stop] - first)  # fmt: skip
        level[sinks[number:stop]] = found + ~meeting[sinks[number:stop]]
        number = stop
