"""Make the calls of a file in simulations, one for each call: `python simulated.py MPI RANKS CASES FIRST`."""

import os
import pathlib
import sys
from typing import Any

from surroundings import outcome, surroundings

import pysmpi

PLATFORM = pathlib.Path(__file__).resolve().parents[3] / "platforms" / "laptop.xml"


def make(MPI: Any, number: int, call: str) -> None:
    """Make the call in one rank and print its outcome."""
    names = surroundings(MPI)
    os.write(1, f"begin {number} {MPI.COMM_WORLD.rank}\n".encode())
    os.write(1, f"end {number} {MPI.COMM_WORLD.rank} {outcome(MPI, call, names)}\n".encode())


def main() -> None:
    """Make the calls."""
    pysmpi.use()
    from mpi4py import MPI

    ranks, calls = int(sys.argv[2]), pathlib.Path(sys.argv[3]).read_text().splitlines()
    for number in range(int(sys.argv[4]), len(calls)):
        try:
            pysmpi.simulate(make, np=ranks, platform=PLATFORM, mpi=sys.argv[1], args=(MPI, number, calls[number]),
                            cfg={"smpi/simulate-computation": "no"})  # fmt: skip
        except Exception as error:
            for rank in range(ranks):
                os.write(1, f"end {number} {rank} {type(error).__name__}\n".encode())


if __name__ == "__main__":
    main()
