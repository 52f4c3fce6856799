"""Distribute particles over a square's parts and overload their edges with MPIPartition, as in its documentation."""

import numpy as np
from mpipartition import Partition, distribute, overload

partition = Partition(2)
generator = np.random.default_rng(partition.rank)
n = 500
data = {name: generator.uniform(0, 1, n) for name in "xy"}
data["id"] = partition.rank * n + np.arange(n)
data = distribute(partition, 1.0, data, ("x", "y"))
for i, name in enumerate("xy"):
    assert ((data[name] >= partition.origin[i]) & (data[name] < partition.origin[i] + partition.extent[i])).all()
print(partition.rank, len(data["x"]), len(overload(partition, 1.0, data, 0.1, ("x", "y"))["x"]))
