"""A small message is never received."""

# kind: unreceived-message

from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    world.send("hello", 1)  # WRONG
