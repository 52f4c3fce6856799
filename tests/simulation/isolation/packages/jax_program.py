"""Prints settings of JAX that a rank holds across a blocking call, and results of functions that wait; each rank has
others."""

import jax
import jax.numpy as jnp
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
RANK = WORLD.rank
LINES = []


def say(*values: object) -> None:
    LINES.append(" ".join(map(str, (f"[{RANK}]", *values))))


def wait() -> None:
    WORLD.Barrier()


def f(x: jax.Array) -> jax.Array:
    wait()
    return (x * x).sum() * (RANK + 1)


def scaled(x: jax.Array) -> jax.Array:
    wait()
    return x * (RANK + 1)


say("grad", jax.grad(f)(jnp.ones(2)).tolist())
say("jit", jax.jit(scaled)(jnp.ones(2)).tolist())
say("vmap", jax.vmap(scaled)(jnp.ones(3)).tolist())
say("jvp", float(jax.jvp(f, (jnp.ones(2),), (jnp.ones(2),))[1]))
say("nested", float(jax.grad(lambda x: jax.jit(scaled)(x) * x)(2.0)))
with jax.default_matmul_precision("highest" if RANK == 0 else "bfloat16"):
    wait()
    say("precision", jax.config.jax_default_matmul_precision)
with jax.enable_x64(RANK == 1):
    wait()
    say("x64", jnp.ones(1).dtype)
jax.config.update("jax_enable_x64", RANK == 2)
wait()
say("x64 of the process", jnp.ones(1).dtype)
kind = jax.ShapeDtypeStruct((1,), jnp.float32)
say("callback", jax.pure_callback(scaled, kind, jnp.ones(1, jnp.float32)).tolist())
print("\n".join(LINES), flush=True)
