#!/usr/bin/env bash
# mpi4py 4.1.2: the request of a nonblocking reduction (Iallreduce, Ireduce, Iscan, Iexscan, Ireduce_scatter_block) holds no
# reference to its send buffer, unlike those of Ibcast, Iallgather and Ialltoall. An array that only the call refers to is
# freed before the operation is complete. The program below keeps all arrays itself and prints how many references each
# request adds to its send buffer. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet mpi4py==4.1.2 mpich==5.0.2 numpy==2.4.6

cat > "$folder/references.py" <<'PROGRAM'
import sys

import mpi4py
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
if world.rank == 0:
    print(f"mpi4py {mpi4py.__version__}, {MPI.Get_library_version().split()[0]}", flush=True)
send, receive = np.ones(2 * world.size), np.zeros(2 * world.size * world.size)
for name, arguments in {
    "Ibcast": (send,),
    "Iallgather": (send, receive),
    "Ialltoall": (send, receive[: send.size]),
    "Iallreduce": (send, receive[: send.size]),
    "Ireduce": (send, receive[: send.size]),
    "Iscan": (send, receive[: send.size]),
    "Iexscan": (send, receive[: send.size]),
    "Ireduce_scatter_block": (send, receive[:2]),
}.items():
    before = sys.getrefcount(send)
    request = getattr(world, name)(*arguments)
    added = sys.getrefcount(send) - before
    request.Wait()
    if world.rank == 0:
        print(f"{name}: {added}", flush=True)
PROGRAM

"$folder/venv/bin/mpiexec" -n 2 "$folder/venv/bin/python" "$folder/references.py" | tee "$folder/out"
for name in Ibcast Iallgather Ialltoall; do grep -qx "$name: 1" "$folder/out"; done
for name in Iallreduce Ireduce Iscan Iexscan Ireduce_scatter_block; do grep -qx "$name: 0" "$folder/out"; done
