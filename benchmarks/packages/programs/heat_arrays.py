"""Compute with arrays of heat that are split over the ranks: reductions, a product, sorting, k-means."""

import heat as ht

x = ht.arange(40, dtype=ht.float32, split=0).reshape((8, 5))
y = ht.matmul(x, x.T)
values, _ = ht.sort(ht.array([5, 3, 9, 1, 7, 2, 8, 4], split=0), axis=0)
if ht.MPI_WORLD.rank == 0:
    print("shape", x.lshape, y.shape)
total, mean, largest = float(y.sum()), float(x.mean()), float(ht.max(x))
ordered = values.resplit(None).tolist()
print(ht.MPI_WORLD.rank, total, mean, largest, ordered)
