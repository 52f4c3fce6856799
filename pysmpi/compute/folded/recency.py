"""How far away what a rank is about to touch is: how many bytes it has touched since it last touched the same ones."""

import math
import weakref
from typing import Any

__all__ = ["Recency", "is_whole", "whole_of"]

_MOST_PIECES = 32  # that are remembered; what was touched before them is far away

# The C library's allocator (glibc's malloc; its manual, "Memory Allocation Tunable Parameters"): smaller arrays have
# memory that stays, larger ones get and give back theirs each time; between them memory goes back once twice as much is
# free as the largest array took that went.
_STAYS_BELOW, _GOES_ABOVE = 128 << 10, 32 << 20


class _Piece:
    """Memory of an array, views of it included."""

    __slots__ = ("size", "whole")

    def __init__(self, whole: Any, size: int) -> None:
        self.whole = weakref.ref(whole)
        self.size = size  # bytes that were touched


class Recency:
    """The arrays that one rank has touched, the most recent last.

    An array that goes leaves its memory to the next result of the same size, as the C library's allocator has it.
    """

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []
        self._largest = 0  # of the arrays that went, bytes

    def touch(self, array: Any) -> float:
        """The distance to an array that is there already, which becomes the nearest; infinite if it is not known.

        A small part of a larger array does not bring the rest of it nearer.
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
        """The distance to the memory that a new array takes, and whether the kernel has to give it first."""
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
    """The array that a view is of; itself, if it is none."""
    base = array.base
    return array if base is None or not hasattr(base, "nbytes") or not hasattr(base, "strides") else base


def is_whole(array: Any) -> bool:
    """It is no view of another array."""
    return whole_of(array) is array
