"""Count the calls of MPI with the communicator of mpiprof."""

from mpi4py import MPI
from mpiprof import MPIProfiler

comm = MPIProfiler(MPI.COMM_WORLD)
for _ in range(5):
    comm.allreduce(1)
comm.Barrier()
comm.write_statistics()
print("rank", MPI.COMM_WORLD.rank)
