"""K-means on many ranks, each with a part of the points: python kmeans.py OBJECTS FEATURES GROUPS STEPS. It computes
what sequential/kmeans.py does."""

import sys

import numpy as np
from halo import share
from mpi4py import MPI


def main(n: int, features: int, groups: int, steps: int) -> None:
    """Divide random points into groups, and print the size of the first group."""
    world = MPI.COMM_WORLD
    first, last = share(n, world.size, world.rank)
    points = np.random.default_rng(1).random((n, features))
    centre = points[:groups].copy()
    points = points[first:last]
    sums = np.zeros((groups, features + 1))  # of the members' features; and their number
    for _ in range(steps):
        distance = ((points[:, None, :] - centre[None, :, :]) ** 2).sum(axis=2)
        nearest = distance.argmin(axis=1)
        for c in range(groups):
            member = nearest == c
            sums[c, :-1] = points[member].sum(axis=0)
            sums[c, -1] = member.sum()
        world.Reduce(MPI.IN_PLACE if world.rank == 0 else sums, sums)
        if world.rank == 0:
            centre = sums[:, :-1] / sums[:, -1:]
        world.Bcast(centre)
    if world.rank == 0:
        print(f"{steps} steps with {n} points of {features} features, first centre {centre[0, 0]:.6f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:5]))
