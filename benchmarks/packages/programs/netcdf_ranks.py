"""Write netCDF and zarr in each rank, and open all parts with xarray in rank 0."""

import netCDF4
import numpy as np
import xarray as xr
from mpi4py import MPI

world = MPI.COMM_WORLD
with netCDF4.Dataset(f"part-{world.rank}.nc", "w") as file:
    file.createDimension("x", 4)
    file.createVariable("t", "f8", ("x",))[:] = np.arange(4) + 10 * world.rank
world.Barrier()
if world.rank == 0:
    parts = [xr.load_dataset(f"part-{rank}.nc") for rank in range(world.size)]
    whole = xr.concat(parts, dim="x")
    whole.to_zarr("whole.zarr", mode="w")
    print(float(whole.t.mean()), dict(whole.sizes))
world.Barrier()
print(world.rank, float(xr.open_zarr("whole.zarr").t[4 * world.rank]))
