#!/usr/bin/env bash
# Intel MPI 2021.18.1: MPI_LAND and MPI_LOR on floating-point numbers, which MPI does not define, return the second operand
# as it was, without an error. MPI_LXOR on them computes. Prints the results of MPI_Reduce_local on (0, 2) and (3, 2).
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet mpi4py==4.1.2 impi-rt==2021.18.1 numpy==2.4.6

cat > "$folder/logical.py" <<'PROGRAM'
import numpy as np
from mpi4py import MPI

print(MPI.Get_library_version().splitlines()[0].split(" (")[0])
for name in ("LAND", "LOR", "LXOR"):
    result = np.array([2.0, 2.0])
    getattr(MPI, name).Reduce_local(np.array([0.0, 3.0]), result)
    print(f"{name}(0, 2) = {result[0]}, {name}(3, 2) = {result[1]}")
PROGRAM

"$folder/venv/bin/python" "$folder/logical.py" | tee "$folder/out"
grep -qx 'LAND(0, 2) = 2.0, LAND(3, 2) = 2.0' "$folder/out"
grep -qx 'LOR(0, 2) = 2.0, LOR(3, 2) = 2.0' "$folder/out"
grep -qx 'LXOR(0, 2) = 1.0, LXOR(3, 2) = 0.0' "$folder/out"
