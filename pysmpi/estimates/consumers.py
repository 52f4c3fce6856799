"""Values that are used in one computation only; if they are temporary, they are a part of this computation."""

from typing import Any

import numpy as np

__all__ = ["only_consumers"]

Array = np.ndarray[Any, Any]


def only_consumers(source: Array, sink: Array, values: int) -> Array:
    """Return for each value the only other value that is computed from it; -1 if there are none or several.

    Args:
        source: (edges) number of the value that is read.
        sink: (edges) number of the value that is computed from it.
        values: number of values.
    """
    found = np.full(values, -1, np.int32)
    found[source] = sink
    several = source[found[source] != sink]
    found[several] = -1
    return found
