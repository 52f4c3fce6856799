"""Random numbers for the noise of BLAS calls: one small generator for each rank."""

import hashlib
import math

import numpy as np
import numpy.typing as npt

__all__ = ["Normal"]

_GOLDEN = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1
_MIXES = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


class Normal:
    """Generator of standard normal numbers: splitmix64 (Steele, Lea and Flood, 2014) with the Box-Muller transform.

    Each rank has its own generator. Its state is a few bytes, whereas a generator of NumPy takes more than 2 KB.
    """

    __slots__ = ("_state",)

    def __init__(self, seed: int, rank: int) -> None:
        text = f"{seed} {rank} blas"
        self._state = int.from_bytes(hashlib.shake_128(text.encode()).digest(8), "little")

    def draw(self) -> float:
        """Return the next standard normal number."""
        radius = math.sqrt(-2 * math.log(self._uniform()))
        return radius * math.cos(2 * math.pi * self._uniform())

    def draw_several(self, count: int) -> npt.NDArray[np.float64]:
        """Return the next `count` standard normal numbers, float64; the last bits may differ from those of `draw`."""
        words = np.arange(1, 2 * count + 1, dtype=np.uint64) * np.uint64(_GOLDEN) + np.uint64(self._state)
        self._state = (self._state + 2 * count * _GOLDEN) & _WORD
        for shift, factor in _MIXES:
            words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
        uniform = (((words ^ (words >> np.uint64(31))) >> np.uint64(11)).astype(float) + 1) * 2.0**-53
        numbers: npt.NDArray[np.float64] = np.sqrt(-2 * np.log(uniform[::2])) * np.cos(2 * np.pi * uniform[1::2])
        return numbers

    def _uniform(self) -> float:
        """Return the next random number, uniform in (0, 1]."""
        self._state = word = (self._state + _GOLDEN) & _WORD
        for shift, factor in _MIXES:
            word = ((word ^ (word >> shift)) * factor) & _WORD
        return (((word ^ (word >> 31)) >> 11) + 1) * 2.0**-53
