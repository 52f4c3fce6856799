"""Record the grids of MPI_Dims_create of an MPI library.

    python record.py OUTPUT.json.xz          the library that this Python's mpi4py loads
    python record.py OUTPUT.json.xz --smpi   SMPI, by smpicc and smpirun

The file has a line for each case of `grid_cases`: the extents, or the name of the error class.
"""

import json
import lzma
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from grid_cases import cases

_HERE = pathlib.Path(__file__).parent


def _by_mpi4py() -> Iterator[object]:
    from mpi4py import MPI

    names = {getattr(MPI, name): name for name in dir(MPI) if name.startswith("ERR_")}
    for nodes, extents in cases():
        try:
            yield MPI.Compute_dims(nodes, extents)
        except MPI.Exception as error:
            yield names[error.Get_error_class()]


def _by_smpi() -> Iterator[object]:
    lines = "".join(f"{nodes} {len(extents)} {' '.join(map(str, extents))}\n" for nodes, extents in cases())
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        (folder / "hosts").write_text("host0\n")
        (folder / "cases").write_text(lines)
        subprocess.run(["smpicc", _HERE / "grids.c", "-o", folder / "grids"], check=True)
        command = ["smpirun", "-np", "1", "-platform", _HERE / "platform.xml", "-hostfile", folder / "hosts"]
        command += [folder / "grids", folder / "cases", folder / "found"]
        subprocess.run(command, check=True)
        for line in (folder / "found").read_text().splitlines():
            outcome, *extents = line.split()
            yield [int(extent) for extent in extents] if outcome == "grid" else outcome


if __name__ == "__main__":
    found = _by_smpi() if "--smpi" in sys.argv else _by_mpi4py()
    text = "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in found)
    pathlib.Path(sys.argv[1]).write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
