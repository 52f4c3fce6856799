"""Exact count of the words that nodes send with a cut.

Each value is sent once to each other node that reads it. If a node has all sources of a value, because it owns them,
receives them for another use or can compute them in the same way, it computes the value itself instead. For a sum, each
other node that holds a part of the elements sends one partial result, unless the owner of the sum needs all elements of
this part anyway. Values that decide what the program does next are sent to all nodes.

Example: nodes 0 and 1 own 2 elements each of u, and `u[1:-1] = u[:-2] + u[2:]` is computed. u[2] is computed by node 1
from u[1] and u[3], so u[1] is sent from 0 to 1. In the same way u[2] is sent from 1 to 0: 2 words.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pysmpi.estimates.record import Array
from pysmpi.estimates.value_flow import Flow
from pysmpi.native import ffi, lib

__all__ = ["Traffic", "count_words", "total_words"]


@dataclass
class Traffic:
    """Contents of the messages for one cut: an entry for each pair of a value (or partial sum) and its receiver.

    Values, and executions of statements, are those of the data-flow graph (`pysmpi.estimates.value_flow.Flow`).

    Attributes:
        nodes: number of nodes.
        value: (entries) value that is sent, or whose partial sum is sent.
        sender: (entries) node that sends it.
        receiver: (entries) node that receives it.
        at: (entries) execution that needs it first.
        words: (entries) size in words of 8 bytes, times the repetitions of the execution.
        partial: (entries) True for a partial sum.
        again: (repeated computations) value that a node computes itself instead of receiving it.
        again_node: (repeated computations) this node.
        again_at: (repeated computations) execution that needs the value first.
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
        """Words of 8 bytes that all nodes together send."""
        return int(self.words.sum())

    def in_step(self, flow: Flow) -> "Traffic":
        """Return the part of the traffic that is sent in the last step of a run, such as a time step.

        Args:
            flow: data-flow graph of the run. If it has no repeated steps, all traffic is returned.
        """
        times = flow.step_times[self.at]
        chosen, repeated = times > 0, flow.step_times[self.again_at] > 0
        words = self.words[chosen] // flow.times[self.at[chosen]] * times[chosen]
        return Traffic(
            self.nodes, self.value[chosen], self.sender[chosen], self.receiver[chosen], self.at[chosen], words,
            self.partial[chosen], self.again[repeated], self.again_node[repeated], self.again_at[repeated],
        )  # fmt: skip

    def pairs(self) -> tuple[Array, Array, Array]:
        """Return three arrays: sender, receiver and sent words, for each pair of nodes between which words are sent.

        They are sorted by sender.
        """
        keys, inverse = np.unique(self.sender * np.int64(self.nodes) + self.receiver, return_inverse=True)
        words = np.bincount(inverse.reshape(-1), self.words, minlength=len(keys))
        return keys // self.nodes, keys % self.nodes, words.astype(np.int64)

    def matrix(self) -> Array:
        """Return the words that each node (row) sends to each other node (column)."""
        found = np.zeros((self.nodes, self.nodes), np.int64)
        np.add.at(found, (self.sender, self.receiver), self.words)
        return found


def count_words(flow: Flow, owner: Array, nodes: int) -> Traffic:
    """Return the contents of all messages that nodes have to send, given which node owns what.

    Args:
        flow: the data-flow graph.
        owner: (vertices) node that owns each array element or scalar.
        nodes: number of nodes.
    """
    part, count = _counted(flow, owner, nodes)
    value, receiver, at = _copied(lib.pysmpi_sent_values(count))
    sums, holder, sums_at = _copied(lib.pysmpi_sent_parts(count))
    again, again_node, again_at = _copied(lib.pysmpi_repeated_values(count))
    values, at = np.concatenate([value, sums]), np.concatenate([at, sums_at])
    partial = np.arange(len(values)) >= len(value)
    return Traffic(
        nodes=nodes,
        value=values,
        sender=np.concatenate([part[value], holder]),
        receiver=np.concatenate([receiver, part[sums]]),
        at=at,
        words=flow.words[values] * flow.times[at],
        partial=partial,
        again=again,
        again_node=again_node,
        again_at=again_at,
    )


def total_words(flow: Flow, owner: Array, nodes: int) -> tuple[int, list[Array]]:
    """Return the number of words that nodes send in the whole run; faster than `count_words`, with the same arguments.

    Returns:
        The words, and the values that nodes compute themselves instead of receiving them: three arrays, which are the
        attributes `again`, `again_node` and `again_at` of `Traffic`.
    """
    _, count = _counted(flow, owner, nodes)
    return lib.pysmpi_counted_words(count), _copied(lib.pysmpi_repeated_values(count))


def _counted(flow: Flow, owner: Array, nodes: int) -> tuple[Array, Any]:
    """Count the words that nodes send, in native code.

    Returns:
        (values) node that owns each value; and the handle from which the native functions read the results.
    """
    part = np.ascontiguousarray(owner[flow.vertex], np.int32)
    count = lib.pysmpi_count_words(flow.graph(), ffi.from_buffer("int32_t[]", part), nodes)
    return part, ffi.gc(count, lib.pysmpi_free_word_count)


def _copied(needs: Any) -> list[Array]:
    """Return copies of the three arrays of a native struct: numbers of values, of nodes and of executions."""
    return [
        np.frombuffer(ffi.buffer(column, 4 * needs.length), np.int32).astype(np.int64)
        if needs.length
        else np.zeros(0, np.int64)
        for column in (needs.value, needs.node, needs.at)
    ]
