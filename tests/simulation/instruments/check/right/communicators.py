"""Splits of all sorts, groups that have no rank in common, and communicators of a part."""

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

made = [world.Split(rank % 2, -rank), world.Split_type(MPI.COMM_TYPE_SHARED), world.Dup()]
nobody = world.Split(MPI.UNDEFINED if rank else 0)
if nobody != MPI.COMM_NULL:
    nobody.Free()
everybody = world.Get_group()
low, high = everybody.Incl([0, 1]), everybody.Incl([2, 3])
made.append(world.Create(low if rank < 2 else high))
if rank in (0, 1):
    made.append(world.Create_group(low, 7))
duplicate, request = world.Idup()
request.Wait()
made.append(duplicate)
for communicator in made:
    communicator.Barrier()
    communicator.allreduce(rank)
    communicator.Free()
for group in (everybody, low, high):
    group.Free()
