"""Empty messages of any datatype and from null buffers."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

kind = MPI.INT if rank % 2 else MPI.DOUBLE
world.Bcast([None, 0, kind], 0)
world.Sendrecv([None, 0, kind], right, recvbuf=[np.ones(4), MPI.INT], source=left)
world.Allreduce([None, 0, MPI.INT], [None, 0, MPI.INT])
counts = [0, 3, 0, 0]
world.Gatherv([np.ones(counts[rank]), counts[rank], MPI.DOUBLE], [np.ones(3), counts] if rank == 0 else None, 0)
world.Alltoallv([np.ones(1), [0] * size], [np.ones(1), [0] * size])
world.Reduce_scatter(np.ones(3), np.ones(counts[rank]), counts)
world.Send(np.ones(4), MPI.PROC_NULL)
world.Irecv(np.ones(4), MPI.PROC_NULL).Wait()
