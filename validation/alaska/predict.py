"""Predict a collective on two nodes of Alaska or CSD3: python validation/alaska/predict.py --system SYSTEM [--json].

Options choose MPI library, collective and size (see --help).
"""

import argparse
import json
import sys
from collections.abc import Container, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "osu"))

from simulation import simulate
from systems import COLLECTIVES, CORES, LIBRARIES, NODES, STEPS, SYSTEMS, machine, places

__all__ = ["predict"]


def predict(
    system: str, mpi: str, collective: str, ranks: int, sizes: Sequence[int], without: Container[str] = ()
) -> list[float]:
    """Return the predicted seconds for each size, without some of the model's `STEPS`."""
    return simulate(machine(system, mpi, without), collective, places(ranks, without), sizes)


def main() -> int:
    """Predict one collective, and print its time."""
    parser = argparse.ArgumentParser(
        description="Predict a collective on two nodes of Alaska or CSD3.", allow_abbrev=False
    )
    parser.add_argument("--system", required=True, choices=SYSTEMS, help="machine and network")
    parser.add_argument("--mpi", default="openmpi", choices=LIBRARIES, help="MPI library (openmpi)")
    parser.add_argument("--collective", required=True, choices=COLLECTIVES, help="collective")
    parser.add_argument("--ranks", type=int, default=NODES * CORES, help=f"number of ranks ({NODES * CORES})")
    parser.add_argument("--size", type=int, required=True, help="bytes of a message, as the benchmark counts them")
    parser.add_argument("--without", action="append", default=[], choices=STEPS, help="leave a part of the model out")
    parser.add_argument("--json", action="store_true", help="print seconds as JSON")
    asked = parser.parse_args()
    if not 2 <= asked.ranks <= NODES * CORES:
        parser.error(f"--ranks: {asked.ranks} is not between 2 and {NODES * CORES}, the cores of two nodes")
    if asked.size < 1:
        parser.error(f"--size: {asked.size} is not a number of bytes from 1 on")
    (seconds,) = predict(asked.system, asked.mpi, asked.collective, asked.ranks, [asked.size], asked.without)
    print(json.dumps({"seconds": seconds}) if asked.json else f"{1e6 * seconds:.2f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
