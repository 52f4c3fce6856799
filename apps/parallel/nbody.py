"""Gravity of many particles on many ranks: python nbody.py PARTICLES STEPS. It computes what sequential/nbody.py does.

Each rank has a part of the particles. In each step it gets the positions of all others.
"""

import sys

import numpy as np
from halo import share
from mpi4py import MPI

GRAVITY, SOFTENING, STEP = 1.0, 0.1, 0.01


def acceleration(own: np.ndarray, position: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Return the accelerations of own particles by the attraction of all."""
    difference = [position[:, axis] - own[:, axis : axis + 1] for axis in range(3)]
    inverse = (difference[0] ** 2 + difference[1] ** 2 + difference[2] ** 2 + SOFTENING**2) ** -1.5
    return np.hstack([GRAVITY * (each * inverse) @ mass for each in difference])


def main(n: int, steps: int) -> None:
    """Let n particles move for a number of steps, and print their kinetic energy."""
    world = MPI.COMM_WORLD
    parts = [share(n, world.size, rank) for rank in range(world.size)]
    first, last = parts[world.rank]
    counts = [3 * (end - begin) for begin, end in parts]
    random = np.random.default_rng(17)
    mass = 20.0 * np.ones((n, 1)) / n
    position, velocity = random.standard_normal((n, 3)), random.standard_normal((n, 3))
    velocity = (velocity - np.mean(mass * velocity, axis=0) / np.mean(mass))[first:last]
    force = acceleration(position[first:last], position, mass)
    for _ in range(steps):
        velocity += force * STEP / 2
        own = position[first:last] + velocity * STEP
        world.Allgatherv(own, [position, counts])
        force = acceleration(own, position, mass)
        velocity += force * STEP / 2
    kinetic = world.reduce(0.5 * np.sum(mass[first:last] * velocity**2))
    if world.rank == 0:
        print(f"{n} particles, {steps} steps, kinetic energy {kinetic:.6f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
