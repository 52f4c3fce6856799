#!/usr/bin/env bash
# MPICH 5.0.2, ranks of one node: the order in which MPI_Allreduce and MPI_Reduce combine the ranks' values depends on the
# thread level and on the number of calls before. Below MPI_THREAD_MULTIPLE, the first four calls on a communicator reduce
# in one order and all later ones in another, that of the algorithm release_gather in shared memory. With
# MPI_THREAD_MULTIPLE, all keep the first order. MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM=mpir makes MPI_Allreduce keep it
# at lower levels, too. MPI 4.1, section 6.9.1, strongly recommends that the same function applied to the same arguments
# returns the same result. Sums 1e16, 1, -1e16 and 1 of 4 ranks eight times by each function, on a communicator of its own,
# and prints the sums. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet mpi4py==4.1.2 mpich==5.0.2 numpy==2.4.6

cat > "$folder/sums.py" <<'PROGRAM'
import sys

import mpi4py

mpi4py.rc.thread_level = level = sys.argv[1]

import numpy as np
from mpi4py import MPI

assert MPI.Query_thread() == getattr(MPI, f"THREAD_{level.upper()}")
world = MPI.COMM_WORLD
if world.rank == 0:
    print(" ".join(MPI.Get_library_version().split()[:3]), flush=True)
value = np.array([(1e16, 1.0, -1e16, 1.0)[world.rank]])
for name in ("Allreduce", "Reduce"):
    own = world.Dup()
    sums = np.empty((8, 1))
    for result in sums:
        getattr(own, name)(value, result)
    if world.rank == 0:
        print(f"{name}, {level}:", *sums[:, 0], flush=True)
PROGRAM

run() {
    "$folder/venv/bin/mpiexec" -n 4 "$folder/venv/bin/python" "$folder/sums.py" "$1"
}

for level in multiple single funneled serialized; do
    run "$level"
done | tee "$folder/out"
MPIR_CVAR_ALLREDUCE_POSIX_INTRA_ALGORITHM=mpir run funneled > "$folder/mpir"
for name in Allreduce Reduce; do
    grep -qx "$name, multiple:\( 0.0\)\{8\}" "$folder/out"
    for level in single funneled serialized; do
        grep -qx "$name, $level:\( 0.0\)\{4\}\( 1.0\)\{4\}" "$folder/out"
    done
done
grep -qx 'Allreduce, funneled:\( 0.0\)\{8\}' "$folder/mpir"
