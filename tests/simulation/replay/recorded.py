"""Program with all MPI calls that traces can express."""

import sys
import time

import numpy as np
from mpi4py import MPI

import pysmpi

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
right, left = (rank + 1) % ranks, (rank - 1) % ranks
sent, received = np.zeros(30000), np.zeros(30000)

pysmpi.execute_flops(1e6 * (rank + 1))
comm.Sendrecv(sent[:500], right, 3, received, left, 3)
requests = [comm.Irecv(received, left, 5), comm.Isend(sent, right, 5)]
pysmpi.execute(1e-4)
MPI.Request.Waitall(requests)
anything = comm.Irecv(received, MPI.ANY_SOURCE, MPI.ANY_TAG)
comm.Send(sent[:100], right, 9)
anything.Wait()
coming, going = comm.Irecv(received, left, 6), comm.Isend(sent[:20000], right, 6)
while not coming.Test():
    pass
going.Wait()
begun = MPI.Wtime()
pair = [comm.Send_init(sent[:10], right, 2), comm.Recv_init(received[:10], left, 2)]
for _ in range(3):
    MPI.Prequest.Startall(pair)
    MPI.Request.Waitany(pair)
    MPI.Request.Waitall(pair)

comm.Barrier()
comm.Bcast(sent, ranks - 1)
comm.Reduce(sent[:3000], received[:3000], MPI.SUM, 0)
comm.Allreduce(sent[:7], received[:7])
comm.Allreduce(MPI.IN_PLACE, sent)
comm.Alltoall(sent[: 30 * ranks], received[: 30 * ranks])
comm.Allgather(sent[:30], received[: 30 * ranks])
comm.Gather(sent[:30], received[: 30 * ranks], 0)
comm.Scatter(sent[: 30 * ranks], received[:30], ranks - 1)
counts = [10 * i for i in range(ranks)]
places = [sum(counts[:i]) for i in range(ranks)]
mine = counts[rank]
many = [received, counts, places, MPI.DOUBLE]
comm.Allgatherv(sent[:mine], many)
comm.Gatherv(sent[:mine], many, 0)
comm.Scatterv([sent, counts, places, MPI.DOUBLE], received[:mine], 0)
comm.Alltoallv([sent, [mine] * ranks, [mine * i for i in range(ranks)], MPI.DOUBLE], many)
comm.Reduce_scatter(sent[: sum(counts)], received[:mine], counts)
comm.Reduce_scatter_block(sent[: 2 * ranks], received[:2])
comm.Scan(sent[:50], received[:50])
comm.Exscan(sent[:50], received[:50])

comm.bcast(comm.gather({"rank": rank}))
if ranks > 1 and rank == 0:
    comm.send([1, 2, 3], 1, 4)
if rank == 1:
    comm.recv(source=0, tag=4)
time.sleep(0.001 * rank)
if "duplicate" in sys.argv:
    other = comm.Dup()
    other.Sendrecv(sent[:3], right, 3, received[:3], left, 3)
