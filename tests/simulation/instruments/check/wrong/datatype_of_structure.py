"""The fields of a structure are in another order at the receiver."""

# kind: mismatched-datatype

from mpi4py import MPI

world = MPI.COMM_WORLD

types = [MPI.INT, MPI.FLOAT] if world.rank == 0 else [MPI.FLOAT, MPI.INT]
record = MPI.Datatype.Create_struct([1, 1], [0, 4], types).Commit()
if world.rank == 0:
    world.Isend([bytearray(80), 10, record], 1).Wait()  # WRONG
else:
    world.Irecv([bytearray(80), 10, record], 0).Wait()  # WRONG
record.Free()
