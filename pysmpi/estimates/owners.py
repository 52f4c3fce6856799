"""Owners of array elements and scalars that a cut assigns to no node.

Each gets the node that owns most of its neighbours in the data-flow graph.
"""

from typing import Any

import numpy as np

from pysmpi.estimates.record import Array
from pysmpi.estimates.value_flow import Flow
from pysmpi.native import ffi, lib

__all__ = ["NOBODY", "Neighbours"]

NOBODY = -1
"""Number that stands for the owner of an array element or scalar that a cut assigns to no node."""


class Neighbours:
    """Neighbours of each array element and scalar (vertex) in a data-flow graph, which decide its owner.

    Each pair of neighbours counts once, even if several edges join it.

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
        """Return the owners of all vertices; those without an owner get the node that owns most of their neighbours.

        Args:
            owner: (vertices) node that owns each vertex, or NOBODY.
            nodes: number of nodes.
            by_sources: (vertices) True if the vertices from which a vertex without owner is computed decide its owner;
                False if those that are computed from it do.
        """
        found = owner.astype(np.int32)
        lib.pysmpi_own_like_neighbours(
            self._graph,
            nodes,
            ffi.from_buffer("uint8_t[]", by_sources.view(np.uint8)),
            ffi.from_buffer("int32_t[]", found, require_writable=True),
        )
        return found
