"""Distribute particles over a cube's parts and overload their edges with MPIPartition, as in its documentation."""

import numpy as np
from mpipartition import Partition, distribute, overload

partition = Partition(3)
generator = np.random.default_rng(partition.rank)
n = 500
data = {name: generator.uniform(0, 1, n) for name in "xyz"}
data["id"] = partition.rank * n + np.arange(n)
data = distribute(partition, 1.0, data, ("x", "y", "z"))
for i, name in enumerate("xyz"):
    assert ((data[name] >= partition.origin[i]) & (data[name] < partition.origin[i] + partition.extent[i])).all()
print(partition.rank, len(data["x"]), len(overload(partition, 1.0, data, 0.1, ("x", "y", "z"))["x"]))
