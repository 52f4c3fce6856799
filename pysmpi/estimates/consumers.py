"""Values that are used in one computation only; if they are temporary, they are a part of this computation."""

from typing import Any

import numpy as np

__all__ = ["only_consumers"]

Array = np.ndarray[Any, Any]


def only_consumers(source: Array, sink: Array, values: int) -> Array:
    """Find values of a data-flow graph that are used in one computation only.

    Example: with the edges 0 -> 2, 1 -> 2, 1 -> 3 the result is 2 for value 0, and -1 for 1, 2 and 3.

    Args:
        source: (edges) number of the value that is read.
        sink: (edges) number of the value that is computed from it.
        values: number of values.

    Returns:
        (values) number of the only value that is computed from each value; -1 if there are none or several.
    """
    found = np.full(values, -1, np.int32)
    found[source] = sink
    several = source[found[source] != sink]
    found[several] = -1
    return found
