"""Communication of a spectral atmospheric model: transpositions of a grid between distributions, small allreduces.

transposition.py --cx N --cy N [--grid NX NY NZ] [--check] … (see --help), on cx × cy ranks. After Zheng and Marguinaud,
"Simulation of the performance and scalability of message passing interface (MPI) communications of atmospheric models
running on exascale supercomputers", Geoscientific Model Development 11, 3409-3426, 2018.

A model computes its physics in columns, and Fourier transforms along x and along y. Each needs one dimension whole:

- columns: x in cx parts, y in cy parts, z whole.
- rows: x whole, y in cy parts, z in cx parts, after an Alltoallv among the cx ranks with the same y.
- slices: x in cy parts, y whole, z in cx parts, after an Alltoallv among the cy ranks with the same z.

The fields then return to rows and columns in the same way.
"""

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Sequence

import numpy as np
import slabs
from mpi4py import MPI

import pysmpi


def main() -> int:
    """Run what the command line asks for; the exit status is 1 if a check fails."""
    world = MPI.COMM_WORLD
    options: argparse.Namespace | int | None = None
    if world.Get_rank() == 0:  # one rank reads the command line, so that help and errors appear once
        try:
            options = parse(sys.argv[1:], world.Get_size())
        except SystemExit as stop:
            options = int(stop.code or 0)
    options = world.bcast(options)
    if isinstance(options, int):
        return options
    # Only communication is studied; the time of Python code in between must not be added.
    with pysmpi.untimed() if not options.check else contextlib.nullcontext():
        outcome = run(world, options)
    if world.Get_rank() == 0:
        print(json.dumps(outcome) if options.json else report(options, outcome))
    return 0 if outcome.get("right", True) else 1


def parse(arguments: Sequence[str], ranks: int) -> argparse.Namespace:
    """Return the parsed command line.

    Raises:
        SystemExit: if it is not valid, or asks for help.
    """
    parser = argparse.ArgumentParser(description="Times the transpositions of a spectral model, and small allreduces.")
    parser.add_argument("--cx", type=int, required=True, help="parts of x, and of z; ranks of a first transposition")
    parser.add_argument("--cy", type=int, required=True, help="parts of y; ranks of a second transposition")
    parser.add_argument("--grid", type=int, nargs=3, default=[28800, 14400, 256], metavar=("NX", "NY", "NZ"),
                        help="points of the grid, 8 bytes each (28800 14400 256)")  # fmt: skip
    parser.add_argument("--alltoall", action="store_true", help="MPI_Alltoall instead of Alltoallv; for equal blocks")
    parser.add_argument(
        "--allreduces", type=int, default=0, metavar="N", help="number of successive allreduces of 8 bytes"
    )
    parser.add_argument("--no-transpositions", action="store_true", help="only the allreduces")
    parser.add_argument("--check", action="store_true", help="use real data, and compare it with the whole grid")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    options = parser.parse_args(arguments)
    if min(options.cx, options.cy, *options.grid) < 1:
        parser.error("--cx, --cy and the sizes of the grid are at least 1")
    if options.cx * options.cy != ranks:
        parser.error(f"--cx {options.cx} × --cy {options.cy} is not the number of ranks, {ranks}")
    if options.alltoall and not slabs.equal_blocks(options.grid, options.cx, options.cy):
        parser.error(f"--alltoall takes equal blocks, but {options.cx} and {options.cy} do not divide the grid's sizes")
    return options


def run(world: MPI.Comm, options: argparse.Namespace) -> dict[str, float | bool]:
    """Return the seconds of each part on the slowest rank, and whether checked data is right."""
    rank, cx, cy = world.Get_rank(), options.cx, options.cy
    along_x = world.Split(rank // cx, rank)  # cx ranks with the same part of y
    along_y = world.Split(rank % cx, rank)  # cy ranks with the same part of z
    place = slabs.Place(tuple(options.grid), cx, cy, rank % cx, rank // cx)
    outcome: dict[str, float | bool] = {}
    if not options.no_transpositions:
        whole = slabs.whole_grid(place.grid) if options.check else None
        field = None if whole is None else whole[place.columns()]
        for name, comm, move, expected in (
            ("columns to rows", along_x, place.columns_to_rows(), place.rows()),
            ("rows to slices", along_y, place.rows_to_slices(), place.slices()),
        ):
            outcome[name], field = transpose(world, comm, move, field, options.alltoall)
            if whole is not None and field is not None:
                right = world.allreduce(np.array_equal(field, whole[expected]), MPI.LAND)
                outcome["right"] = right and outcome.get("right", True)
    if options.allreduces > 0:
        outcome["allreduce"] = allreduces(world, options.allreduces)
    along_x.Free()
    along_y.Free()
    return outcome


def transpose(
    world: MPI.Comm, comm: MPI.Comm, move: slabs.Move, field: np.ndarray | None, equal: bool
) -> tuple[float, np.ndarray | None]:
    """Perform one transposition among the ranks of `comm`; return its seconds on the slowest rank, and the new field.

    Without a field, all arrays are folded: in a simulation they use no memory, and their contents do not matter.
    """
    if field is None:
        sent, received = pysmpi.folded_empty(sum(move.send_counts)), pysmpi.folded_empty(move.received_shape)
    else:
        sent, received = move.pack(field), np.empty(move.received_shape)
    call: Callable[[], None]
    if equal:
        call = lambda: comm.Alltoall([sent, move.send_counts[0], MPI.DOUBLE],  # noqa: E731
                                     [received, move.receive_counts[0], MPI.DOUBLE])  # fmt: skip
    else:
        call = lambda: comm.Alltoallv([sent, move.send_counts, MPI.DOUBLE],  # noqa: E731
                                      [received, move.receive_counts, MPI.DOUBLE])  # fmt: skip
    world.Barrier()
    begin = MPI.Wtime()
    call()
    seconds = MPI.Wtime() - begin
    return float(world.allreduce(seconds, MPI.MAX)), None if field is None else move.unpack(received)


def allreduces(world: MPI.Comm, times: int) -> float:
    """Return the mean seconds of successive allreduces of one number, as in an iterative solver."""
    mine, total = np.ones(1), np.empty(1)
    world.Barrier()
    begin = MPI.Wtime()
    for _ in range(times):
        world.Allreduce(mine, total, MPI.SUM)
    return float(world.allreduce(MPI.Wtime() - begin, MPI.MAX)) / times


def report(options: argparse.Namespace, outcome: dict[str, float | bool]) -> str:
    """Return the outcome as text."""
    size = " × ".join(f"{points:,}" for points in options.grid)
    lines = [f"{size} points on {options.cx} × {options.cy} ranks"]
    lines += [f"{name:16} {value:.6g} s" for name, value in outcome.items() if name != "right"]
    if "right" in outcome:
        lines.append("data right" if outcome["right"] else "data WRONG")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
