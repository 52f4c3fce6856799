"""Group parts of a table with pandas in each rank, send the parts as pickles, and join them in rank 0."""

import numpy as np
import pandas as pd
from mpi4py import MPI

world = MPI.COMM_WORLD
generator = np.random.default_rng(world.rank)
table = pd.DataFrame({"key": generator.integers(0, 5, 100), "value": generator.normal(size=100)})
parts = world.gather(table.groupby("key").agg({"value": ["sum", "count"]}))
if parts is not None:
    print(pd.concat(parts).groupby(level=0).sum().round(9).to_string())
dates = world.bcast(pd.date_range("2024-01-01", periods=3) if world.rank == 0 else None)
print(world.rank, dates[world.rank % 3].day_name())
