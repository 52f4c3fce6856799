"""Churn of derived datatypes: nested, used in messages, described, and freed while messages still need them."""

import numpy as np
from churn import churn
from mpi4py import MPI

world = MPI.COMM_WORLD
buffer, into = np.zeros(1000), np.zeros(1000)


def a_round(number: int) -> int:
    """Create ten datatypes and free them."""
    vector = MPI.DOUBLE.Create_vector(4, 1, 2)
    indexed = MPI.INT.Create_indexed([1, 2, 3], [0, 4, 9])
    struct = MPI.Datatype.Create_struct([1, 2], [0, 64], [vector, MPI.INT])
    resized = struct.Create_resized(0, 128)
    column = MPI.DOUBLE.Create_subarray([8, 8], [4, 2], [1, 1])
    copy = column.Dup()
    made = [vector, indexed, struct, resized, column, copy]
    resized.Commit()
    copy.Commit()
    copy.Set_name(f"column {number}")
    _, _, _, inner = struct.Get_contents()
    made += [each for each in inner if not each.is_predefined]
    request = world.Irecv([into, 1, copy], world.rank, 1)
    sending = world.Isend([buffer, 1, copy], world.rank, 1)
    for each in made:
        each.Free()
    MPI.Request.Waitall([request, sending])
    return len(made)


churn(50_000, a_round)
