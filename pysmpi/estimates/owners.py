"""Owners of vertices that have no owner of their own: the node that owns most of their neighbours in the flow."""

from dataclasses import dataclass

import numpy as np

from pysmpi.estimates.flow import Flow
from pysmpi.estimates.recorder import Array

__all__ = ["NOBODY", "Neighbours", "neighbours_of", "owned_like_neighbours"]

NOBODY = -1


@dataclass
class Neighbours:
    """Edges between vertices, without repetitions.

    Attributes:
        source, sink: vertices.
        share: cost of moving the source to one more node, divided among its readers: 1 / number of readers.
    """

    source: Array
    sink: Array
    share: Array


def neighbours_of(flow: Flow) -> Neighbours:
    """Return the edges between the vertices of a flow."""
    source, sink = flow.vertex[flow.edges.source], flow.vertex[flow.edges.sink]
    keys = np.sort(source * np.int64(flow.vertices) + sink)  # far quicker than numpy.unique, which hashes them
    keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    source, sink = keys // flow.vertices, keys % flow.vertices
    apart = source != sink
    source, sink = source[apart], sink[apart]
    return Neighbours(source, sink, 1.0 / np.bincount(source, minlength=1)[source])


def owned_like_neighbours(near: Neighbours, owner: Array, nodes: int, by_sources: Array) -> Array:
    """Return owners for all vertices.

    Args:
        near: the edges.
        owner: (vertices) owners, or NOBODY for vertices that follow their neighbours.
        nodes: number of nodes.
        by_sources: (vertices) whether a vertex follows the vertices it is computed from; else those that read it.
    """
    owner = owner.copy()
    for _ in range(len(owner)):  # each round gives an owner to one more vertex at least
        open_sources = owner[near.source] == NOBODY
        open_sinks = owner[near.sink] == NOBODY
        to_sink = open_sources & ~open_sinks & ~by_sources[near.source]
        to_source = open_sinks & ~open_sources & by_sources[near.sink]
        if not (to_sink.any() or to_source.any()):  # nothing but the other direction is left
            to_sink = open_sources & ~open_sinks
            if not to_sink.any():
                to_source = open_sinks & ~open_sources
                if not to_source.any():
                    break
        vertex = np.concatenate([near.source[to_sink], near.sink[to_source]])
        votes = np.concatenate([owner[near.sink[to_sink]], owner[near.source[to_source]]])
        weight = np.concatenate([np.ones(int(to_sink.sum())), near.share[to_source]])
        keys, inverse = np.unique(vertex * np.int64(nodes) + votes, return_inverse=True)
        weights = np.round(np.bincount(inverse.reshape(-1), weight), 9)
        order = np.lexsort((keys % nodes, -weights, keys // nodes))
        winners = keys[order]
        first = np.concatenate([[True], winners[1:] // nodes != winners[:-1] // nodes])
        owner[winners[first] // nodes] = winners[first] % nodes
    owner[owner == NOBODY] = 0
    return owner
