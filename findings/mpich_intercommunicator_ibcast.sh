#!/usr/bin/env bash
# MPICH 5.0.2: MPI_Ibcast on an intercommunicator leaves the remote group's buffers as they were, without an error, if the
# root is not rank 0 of its group. MPI_Bcast with the same arguments delivers the data. Prints the version and, for both
# functions and root 1, the last element that each of 6 ranks has; ranks 0 to 2 are the root's group. Exits with 1 if that
# is no longer so.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet mpi4py==4.1.2 mpich==5.0.2 numpy

cat > "$folder/ibcast.py" <<'PROGRAM'
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
low = world.rank < 3
local = world.Split(0 if low else 1, world.rank)
inter = local.Create_intercomm(0, world, 3 if low else 0, 9)
if world.rank == 0:
    print(MPI.Get_library_version().splitlines()[0], flush=True)
for name in ("Bcast", "Ibcast"):
    buffer = np.full(4, 7 if world.rank == 1 else 0, "i8")
    role = (MPI.ROOT if world.rank == 1 else MPI.PROC_NULL) if low else 1
    request = getattr(inter, name)(buffer, role)
    if request is not None:
        request.Wait()
    values = world.gather(int(buffer[-1]))
    if world.rank == 0:
        print(name, "from root 1:", values, flush=True)
PROGRAM

"$folder/venv/bin/mpiexec" -n 6 "$folder/venv/bin/python" "$folder/ibcast.py" | tee "$folder/out"
grep -qx 'Bcast from root 1: \[0, 7, 0, 7, 7, 7\]' "$folder/out"
grep -qx 'Ibcast from root 1: \[0, 7, 0, 0, 0, 0\]' "$folder/out"
