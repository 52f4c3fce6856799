"""Hold another setting of JAX in each rank while other ranks run."""

import sys

import jax
import jax.numpy as jnp
from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.rank


def show(name: str, *values: object) -> None:
    """Print a line at once, because lines of processes may mix."""
    sys.stdout.write(f"{rank} {name}: {' '.join(map(str, values))}\n")
    sys.stdout.flush()


jax.config.update("jax_enable_x64", rank == 1)
world.Barrier()
show("type", jnp.ones(1).dtype)
with jax.default_matmul_precision("highest" if rank == 0 else "bfloat16"):
    world.Barrier()
    show("precision", jax.config.jax_default_matmul_precision)
with jax.disable_jit(rank == 2):
    world.Barrier()
    show("without jit", jax.config.jax_disable_jit)
with jax.debug_nans(rank == 3):
    world.Barrier()
    try:
        show("logarithm", jnp.log(jnp.array(-1.0)))
    except FloatingPointError:
        show("logarithm", "FloatingPointError")
world.Barrier()
show("gradient", jax.grad(lambda x: x * x * (rank + 1))(2.0))
