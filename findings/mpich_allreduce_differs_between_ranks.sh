#!/usr/bin/env bash
# MPICH 5.0.2: MPI_Allreduce of one element leaves different results on different ranks if the result of the operation
# depends on the order of its operands: MPI_MIN of a NaN and a number, or of zeros of different sign. In recursive doubling
# each rank has its own operand second, and the first one wins. MPI 4.1, section 6.9.1, strongly recommends that the same
# function applied to the same arguments returns the same result. Prints each rank's minima of (NaN, 1) and of (0, -0).
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet mpi4py==4.1.2 mpich==5.0.2 numpy==2.4.6

cat > "$folder/minimum.py" <<'PROGRAM'
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
if world.rank == 0:
    print(" ".join(MPI.Get_library_version().split()[:3]), flush=True)
least = np.empty((2, 1))
for one, other, result in ((np.nan, 1.0, least[0]), (0.0, -0.0, least[1])):
    world.Allreduce(np.array([other if world.rank else one]), result, MPI.MIN)
for rank, minima in enumerate(world.gather(least[:, 0]) or ()):
    print(f"rank {rank}: MIN(NaN, 1) = {minima[0]}, MIN(0, -0) = {minima[1]}")
PROGRAM

"$folder/venv/bin/mpiexec" -n 2 "$folder/venv/bin/python" "$folder/minimum.py" | tee "$folder/out"
grep -qx 'rank 0: MIN(NaN, 1) = 1.0, MIN(0, -0) = -0.0' "$folder/out"
grep -qx 'rank 1: MIN(NaN, 1) = nan, MIN(0, -0) = 0.0' "$folder/out"
