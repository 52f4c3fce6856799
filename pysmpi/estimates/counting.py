"""Exact count of the words that nodes send with a cut.

Each value is sent once to each other node that reads it. If a node has all sources of a value, because it owns them or
receives them for another use, it computes the value itself instead. For a sum, each other node that holds a part of the
elements sends one partial result, unless the owner of the sum needs all elements of this part anyway. Values that
decide what the program does next are sent to all nodes.

Example: nodes 0 and 1 own 2 elements each of u, and `u[1:-1] = u[:-2] + u[2:]` is computed. u[2] is computed by node 1
from u[1] and u[3], so u[1] is sent from 0 to 1. In the same way u[2] is sent from 1 to 0: 2 words.
"""

from dataclasses import dataclass

import numpy as np

from pysmpi.estimates.flow import Edges, Flow
from pysmpi.estimates.recorder import MEETING, Array

__all__ = ["Traffic", "count_words", "expanded"]


@dataclass
class Traffic:
    """Contents of the messages for one cut: an entry for each pair of a value (or partial sum) and its receiver.

    Attributes:
        nodes: number of nodes.
        value: value that is sent, or whose partial sum is sent.
        sender: node that sends it.
        receiver: node that gets it.
        at: event that needs it first.
        words: its size in words of 8 bytes, times the executions of the event.
        partial: whether it is a partial sum.
        again: values that readers compute themselves instead of receiving them.
        again_node: these readers.
        again_at: events that need these values first.
    """

    nodes: int
    value: Array
    sender: Array
    receiver: Array
    at: Array
    words: Array
    partial: Array
    again: Array
    again_node: Array
    again_at: Array

    @property
    def total(self) -> int:
        """Words of the whole run."""
        return int(self.words.sum())

    def in_step(self, flow: Flow) -> "Traffic":
        """Return the part that the last steady step needs first; all if there is no step."""
        times = flow.step_times[self.at]
        chosen, repeated = times > 0, flow.step_times[self.again_at] > 0
        words = self.words[chosen] // flow.times[self.at[chosen]] * times[chosen]
        return Traffic(
            self.nodes, self.value[chosen], self.sender[chosen], self.receiver[chosen], self.at[chosen], words,
            self.partial[chosen], self.again[repeated], self.again_node[repeated], self.again_at[repeated],
        )  # fmt: skip

    def pairs(self) -> tuple[Array, Array, Array]:
        """Return senders, receivers and words for each pair of nodes that exchange something, in their order."""
        keys, inverse = np.unique(self.sender * np.int64(self.nodes) + self.receiver, return_inverse=True)
        words = np.bincount(inverse.reshape(-1), self.words, minlength=len(keys))
        return keys // self.nodes, keys % self.nodes, words.astype(np.int64)

    def matrix(self) -> Array:
        """Return the words that each node (row) sends to each other node (column)."""
        found = np.zeros((self.nodes, self.nodes), np.int64)
        np.add.at(found, (self.sender, self.receiver), self.words)
        return found


def count_words(flow: Flow, owner: Array, nodes: int) -> Traffic:
    """Return what nodes have to send for given owners of the vertices.

    Args:
        flow: the flow of values.
        owner: (vertices) node that owns a vertex.
        nodes: number of nodes.
    """
    part = owner[flow.vertex].astype(np.int64)
    needs = [_readers(flow.plain, part, nodes), _meeting_readers(flow, part, nodes), _steered(flow, part, nodes)]
    keys = np.concatenate([each[0] for each in needs])
    at = np.concatenate([each[1] for each in needs])
    order = np.lexsort((at, keys))
    keys, at = keys[order], at[order]
    first = np.concatenate([[True], keys[1:] != keys[:-1]]) if len(keys) else np.zeros(0, bool)
    keys, at = keys[first], at[first]
    sums, sums_at = _partial_sums(flow, part, nodes, keys, at)
    again = _recomputable(flow, part, keys, nodes)
    value = np.concatenate([keys[~again] // nodes, sums // nodes])
    partial = np.zeros(len(value), bool)
    partial[len(value) - len(sums) :] = True
    other = np.concatenate([keys[~again] % nodes, sums % nodes])
    sent_at = np.concatenate([at[~again], sums_at])
    own = part[value]
    return Traffic(
        nodes=nodes,
        value=value,
        sender=np.where(partial, other, own),
        receiver=np.where(partial, own, other),
        at=sent_at,
        words=flow.words[value] * flow.times[sent_at],
        partial=partial,
        again=keys[again] // nodes,
        again_node=keys[again] % nodes,
        again_at=at[again],
    )


def _readers(edges: Edges, part: Array, nodes: int) -> tuple[Array, Array]:
    """Return (value, node) pairs as value · nodes + node for values that another node reads, with the first event."""
    reader = part[edges.sink]
    far = np.flatnonzero(part[edges.source] != reader)
    keys, index = np.unique(edges.source[far] * np.int64(nodes) + reader[far], return_index=True)
    return keys, edges.at[far[index]]


def _meeting_readers(flow: Flow, part: Array, nodes: int) -> tuple[Array, Array]:
    leaving, entering = flow.leaving, flow.entering
    if len(leaving) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    pairs, index = np.unique(leaving.source * np.int64(nodes) + part[leaving.sink], return_index=True)
    edge, pair = expanded(entering.sink, pairs // nodes)
    source, reader = entering.source[edge], (pairs % nodes)[pair]
    far = part[source] != reader
    return source[far] * np.int64(nodes) + reader[far], leaving.at[index][pair][far]


def expanded(sorted_sinks: Array, wanted: Array) -> tuple[Array, Array]:
    """Return the positions of each wanted number among sorted numbers, and for each of them the position in `wanted`.

    Example: [0, 3, 3, 5] and [3, 5] give [1, 2, 3] and [0, 0, 1].
    """
    begin, end = np.searchsorted(sorted_sinks, wanted, "left"), np.searchsorted(sorted_sinks, wanted, "right")
    counts = end - begin
    position = np.repeat(np.arange(len(wanted)), counts)
    edge = np.arange(len(position)) - np.repeat(np.cumsum(counts) - counts, counts) + begin[position]
    return edge, position


def _steered(flow: Flow, part: Array, nodes: int) -> tuple[Array, Array]:
    values, events = flow.steering
    keys = (values[:, None].astype(np.int64) * nodes + np.arange(nodes)).ravel()
    far = part[keys // nodes] != keys % nodes
    return keys[far], np.repeat(events, nodes)[far]


def _partial_sums(flow: Flow, part: Array, nodes: int, needs: Array, needs_at: Array) -> tuple[Array, Array]:
    """Return (sum, node) pairs as sum · nodes + node for partial sums that are sent, with the events of the sums.

    Args:
        flow: the flow of values.
        part: (values) owners.
        nodes: number of nodes.
        needs: sorted (value, node) pairs of all values that other nodes need.
        needs_at: the first events that need them; the event of a sum that uses them, too, can be earlier.
    """
    edges = flow.sums
    holder = part[edges.source]
    far = np.flatnonzero(part[edges.sink] != holder)
    source, owner, at = edges.source[far], part[edges.sink[far]], edges.at[far]
    pairs, index, inverse = np.unique(
        edges.sink[far] * np.int64(nodes) + holder[far], return_index=True, return_inverse=True
    )
    inverse = inverse.reshape(-1)
    held = _contains(needs, source * np.int64(nodes) + owner)
    made = np.flatnonzero(~held & flow.computed[source])  # products of a scalar product, for example
    made = made[_has_sources(flow, part, needs, source[made], owner[made], nodes)]
    held[made] = True
    sent = np.bincount(inverse[~held], minlength=len(pairs)) > 0
    used = np.flatnonzero(held & ~sent[inverse])
    sinks, order = flow.by_sink()
    edge, position = expanded(sinks, source[used])
    source = np.concatenate([source[used], flow.edges.source[order[edge]]])
    owner, at = np.concatenate([owner[used], owner[used][position]]), np.concatenate([at[used], at[used][position]])
    keys = source * np.int64(nodes) + owner
    got = _contains(needs, keys)
    np.minimum.at(needs_at, np.searchsorted(needs, keys[got]), at[got])
    return pairs[sent], edges.at[far[index[sent]]]


def _recomputable(flow: Flow, part: Array, keys: Array, nodes: int) -> Array:
    """Return which (value, node) pairs need no message, because the node has all sources of the value."""
    found: Array = _has_sources(flow, part, keys, keys // nodes, keys % nodes, nodes) & flow.computed[keys // nodes]
    return found


def _has_sources(flow: Flow, part: Array, keys: Array, value: Array, node: Array, nodes: int) -> Array:
    """Return for each value and node whether the node owns or needs all sources of the value.

    Args:
        flow: the flow of values.
        part: (values) owners.
        keys: sorted (value, node) pairs, as value · nodes + node, of the values that nodes need.
        value, node: the values and nodes.
        nodes: number of nodes.
    """
    sinks, order = flow.by_sink()
    edge, position = expanded(sinks, value)
    source, reader = flow.edges.source[order[edge]], node[position]
    has = (part[source] == reader) | _contains(keys, source * np.int64(nodes) + reader)
    meetings = np.flatnonzero((flow.kind[source] & MEETING) != 0)
    if len(meetings):
        pairs, inverse = np.unique(source[meetings] * np.int64(nodes) + reader[meetings], return_inverse=True)
        inner, pair = expanded(flow.entering.sink, pairs // nodes)
        feeding, of = flow.entering.source[inner], (pairs % nodes)[pair]
        lacks = (part[feeding] != of) & ~_contains(keys, feeding * np.int64(nodes) + of)
        has[meetings] = (np.bincount(pair[lacks], minlength=len(pairs)) == 0)[inverse.reshape(-1)]
    found: Array = np.bincount(position[~has], minlength=len(value)) == 0
    return found


def _contains(keys: Array, wanted: Array) -> Array:
    """Return which wanted numbers are among sorted keys."""
    if len(keys) == 0:
        return np.zeros(len(wanted), bool)
    found = np.searchsorted(keys, wanted)
    equal: Array = keys[np.minimum(found, len(keys) - 1)] == wanted
    return equal
