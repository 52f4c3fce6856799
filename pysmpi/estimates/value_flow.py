"""Data-flow graph of a recorded run, without temporaries that a program in C would hold in registers.

A temporary value that is used in one computation is part of this computation. Example: in `u[1:-1] = 0.5 * (u[:-2] +
u[2:])` the sum is used by the product only. It disappears, and its two sources become sources of the product.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pysmpi.estimates.consumers import only_consumers
from pysmpi.estimates.record import INDEX, INTEGER, MEETING, SCAN, SUM, TEMPORARY, Array
from pysmpi.estimates.recorder import Recorder
from pysmpi.estimates.steady_steps import Steps, find_steps
from pysmpi.native import ffi, lib

__all__ = ["Edges", "Flow", "flow_of"]


@dataclass
class Edges:
    """Edges of a data-flow graph, each from a value that is read to the value that is computed from it.

    Attributes:
        source: number of the value that is read.
        sink: number of the value that is computed from it.
        at: number of the execution (of a statement) that reads it.
    """

    source: Array
    sink: Array
    at: Array

    def __len__(self) -> int:
        return len(self.source)

    def where(self, chosen: Array) -> "Edges":
        """Return some of the edges, which a mask or an array of indices selects."""
        return Edges(self.source[chosen], self.sink[chosen], self.at[chosen])


@dataclass
class Flow:
    """Data-flow graph of a run: values that are computed or read, and the edges between them.

    Values, and executions of statements, are numbered; repeated steps are stored once
    (`pysmpi.estimates.repeats`). A meeting is an auxiliary vertex that stands for edges from all its sources to all its
    sinks. It is numbered as a value.

    Attributes:
        recorder: record of the run.
        vertex: (values) number of the vertex that holds a value. A vertex has one owner: it is an element position, or
            a scalar or meeting, which no array holds.
        places: number of element positions; vertices with larger numbers are scalars and meetings.
        kind: (values) properties, as bits.
        event: (values) execution that computes a value.
        words: (values) size of a value in words of 8 bytes.
        computed: (values) True if a value has sources; the others are inputs.
        edges: all edges, in the order of time.
        sums: edges into sums, except those from meetings.
        entering: edges from values into meetings, sorted by meeting.
        leaving: edges from meetings to values.
        steering: numbers of values that decide what the program does, and the executions that need them.
        work_vertex, work_event, work: (computations) vertex and execution of a computation, and its floating-point
            operations.
        times: (executions) how often an execution is repeated in the run.
        steps: steady steps, or None if none were found.
        order: numbers of the executions in the last steady step, or in the whole run if there is none, as they ran.
        step_times: (executions) how often an execution occurs in `order`.
        raw: number of edges before temporary values were removed.
    """

    recorder: Recorder
    vertex: Array
    places: int
    kind: Array
    event: Array
    words: Array
    computed: Array
    edges: Edges
    sums: Edges
    entering: Edges
    leaving: Edges
    steering: tuple[Array, Array]
    work_vertex: Array
    work_event: Array
    work: Array
    times: Array
    steps: Steps | None
    order: Array
    step_times: Array
    raw: int
    _graph: Any = None
    _mean_work: Array | None = None

    def graph(self) -> Any:
        """Return the graph in the form that the native code needs to count words."""
        if self._graph is None:
            kind = ((self.kind & SUM) != 0) + 2 * ((self.kind & MEETING) != 0).astype(np.uint8)
            values, events = self.steering
            columns = {
                "kind": ("uint8_t[]", kind), "words": ("uint8_t[]", self.words), "event": ("int32_t[]", self.event),
                "times": ("int64_t[]", self.times), "same_before": ("int32_t[]", _same_before(self.recorder)),
                "source": ("int32_t[]", self.edges.source), "sink": ("int32_t[]", self.edges.sink),
                "at": ("int32_t[]", self.edges.at), "steering_value": ("int32_t[]", values.astype(np.int32)),
                "steered_at": ("int32_t[]", events.astype(np.int32)),
            }  # fmt: skip
            views = {name: ffi.from_buffer(*column) for name, column in columns.items()}
            counts = {
                "values": len(kind), "events": len(self.times), "edges": len(self.edges), "steering": len(values)
            }  # fmt: skip
            graph = lib.pysmpi_create_value_graph(ffi.new("pysmpi_value_flow*", counts | views))
            self._graph = ffi.gc(graph, lib.pysmpi_free_value_graph)
        return self._graph

    def plain(self) -> Edges:
        """Return the edges between values, except edges into sums, and into or out of meetings (auxiliary vertices)."""
        meeting, summed = (self.kind & MEETING) != 0, (self.kind & SUM) != 0
        return self.edges.where(~(meeting | summed)[self.edges.sink] & ~meeting[self.edges.source])

    @property
    def values(self) -> int:
        """Number of values."""
        return len(self.kind)

    @property
    def vertices(self) -> int:
        """Upper bound of the numbers of vertices: the element positions, and one vertex for each value."""
        return self.places + self.values

    def work_of(self, value: Array) -> Array:
        """Return the floating-point operations by which each of some values is computed, approximately.

        It is the mean over all values that are held at the same element position.

        Args:
            value: numbers of the values.
        """
        if len(value) == 0:
            return np.zeros(0)
        if self._mean_work is None:
            times = self.times[self.event[self.computed]]
            held = np.bincount(self.vertex[self.computed], times, minlength=self.vertices)
            self._mean_work = self.work_at(self.vertices) / np.maximum(held, 1)
        found: Array = self._mean_work[self.vertex[value]]
        return found

    def work_at(self, vertices: int) -> Array:
        """Return the floating-point operations of the whole run for each array element (or scalar) that it computes.

        Args:
            vertices: least length of the result. Array elements come first, then scalars.
        """
        found: Array = np.bincount(self.work_vertex, self.work * self.times[self.work_event], minlength=vertices)
        return found

    def step_work(self) -> tuple[Array, Array, Array]:
        """Return the computations of the last step (such as a time step), or of the whole run if it has no steps.

        Returns:
            For each computation, the number of the array element (or scalar) that is computed, the number of the
            execution of a statement, and the floating-point operations. Repetitions in a step are added up.
        """
        times = self.step_times[self.work_event]
        chosen = times > 0
        return self.work_vertex[chosen], self.work_event[chosen], self.work[chosen] * times[chosen]

    def statement_of(self, event: Array) -> Array:
        """Return the number of the program's statement for each of some executions, given by their numbers."""
        found: Array = np.frombuffer(self.recorder.statement, np.int32)[event]
        return found


def flow_of(recorder: Recorder, steady: str | None = None, *, index_data: bool = False) -> Flow:
    """Return the data-flow graph of a recorded run.

    Args:
        recorder: record of the run; its values and edges are removed to save memory.
        steady: statement that begins each step, as ``file:line``, or None to find the repetition.
        index_data: whether to count integers that serve as indices only.
    """
    # Views of the record's columns, which are freed as soon as the last view is gone.
    kind, home = np.frombuffer(recorder.kind, np.uint8), np.frombuffer(recorder.home, np.int32)
    event, work = np.frombuffer(recorder.event, np.int32), np.frombuffer(recorder.work, np.float32)
    source, sink = np.frombuffer(recorder.source, np.int32), np.frombuffer(recorder.sink, np.int32)
    words = np.frombuffer(recorder.words, np.uint8)
    raw = len(source)
    recorder.release()
    steering = np.array(recorder.steering, np.int64).reshape(-1, 2)
    at = event[sink]
    root = _roots(kind, source, sink, steering[:, 0])
    kept = root[source] == source
    source, sink, at = source[kept], root[sink[kept]], at[kept]
    if not index_data:
        living = _living(kind, source, sink, steering[:, 0])[sink]
        source, sink, at = source[living], sink[living], at[living]
    used = np.zeros(len(kind), bool)
    used[source] = used[sink] = used[steering[:, 0]] = True
    number = np.cumsum(used, dtype=np.int32) - 1
    old = np.flatnonzero(used)
    work_value, work_event, amount = _work_of_values(work, event, root, used, number)
    source, sink = number[source], number[sink]
    vertex = np.where(home[old] >= 0, home[old], recorder.places + np.arange(len(old), dtype=np.int32))
    kind = kind[old]
    computed = np.zeros(len(old), bool)
    computed[sink] = True
    edges = Edges(source, sink, at)
    meeting = (kind & MEETING) != 0
    into, out_of, summed = meeting[sink], meeting[source], (kind[sink] & SUM) != 0
    entering = edges.where(into)
    entering = entering.where(np.argsort(entering.sink, kind="stable"))
    sums = edges.where(summed & ~out_of)  # the additions of a sum are computed where its sources are
    work_vertex = np.concatenate([vertex[work_value], vertex[sums.source]])
    work_event = np.concatenate([work_event, sums.at])
    amount = np.concatenate([amount, np.ones(len(sums), np.float32)])
    steps = find_steps(recorder, work_event, amount, steady)
    executed = np.frombuffer(recorder.executed, np.int32)
    order = executed if steps is None else executed[slice(*steps.last)]
    times, step_times = (np.bincount(each, minlength=len(recorder.statement)) for each in (executed, order))
    return Flow(
        recorder=recorder,
        vertex=vertex,
        places=recorder.places,
        kind=kind,
        event=event[old],
        words=words[old],
        computed=computed,
        edges=edges,
        sums=sums,
        entering=entering,
        leaving=edges.where(out_of),
        steering=(number[steering[:, 0]], steering[:, 1]),
        work_vertex=work_vertex,
        work_event=work_event,
        work=amount,
        times=times,
        steps=steps,
        order=order,
        step_times=step_times,
        raw=raw,
    )


def _work_of_values(work: Array, event: Array, root: Array, used: Array, number: Array) -> tuple[Array, Array, Array]:
    """Return the computations of a run, without the temporary values that are part of other values' computations.

    Args:
        work: (recorded values) floating-point operations.
        event: (recorded values) execution that computes the value.
        root: (recorded values) value to whose computation this one belongs.
        used: (recorded values) True if the value is part of the graph.
        number: (recorded values) number of the value in the graph.

    Returns:
        Number of the value in the graph, number of the execution, and floating-point operations. Each pair of a value
        and an execution occurs once.
    """
    worked = np.flatnonzero(work > 0)
    worked = worked[used[root[worked]]]
    events = int(event.max(initial=0)) + 1
    keys = number[root[worked]] * np.int64(events) + event[worked]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.concatenate([keys[:1] >= 0, keys[1:] != keys[:-1]]))
    amount = np.add.reduceat(work[worked[order]], first, dtype=np.float64) if len(first) else np.zeros(0)
    value, of_event = (each(keys[first], events).astype(np.int32) for each in (np.floor_divide, np.remainder))
    return value, of_event, amount.astype(np.float32)


def _same_before(recorder: Recorder) -> Array:
    """Return for each execution the index of the previous one of the same statement with the same hash, or -1.

    Executions with the same hash assign the same element positions.
    """
    seen: dict[tuple[int, int], int] = {}
    found = np.empty(len(recorder.statement), np.int32)
    for event, key in enumerate(zip(recorder.statement, recorder.mark, strict=True)):
        found[event] = seen.get(key, -1)
        seen[key] = event
    return found


def _living(kind: Array, source: Array, sink: Array, steering: Array) -> Array:
    """Return a mask of the values that are data: all except integers that are used as indices only.

    An integer from which only indices are computed is not data either.
    """
    ends = np.ones(len(kind), bool)
    ends[source] = False  # values from which others are computed
    living: Array = ((kind & (INTEGER | MEETING)) == 0) | (ends & ((kind & (INDEX | MEETING)) == 0))
    living[steering] = True
    while True:
        reached = source[living[sink]]
        if living[reached].all():
            return living
        living[reached] = True


def _roots(kind: Array, source: Array, sink: Array, steering: Array) -> Array:
    """Return for each value the number of the value whose computation it is part of.

    That is the value itself, unless it is a temporary that is used in one computation only.

    Args:
        kind: (values) properties, as bits.
        source, sink: (edges) value that is read, and value that is computed from it.
        steering: values that decide what the program does.
    """
    count = len(kind)
    last = only_consumers(source, sink, count)
    single = ((kind & (TEMPORARY | SUM | MEETING | SCAN)) == TEMPORARY) & (last >= 0)
    single &= (kind[last] & (SUM | MEETING)) == 0
    single[steering] = False
    root = np.arange(count, dtype=np.int32)
    root[single] = last[single]
    while True:
        further = root[root]
        if np.array_equal(further, root):
            return root
        root = further
