"""Each rank has its say into a void, and meets the others once: helloworld for a million."""

from mpi4py import MPI

world = MPI.COMM_WORLD
hello = f"Hello from rank {world.rank} of {world.size} on {MPI.Get_processor_name()}"
world.Barrier()
if world.rank == world.size - 1:
    print(f"{hello}: {MPI.Wtime() * 1e6:.3f} us")
