"""Pickled objects of different lengths in all collectives."""

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

whole = "x" * (10 * rank)
assert world.bcast(whole, root=2) == "x" * 20
world.gather(whole, root=1)
world.scatter([whole] * size if rank == 3 else None, root=3)
world.allgather(whole)
world.alltoall([whole] * size)
world.reduce(whole, root=0)
world.allreduce(whole)
world.scan(whole)
world.exscan(whole)
request = world.irecv(source=left)
world.send(whole, right)
request.wait()
world.sendrecv(whole, right, source=left)
