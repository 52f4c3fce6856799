"""A communicator is made of two groups that overlap."""

# kind: mismatched-arguments
# ranks: 3

from mpi4py import MPI

world = MPI.COMM_WORLD

everybody = world.Get_group()
group = everybody.Excl([] if world.rank == 0 else [2])
world.Create(group)  # WRONG
