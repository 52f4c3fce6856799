"""Shape of ``array[key]``, found without selecting elements, and whether the result is a view."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pysmpi.simulation.compute.folded.memory import is_folded
from pysmpi.simulation.compute.folded.results import contents_matter

__all__ = ["is_basic", "selected_shape"]

# Types of basic indices; strings are names of fields.
_BASIC = (int, np.integer, slice, type(None), type(Ellipsis), str)
_USUAL = frozenset({int, slice, type(None), type(Ellipsis)})


def is_basic(key: Any) -> bool:
    """Return whether indexing with `key` gives a view or a single element in NumPy, not a copy."""
    if type(key) in _USUAL:
        return True
    for part in key if type(key) is tuple else (key,):
        if type(part) not in _USUAL and (not isinstance(part, _BASIC) or isinstance(part, bool)):
            return False
    return True


def selected_shape(shape: Sequence[int], key: Any, *, at_most: bool = False) -> tuple[int, ...]:
    """Return the shape of ``array[key]`` for an index that contains arrays or lists.

    Args:
        shape: shape of the array.
        key: the index.
        at_most: how to treat a mask that is a folded array, so that its values are unknown: True to assume that it
            selects everything, False to raise an error.

    Raises:
        FoldedMemoryError: the shape depends on the contents of a folded array.
        IndexError: the index has more entries than the array has dimensions.
    """
    parts = [part if is_basic(part) else np.asanyarray(part) for part in _parts(key)]
    consumed = sum(_consumed(part) for part in parts)
    if consumed > len(shape):
        raise IndexError(f"too many indices: the array is {len(shape)}-dimensional, but {consumed} were indexed")
    if not any(part is Ellipsis for part in parts):
        parts.append(Ellipsis)
    advanced = [i for i, part in enumerate(parts) if isinstance(part, np.ndarray | int | np.integer)]
    broadcast: list[tuple[int, ...]] = []
    before: list[int] = []  # dimensions of the result without those of the index arrays, which go in at `place`
    place = 0
    axis = 0
    for i, part in enumerate(parts):
        if i == advanced[0]:
            place = len(before)
        if part is None:
            before.append(1)
        elif part is Ellipsis:
            rest = len(shape) - consumed
            before += shape[axis : axis + rest]
            axis += rest
        elif isinstance(part, slice):
            before.append(len(range(*part.indices(shape[axis]))))
            axis += 1
        elif isinstance(part, np.ndarray) and part.dtype == bool:
            broadcast.append((_how_many(part, at_most),))
            axis += part.ndim
        else:
            broadcast.append(np.shape(part))
            axis += 1
    if advanced != list(range(advanced[0], advanced[-1] + 1)):
        place = 0  # index arrays apart from each other: NumPy puts their dimensions first
    return (*before[:place], *np.broadcast_shapes(*broadcast), *before[place:])


def _parts(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _consumed(part: Any) -> int:
    if part is None or part is Ellipsis:
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype == bool else 1


def _how_many(mask: "np.ndarray[Any, np.dtype[Any]]", at_most: bool) -> int:
    if not is_folded(mask):
        return int(np.count_nonzero(mask))
    if at_most:
        return mask.size
    raise contents_matter("an index with a folded mask", "use an assumed number of selected elements instead")
