"""Owners of vertices that a cut leaves open: each gets the node that owns most neighbours in the data-flow graph."""

from typing import Any

import numpy as np

from pysmpi.estimates.record import Array
from pysmpi.estimates.value_flow import Flow
from pysmpi.native import ffi, lib

__all__ = ["NOBODY", "Neighbours"]

NOBODY = -1
"""Owner of a vertex that a cut leaves open."""


class Neighbours:
    """Edges between different vertices of a data-flow graph; each pair of vertices counts once.

    Args:
        flow: the data-flow graph.
    """

    def __init__(self, flow: Flow) -> None:
        keys = flow.vertex[flow.edges.source].astype(np.int64)
        keys *= flow.vertices
        keys += flow.vertex[flow.edges.sink]
        keys.sort()  # far quicker than numpy.unique, which hashes them
        keys = keys[np.concatenate([keys[:1] >= 0, keys[1:] != keys[:-1]])]
        source, sink = (each(keys, flow.vertices).astype(np.int32) for each in (np.floor_divide, np.remainder))
        apart = source != sink
        source, sink = source[apart], sink[apart]
        self._graph: Any = ffi.gc(
            lib.pysmpi_create_vertex_graph(
                flow.vertices, len(source), ffi.from_buffer("int32_t[]", source), ffi.from_buffer("int32_t[]", sink)
            ),
            lib.pysmpi_free_vertex_graph,
        )

    def owned(self, owner: Array, nodes: int, by_sources: Array) -> Array:
        """Return the owners of all vertices; open ones get the node that owns most of their neighbours.

        Args:
            owner: (vertices) node that owns each vertex, or NOBODY for an open one.
            nodes: number of nodes.
            by_sources: (vertices) True if the vertices that an open one is computed from decide its owner, False if
                those that read it do.
        """
        found = owner.astype(np.int32)
        lib.pysmpi_own_like_neighbours(
            self._graph,
            nodes,
            ffi.from_buffer("uint8_t[]", by_sources.view(np.uint8)),
            ffi.from_buffer("int32_t[]", found, require_writable=True),
        )
        return found
