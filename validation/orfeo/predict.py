"""Predict a broadcast or barrier on ORFEO: python validation/orfeo/predict.py --collective bcast --ranks 24 [--json].

Options choose algorithm, mapping and size (see --help).
"""

import argparse
import json
import sys
from collections.abc import Container, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "osu"))

from simulation import simulate
from thin_nodes import CORES, NODES, SOCKETS, STEPS, machine

__all__ = ["ALGORITHMS", "MAPPINGS", "predict"]

ALGORITHMS = {
    "bcast": {"linear": "openmpi_binomial", "chain": "chains-4", "pipeline": "openmpi_chain",
              "binarytree": "openmpi_binary_tree", "binomial": "openmpi_binomial", "default": ""},
    "barrier": {"linear": "ompi_basic_linear", "recursive_doubling": "openmpi_recursivedoubling", "tree": "ompi_tree",
                "default": ""},
}  # fmt: skip
"""pysmpi's names of the algorithms that Open MPI was told to use. By default, Open MPI does not segment messages. The
broadcasts that are published as linear ran the binomial algorithm (docs/collectives_measured.md)."""

MAPPINGS = ("core", "socket", "node")


def places(mapping: str, ranks: int) -> list[int]:
    """Return the core of each rank, numbered through both nodes.

    Consecutive ranks are on consecutive cores, on sockets of a node in turn, or on nodes in turn. In the last case, the
    ranks of a node are on its sockets in turn: Open MPI 4.1 binds more than two ranks to sockets, each to the socket
    that has the fewest (`bind_generic` of rmaps_base_binding.c).
    """
    if mapping == "core":
        return list(range(ranks))
    cores = CORES // SOCKETS
    if mapping == "socket":
        return [rank // CORES * CORES + rank % SOCKETS * cores + rank % CORES // SOCKETS for rank in range(ranks)]
    return [rank % NODES * CORES + rank // NODES % SOCKETS * cores + rank // NODES // SOCKETS for rank in range(ranks)]


def predict(
    collective: str, algorithm: str, mapping: str, ranks: int, sizes: Sequence[int], without: Container[str] = ()
) -> list[float]:
    """Return the predicted seconds for each size, without some of the model's `STEPS`."""
    return simulate(machine(without), collective, places(mapping, ranks), sizes, ALGORITHMS[collective][algorithm])


def main() -> int:
    """Predict one collective, and print its time."""
    parser = argparse.ArgumentParser(description="Predict a collective on two THIN nodes of ORFEO.", allow_abbrev=False)
    parser.add_argument("--collective", required=True, choices=ALGORITHMS, help="bcast or barrier")
    parser.add_argument("--algorithm", default="default", help="Open MPI's algorithm (its own choice)")
    parser.add_argument("--mapping", default="core", choices=MAPPINGS, help="where the next rank is (core)")
    parser.add_argument("--ranks", type=int, required=True, help=f"number of ranks, 2 to {NODES * CORES}")
    parser.add_argument("--size", type=int, default=1, help="bytes of a broadcast (1)")
    parser.add_argument("--without", action="append", default=[], choices=STEPS, help="leave a part of the model out")
    parser.add_argument("--json", action="store_true", help="print seconds as JSON")
    asked = parser.parse_args()
    known = ALGORITHMS[asked.collective]
    if asked.algorithm not in known:
        parser.error(f"--algorithm: {asked.algorithm!r} is not an algorithm of {asked.collective} ({', '.join(known)})")
    if not 2 <= asked.ranks <= NODES * CORES:
        parser.error(f"--ranks: {asked.ranks} is not between 2 and {NODES * CORES}, the cores of two nodes")
    if asked.size < 1:
        parser.error(f"--size: {asked.size} is not a number of bytes from 1 on")
    (seconds,) = predict(asked.collective, asked.algorithm, asked.mapping, asked.ranks, [asked.size], asked.without)
    print(json.dumps({"seconds": seconds}) if asked.json else f"{1e6 * seconds:.2f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
