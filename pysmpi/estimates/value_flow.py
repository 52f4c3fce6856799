"""Flow of values of a recorded run, without temporaries that a program in C would hold in registers.

A temporary value with one consumer is part of that consumer's computation. Example: in `u[1:-1] = 0.5 * (u[:-2] +
u[2:])` the sum has one consumer, the product. It disappears, and its two sources become sources of the product.
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
    """Edges of a flow: sources and sinks by number, and the event in which the sink's computation reads the source."""

    source: Array
    sink: Array
    at: Array

    def __len__(self) -> int:
        return len(self.source)

    def where(self, chosen: Array) -> "Edges":
        """Return some of the edges."""
        return Edges(self.source[chosen], self.sink[chosen], self.at[chosen])


@dataclass
class Flow:
    """Values of a run that are computed or read, and the edges between them.

    Attributes:
        recorder: the record.
        vertex: (values) number of the thing that has one owner: a place, or a scalar that lives in no array.
        places: number of places; larger numbers of vertices are scalars and meetings.
        kind: (values) properties, as bits.
        event: (values) event in which a value is computed.
        words: (values) words that a value is sent as.
        computed: (values) whether a value has sources; the others are inputs.
        edges: all edges, in the order of time.
        sums: edges into sums.
        entering: edges from values into meetings, by meeting.
        leaving: edges from meetings to values.
        steering: values that decide what the program does, with their events.
        work_vertex, work_event, work: owners and amounts of the computations, by event; of one execution.
        times: (events) executions in the run; see `pysmpi.estimates.repeats`.
        steps: the steady repetition that was found.
        order: events of the last steady step, or of the whole run if there is none, in the order of execution.
        step_times: (events) executions among them.
        raw: number of edges before temporaries were dissolved.
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
        """Return the flow as the native code that counts words takes it."""
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
        """Return the edges between values, without sums."""
        meeting, summed = (self.kind & MEETING) != 0, (self.kind & SUM) != 0
        return self.edges.where(~(meeting | summed)[self.edges.sink] & ~meeting[self.edges.source])

    @property
    def values(self) -> int:
        """Number of values."""
        return len(self.kind)

    @property
    def vertices(self) -> int:
        """Number of vertices: places and scalars."""
        return self.places + self.values

    def work_of(self, value: Array) -> Array:
        """Return the computations of values: the mean of all values that the place of each of them holds."""
        if len(value) == 0:
            return np.zeros(0)
        if self._mean_work is None:
            times = self.times[self.event[self.computed]]
            held = np.bincount(self.vertex[self.computed], times, minlength=self.vertices)
            self._mean_work = self.work_at(self.vertices) / np.maximum(held, 1)
        found: Array = self._mean_work[self.vertex[value]]
        return found

    def work_at(self, vertices: int) -> Array:
        """Return the computations at the first vertices in the whole run."""
        found: Array = np.bincount(self.work_vertex, self.work * self.times[self.work_event], minlength=vertices)
        return found

    def step_work(self) -> tuple[Array, Array, Array]:
        """Return vertices, events and amounts of the computations of the last steady step, or of the whole run."""
        times = self.step_times[self.work_event]
        chosen = times > 0
        return self.work_vertex[chosen], self.work_event[chosen], self.work[chosen] * times[chosen]

    def statement_of(self, event: Array) -> Array:
        """Return the numbers of the statements of events."""
        found: Array = np.frombuffer(self.recorder.statement, np.int32)[event]
        return found


def flow_of(recorder: Recorder, steady: str | None = None, *, index_data: bool = False) -> Flow:
    """Return the flow of a recorded run.

    Args:
        recorder: the record; its values and edges are given up, to save memory.
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
    sums = edges.where(summed & ~out_of)  # parts of a sum are added up where they are
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
    """Return values, events and amounts of computations. Those of one event that belong to one value are added up.

    Args:
        work: amount of the computation of each recorded value.
        event: event in which each recorded value was computed.
        root: recorded value to whose computation it belongs.
        used: recorded values that are part of the flow.
        number: their numbers in the flow.
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
    """Return for each event the last one before it of the same statement that stored at the same places, or -1."""
    seen: dict[tuple[int, int], int] = {}
    found = np.empty(len(recorder.statement), np.int32)
    for event, key in enumerate(zip(recorder.statement, recorder.mark, strict=True)):
        found[event] = seen.get(key, -1)
        seen[key] = event
    return found


def _living(kind: Array, source: Array, sink: Array, steering: Array) -> Array:
    """Return which values are data: all except integers that serve as indices, and integers from which only such
    integers are computed."""
    ends = np.ones(len(kind), bool)
    ends[source] = False  # something is computed from them
    living: Array = ((kind & (INTEGER | MEETING)) == 0) | (ends & ((kind & (INDEX | MEETING)) == 0))
    living[steering] = True
    while True:
        reached = source[living[sink]]
        if living[reached].all():
            return living
        living[reached] = True


def _roots(kind: Array, source: Array, sink: Array, steering: Array) -> Array:
    """Return for each value the one whose computation it is part of: itself, unless it is a temporary with one
    consumer."""
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
