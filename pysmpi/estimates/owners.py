"""Owners of vertices that have no owner of their own: the node that owns most of their neighbours in the flow."""

from typing import Any

import numpy as np

from pysmpi.estimates.record import Array
from pysmpi.estimates.value_flow import Flow
from pysmpi.native import ffi, lib

__all__ = ["NOBODY", "Neighbours"]

NOBODY = -1


class Neighbours:
    """Edges between the vertices of a flow, without repetitions.

    Args:
        flow: the flow.
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
        """Return owners for all vertices, by votes of their neighbours.

        Args:
            owner: (vertices) owners, or NOBODY for vertices that follow their neighbours.
            nodes: number of nodes.
            by_sources: (vertices) whether a vertex follows the vertices it is computed from; else those that read it.
        """
        found = owner.astype(np.int32)
        lib.pysmpi_own_like_neighbours(
            self._graph,
            nodes,
            ffi.from_buffer("uint8_t[]", by_sources.view(np.uint8)),
            ffi.from_buffer("int32_t[]", found, require_writable=True),
        )
        return found
