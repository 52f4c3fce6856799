#!/usr/bin/env bash
# MPICH 5.0.2: MPI_Wait on a request of MPI_Isendrecv or MPI_Isendrecv_replace does not set the status. The message
# arrives, but source and tag are not those of the message on all ranks (MPI 4.1, section 3.10: the status is that of the
# receive operation). MPI_Sendrecv sets it. Seen on 3 ranks that pass numbers around, each call with a tag of its own; the
# values in the status differ from run to run. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet mpi4py==4.1.2 mpich==5.0.2 numpy==2.4.6

cat > "$folder/ring.py" <<'PROGRAM'
import mpi4py
import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
here, there, before = world.rank, (world.rank + 1) % world.size, (world.rank - 1) % world.size
if here == 0:
    print(f"mpi4py {mpi4py.__version__}, {' '.join(MPI.Get_library_version().split()[:3])}", flush=True)


def report(name: str, right: list[bool], data: list[bool]) -> None:
    all_right = world.allreduce(all(right), op=MPI.LAND), world.allreduce(all(data), op=MPI.LAND)
    if here == 0:
        print(f"{name}: data {all_right[1]}, status {all_right[0]}", flush=True)


def ring(name: str, first: int) -> None:
    """Pass ten numbers around, with the tags first, first + 1 …"""
    right, data = [], []
    for tag in range(first, first + 10):
        sent, received, status = np.full(1, here), np.full(1, here), MPI.Status()
        if name == "Sendrecv":
            world.Sendrecv(sent, there, tag, received, before, tag, status)
        elif name == "Isendrecv":
            world.Isendrecv(sent, there, tag, received, before, tag).Wait(status)
        else:
            world.Isendrecv_replace(received, there, tag, before, tag).Wait(status)
        right.append((status.source, status.tag) == (before, tag))
        data.append(bool(received[0] == before))
    report(name, right, data)


for number, name in enumerate(("Sendrecv", "Isendrecv", "Isendrecv_replace")):
    ring(name, 100 * (number + 1))
PROGRAM

"$folder/venv/bin/mpiexec" -n 3 "$folder/venv/bin/python" "$folder/ring.py" | tee "$folder/out"
grep -qx "Sendrecv: data True, status True" "$folder/out"
grep -qx "Isendrecv: data True, status False" "$folder/out"
grep -qx "Isendrecv_replace: data True, status False" "$folder/out"
