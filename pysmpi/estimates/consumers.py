"""Only consumers of values: a temporary value with one consumer is part of that consumer's computation."""

from typing import Any

import numpy as np

__all__ = ["only_consumers"]

Array = np.ndarray[Any, Any]


def only_consumers(source: Array, sink: Array, values: int) -> Array:
    """Return for each value the only other value that is computed from it; -1 if there are none or several.

    Args:
        source: numbers of values, less than `values`.
        sink: values that are computed from them.
        values: number of values.
    """
    found = np.full(values, -1, np.int32)
    found[source] = sink
    several = source[found[source] != sink]
    found[several] = -1
    return found
