"""Hello world for a million ranks: each rank formats a greeting, and all ranks meet at one barrier."""

from mpi4py import MPI

world = MPI.COMM_WORLD
hello = f"Hello from rank {world.rank} of {world.size} on {MPI.Get_processor_name()}"
world.Barrier()
if world.rank == world.size - 1:
    print(f"{hello}: {MPI.Wtime() * 1e6:.3f} us")
