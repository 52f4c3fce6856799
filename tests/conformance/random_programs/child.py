"""Process that the step `spawn` starts."""

from mpi4py import MPI

parent = MPI.Comm.Get_parent()
parent.allreduce(parent.rank + 100)
parent.bcast("hello" if parent.rank == 0 else None, MPI.ROOT if parent.rank == 0 else MPI.PROC_NULL)
parent.Disconnect()
