"""K-means: python kmeans.py OBJECTS FEATURES GROUPS STEPS."""

import sys

import numpy as np


def main(n: int, features: int, groups: int, steps: int) -> None:
    """Divide random points into groups, and print the size of the first group."""
    points = np.random.default_rng(1).random((n, features))
    centre = points[:groups].copy()
    for _ in range(steps):
        distance = ((points[:, None, :] - centre[None, :, :]) ** 2).sum(axis=2)
        nearest = distance.argmin(axis=1)
        for c in range(groups):
            member = nearest == c
            centre[c] = points[member].sum(axis=0) / member.sum()
    print(f"{steps} steps with {n} points of {features} features, first centre {centre[0, 0]:.6f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:5]))
