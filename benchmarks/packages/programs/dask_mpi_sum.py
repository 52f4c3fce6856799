"""Start dask's scheduler and workers on ranks with dask-mpi, and sum an array on them."""

import dask.array as da
from dask_mpi import initialize
from distributed import Client

initialize(dashboard=False)
with Client() as client:
    print(int(da.arange(1000, chunks=100).sum().compute()), len(client.scheduler_info()["workers"]))
