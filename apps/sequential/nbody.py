"""Gravity of many particles by direct summation, as astronomers' textbooks have it: python nbody.py PARTICLES STEPS.

Each particle attracts each other one. Positions and velocities advance by the leapfrog method. The energy is computed
at the beginning and at the end; its change tells whether steps are short enough.
"""

import sys

import numpy as np

GRAVITY = 1.0
SOFTENING = 0.1  # distance below which the attraction does not grow further
STEP = 0.01


class Particles:
    """Particles of a cluster.

    Attributes:
        position: (n, 3) positions.
        velocity: (n, 3) velocities.
        mass: (n, 1) masses.
    """

    def __init__(self, n: int) -> None:
        random = np.random.default_rng(17)
        self.mass = 20.0 * np.ones((n, 1)) / n
        self.position = random.standard_normal((n, 3))
        self.velocity = random.standard_normal((n, 3))
        self.to_rest()

    def to_rest(self) -> None:
        """Subtract the velocity of the centre of mass."""
        self.velocity = self.velocity - np.mean(self.mass * self.velocity, axis=0) / np.mean(self.mass)


def distances(position: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distances of all pairs of particles along each axis."""
    x, y, z = position[:, 0:1], position[:, 1:2], position[:, 2:3]
    return x.T - x, y.T - y, z.T - z


def acceleration(particles: Particles) -> np.ndarray:
    """Return the (n, 3) accelerations by the attraction of all particles."""
    dx, dy, dz = distances(particles.position)
    square = dx**2 + dy**2 + dz**2 + SOFTENING**2
    inverse = square**-1.5
    ax = GRAVITY * (dx * inverse) @ particles.mass
    ay = GRAVITY * (dy * inverse) @ particles.mass
    az = GRAVITY * (dz * inverse) @ particles.mass
    return np.hstack((ax, ay, az))


def kinetic_energy(particles: Particles) -> float:
    """Return the energy of the motion."""
    return 0.5 * np.sum(particles.mass * particles.velocity**2)


def potential_energy(particles: Particles) -> float:
    """Return the energy of the attraction; each pair counts once."""
    dx, dy, dz = distances(particles.position)
    distance = np.sqrt(dx**2 + dy**2 + dz**2)
    inverse = np.where(distance > 0, 1.0 / np.maximum(distance, 1e-12), 0.0)
    products = particles.mass * particles.mass.T
    return -GRAVITY * np.sum(np.triu(products * inverse, 1))


def momentum(particles: Particles) -> np.ndarray:
    """Return the sum of all momenta, which must stay zero."""
    total: np.ndarray = np.sum(particles.mass * particles.velocity, axis=0)
    return total


def virial_ratio(kinetic: float, potential: float) -> float:
    """Return 2 K / |W|, which is 1 for a cluster in balance."""
    return 2 * kinetic / abs(potential)


def advance(particles: Particles, force: np.ndarray) -> np.ndarray:
    """Advance the particles by a step, and return their new accelerations."""
    particles.velocity += force * STEP / 2
    particles.position += particles.velocity * STEP
    force = acceleration(particles)
    particles.velocity += force * STEP / 2
    return force


def main(n: int, steps: int) -> None:
    """Let n particles move for a number of steps, and print the change of the energy."""
    particles = Particles(n)
    kinetic, potential = kinetic_energy(particles), potential_energy(particles)
    before = kinetic + potential
    force = acceleration(particles)
    for _ in range(steps):
        force = advance(particles, force)
    kinetic, potential = kinetic_energy(particles), potential_energy(particles)
    drift = abs((kinetic + potential - before) / before)
    print(f"{n} particles, {steps} steps")
    print(f"kinetic energy {kinetic:.6f}, potential energy {potential:.6f}, change of the sum {drift:.2e}")
    largest = np.max(np.abs(momentum(particles)))
    print(f"virial ratio {virial_ratio(kinetic, potential):.3f}, largest momentum {largest:.1e}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
