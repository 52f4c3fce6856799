"""Solve a diffusion equation with Devito's generated C code, on a grid that is split over the ranks."""

import numpy as np
from devito import Eq, Grid, Operator, TimeFunction, configuration, solve

configuration["mpi"] = True
configuration["log-level"] = "ERROR"
grid = Grid(shape=(16, 16))
u = TimeFunction(name="u", grid=grid, space_order=2)
u.data[0, 4:8, 4:8] = 1.0
Operator([Eq(u.forward, solve(Eq(u.dt, 0.1 * u.laplace), u.forward))])(time_M=5, dt=0.001)
total = grid.distributor.comm.allreduce(float(np.sum(u.data[0])))
print(grid.distributor.myrank, u.data[0].shape, round(total, 4))
