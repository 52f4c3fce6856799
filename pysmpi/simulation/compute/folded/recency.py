"""Reuse distance of data: the number of bytes that a rank has touched since it last touched the same data."""

import math
import weakref
from typing import Any

__all__ = ["Recency", "is_whole", "whole_of"]

_MOST_PIECES = 32  # arrays that are remembered; older ones count as infinitely far away

# Thresholds of glibc's malloc (its manual, "Memory Allocation Tunable Parameters"). Memory of arrays below the first
# threshold stays with the process when they are freed. Arrays above the second threshold return their memory to the
# kernel at once. In between, free memory is returned when it reaches twice the size of the largest freed array.
_STAYS_BELOW, _GOES_ABOVE = 128 << 10, 32 << 20


class _Piece:
    """Memory of one array that a rank has touched; touching a view counts as touching its array."""

    __slots__ = ("size", "whole")

    def __init__(self, whole: Any, size: int) -> None:
        self.whole = weakref.ref(whole)
        self.size = size  # touched bytes


class Recency:
    """Arrays that one rank has touched, the most recent last.

    The memory of a freed array is reused for the next result of the same size, as by the C library's allocator.
    """

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []
        self._largest = 0  # size of the largest freed array, bytes

    def touch(self, array: Any) -> float:
        """Return the reuse distance of an array in bytes (infinity if unknown), and record the new access.

        An access to a small part of the array (less than half) is not recorded, because most of the array has not been
        accessed.
        """
        whole = whole_of(array)
        size = array.nbytes
        distance = 0
        for place in reversed(range(len(self._pieces))):
            piece = self._pieces[place]
            distance += piece.size
            if piece.whole() is whole:
                if 2 * size >= piece.size:
                    piece.size = size
                    self._to_the_end(place)
                return distance
        if 2 * size >= whole.nbytes:
            self._append(_Piece(whole, size))
        return math.inf

    def make(self, array: Any) -> tuple[float, bool]:
        """Return the reuse distance in bytes of a new array's memory, and whether the kernel provides it afresh, which
        takes extra time."""
        size = array.nbytes
        self._give_back()
        distance = 0
        for place in reversed(range(len(self._pieces))):
            piece = self._pieces[place]
            distance += piece.size
            if piece.size == size and piece.whole() is None:
                piece.whole = weakref.ref(array)
                self._to_the_end(place)
                return distance, False
        self._append(_Piece(array, size))
        return math.inf, size >= _STAYS_BELOW

    def _give_back(self) -> None:
        gone = [piece for piece in self._pieces if piece.size >= _STAYS_BELOW and piece.whole() is None]
        sizes = [piece.size for piece in gone if piece.size <= _GOES_ABOVE]
        self._largest = max([self._largest, *sizes])
        all_go = sum(sizes) >= 2 * self._largest
        if all_go or len(sizes) < len(gone):
            self._pieces = [
                piece for piece in self._pieces if piece not in gone or not (all_go or piece.size > _GOES_ABOVE)
            ]

    def _to_the_end(self, place: int) -> None:
        self._pieces.append(self._pieces.pop(place))

    def _append(self, piece: _Piece) -> None:
        self._pieces.append(piece)
        if len(self._pieces) > _MOST_PIECES:
            del self._pieces[0]


def whole_of(array: Any) -> Any:
    """Return the array that a view belongs to, or the array itself if it is not a view."""
    base = array.base
    return array if base is None or not hasattr(base, "nbytes") or not hasattr(base, "strides") else base


def is_whole(array: Any) -> bool:
    """Return whether an array is not a view of another."""
    return whole_of(array) is array
