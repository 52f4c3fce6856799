"""Write a file of HDF5 in each rank, then read the files of the neighbours."""

import h5py
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
with h5py.File(f"part-{world.rank}.h5", "w") as file:
    data = file.create_dataset("x", data=np.arange(10) * world.rank, chunks=(5,), compression="gzip")
    data.attrs["rank"] = world.rank
world.Barrier()
with h5py.File(f"part-{(world.rank + 1) % world.size}.h5") as file:
    print(world.rank, file["x"].attrs["rank"], file["x"][:].sum())
