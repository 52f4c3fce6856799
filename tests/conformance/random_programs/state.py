"""State of a rank while it runs a random program."""

import hashlib
import pathlib
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from mpi4py import MPI

__all__ = ["Array", "Draw", "State"]

Array = npt.NDArray[Any]


class Draw:
    """Draws that are the same in all versions of Python, and on all ranks."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random

    def below(self, end: int) -> int:
        return int(self._random() * end)

    def between(self, least: int, most: int) -> int:
        return least + self.below(most - least + 1)

    def of(self, items: Sequence[Any]) -> Any:
        return items[self.below(len(items))]

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def shuffled(self, items: Sequence[Any]) -> list[Any]:
        keyed = sorted((self._random(), index) for index in range(len(items)))
        return [items[index] for _, index in keyed]

    def count(self) -> int:
        """Return a number of elements: mostly small, now and then beyond the size of eager messages."""
        return int(self.of((0, 1, 2, 3, 7, 16, 100, 1000, 5000, 20000)))


class State:
    """A rank's part in a program: its communicator, its draws, and a digest of all data that it has received."""

    def __init__(self, seed: str, step: int, comm: MPI.Intracomm, folder: pathlib.Path) -> None:
        self.draw = Draw(f"{seed}/{step}")
        self.comm = comm
        self.rank, self.size = comm.rank, comm.size
        self.folder = folder
        self.name = f"{seed}-{step}"
        self._digest = hashlib.blake2b(digest_size=8)

    def data(self, count: int, salt: int = 0, dtype: str = "i8") -> Array:
        """Return `count` small whole numbers that differ from rank to rank."""
        return ((np.arange(count) * 7 + self.rank * 13 + salt * 3) % 101 + 1).astype(dtype)

    def take(self, *received: Any) -> None:
        """Add arrays, or objects with a stable text, to the digest."""
        for each in received:
            text = each.tobytes() if isinstance(each, np.ndarray) else repr(each).encode()
            self._digest.update(text + b"|")

    def counts(self, ranks: int | None = None) -> list[int]:
        """Return a number of elements for each rank, some of them zero; the same on all ranks."""
        return [self.draw.of((0, 1, 2, 5, 50, 3000)) for _ in range(ranks or self.size)]

    def digest(self) -> str:
        return self._digest.hexdigest()
