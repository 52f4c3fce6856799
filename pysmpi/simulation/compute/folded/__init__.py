"""Folded arrays: memory whose contents do not matter, so that large arrays cost only address space."""

from pysmpi.simulation.compute.folded.allocation import folded_empty, partial_shared_malloc, shared_free, shared_malloc
from pysmpi.simulation.compute.folded.memory import FoldedMemoryError, is_folded

__all__ = [
    "FoldedMemoryError",
    "folded_empty",
    "is_folded",
    "partial_shared_malloc",
    "shared_free",
    "shared_malloc",
]
