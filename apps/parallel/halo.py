"""Blocks of grids with rims, and the exchange of rims with neighbours: used by the programs of this folder."""

from collections.abc import Iterator

import numpy as np
from mpi4py import MPI


def share(points: int, parts: int, part: int) -> tuple[int, int]:
    """Return the first point of a part, and the first point after it, for points divided as evenly as possible."""
    return points * part // parts, points * (part + 1) // parts


class Grid:
    """Grid of `points` points along each axis, divided into a block for each rank of a communicator.

    Ranks have the places that MPI_Cart_create gives them, but no message is sent to set up the grid.

    Attributes:
        bounds: for each axis, the first point of this rank's block, and the first point after it.
        shape: shape of an array for the block and its rims.
    """

    def __init__(self, comm: MPI.Comm, points: int, axes: int, *, periodic: bool = False) -> None:
        self.comm = comm
        self.periodic = periodic
        self.dims = MPI.Compute_dims(comm.size, axes)
        self.coords = [int(each) for each in np.unravel_index(comm.rank, self.dims)]
        self.bounds = [share(points, parts, part) for parts, part in zip(self.dims, self.coords, strict=True)]
        self.shape = [high - low + 2 for low, high in self.bounds]

    def places(self, begin: int, end: int) -> tuple[slice, ...]:
        """Return where the points `begin` to `end` of each axis are in the block; point 0 is in the grid's own rim."""
        return tuple(slice(max(begin - low, 0), max(end - low, 0)) for low, _ in self.bounds)

    def owns(self, point: int) -> bool:
        """Return whether the point with this number on each axis is in the block, without its rims."""
        return all(low < point <= high for low, high in self.bounds)

    def exchange(self, u: np.ndarray) -> None:
        """Exchange rims of one point with all neighbours; messages of the lowest rank are posted first."""
        arriving, leaving = [], []
        for rank, tag, rim, edge in sorted(self._sides(), key=lambda side: side[0]):
            buffer = np.empty(u[rim].shape)
            arriving.append((self.comm.Irecv(buffer, rank, tag ^ 1), rim, buffer))
            leaving.append((rank, tag, np.ascontiguousarray(u[edge])))
        sends = [self.comm.Isend(data, rank, tag) for rank, tag, data in leaving]
        MPI.Request.Waitall([*(request for request, _, _ in arriving), *sends])
        for _, rim, buffer in arriving:
            u[rim] = buffer

    def _sides(self) -> Iterator[tuple[int, int, tuple[slice | int, ...], tuple[slice | int, ...]]]:
        """Yield the neighbours: rank, tag of messages to it, its points in the rim, and the points that it needs."""
        for axis, parts in enumerate(self.dims):
            for shift, rim, edge in ((-1, 0, 1), (1, -1, -2)):
                place = self.coords[axis] + shift
                if self.periodic or 0 <= place < parts:
                    coords = [*self.coords[:axis], place % parts, *self.coords[axis + 1 :]]
                    rank = int(np.ravel_multi_index(coords, self.dims))
                    yield rank, 2 * axis + (shift > 0), self._plane(axis, rim), self._plane(axis, edge)

    def _plane(self, axis: int, place: int) -> tuple[slice | int, ...]:
        return tuple(place if each == axis else slice(1, -1) for each in range(len(self.dims)))
