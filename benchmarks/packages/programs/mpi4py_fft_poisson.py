"""Poisson's equation on a periodic cube, solved by mpi4py-fft's transform, whose slabs or pencils lie on all ranks."""

import numpy as np
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

POINTS = (12, 15, 16)

world = MPI.COMM_WORLD
for slab in (True, False):
    transform = PFFT(world, POINTS, axes=(0, 1, 2), dtype=float, slab=slab)
    values = newDistArray(transform, False)
    grid = np.meshgrid(*(2 * np.pi * np.arange(points) / points for points in POINTS), indexing="ij")
    exact = (np.sin(grid[0]) * np.cos(2 * grid[1]) * np.sin(3 * grid[2]))[values.local_slice()]
    values[...] = -14 * exact
    waves = transform.forward(values, newDistArray(transform, True))
    frequencies = [np.fft.fftfreq(points, 1 / points) for points in POINTS[:2]]
    numbers = np.meshgrid(*frequencies, np.fft.rfftfreq(POINTS[2], 1 / POINTS[2]), indexing="ij")
    squares = sum(number**2 for number in numbers)[waves.local_slice()]
    waves /= -np.where(squares == 0, 1, squares)
    found = transform.backward(waves, newDistArray(transform, False))
    error = world.allreduce(float(abs(found - exact).max()), op=MPI.MAX)
    print(world.rank, slab, found.shape, waves.shape, error < 1e-12)
