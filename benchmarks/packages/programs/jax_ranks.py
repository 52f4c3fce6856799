"""Differentiate with JAX in each rank, and reduce the gradients over all ranks."""

import jax
import jax.numpy as jnp
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
x = np.linspace(world.rank, world.rank + 1, 50)
y = 3 * x + 1


@jax.jit
def loss(parameters: dict[str, jax.Array]) -> jax.Array:
    """Return the mean square error of a line."""
    return jnp.mean((parameters["a"] * x + parameters["b"] - y) ** 2)


parameters = {"a": jnp.array(0.0), "b": jnp.array(0.0)}
for _ in range(40):
    gradient = jax.grad(loss)(parameters)
    mean = {name: world.allreduce(float(value)) / world.size for name, value in gradient.items()}
    parameters = {name: parameters[name] - 0.05 * mean[name] for name in parameters}
if world.rank == 0:
    print({name: round(float(value), 4) for name, value in parameters.items()})
