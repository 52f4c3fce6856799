"""Outcomes of the programs: times of the slowest rank, printed as text or JSON and reported to a study."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI

import pysmpi


def slowest(world: MPI.Comm, seconds: float) -> float:
    """Return the most seconds of any rank, on all ranks."""
    most = np.array(seconds)
    world.Allreduce(MPI.IN_PLACE, most, MPI.MAX)
    return float(most)


def slowest_on_root(world: MPI.Comm, seconds: float) -> float:
    """Return the most seconds of any rank on rank 0, and the rank's own seconds on others."""
    most = np.array(seconds)
    world.Reduce(most if world.Get_rank() else MPI.IN_PLACE, most, MPI.MAX)
    return float(most)


def all_right(world: MPI.Comm, right: bool) -> bool:
    """Return whether `right` is true on all ranks."""
    all_of_them = np.array(right, np.int32)
    world.Allreduce(MPI.IN_PLACE, all_of_them, MPI.MIN)
    return bool(all_of_them)


def present(title: str, parts: Sequence[tuple[str, float]], right: bool | None, as_json: bool) -> None:
    """Print the outcome (on one rank), and report its seconds to a study."""
    total = sum(seconds for _, seconds in parts)
    figures: dict[str, Any] = {name.replace(" ", "_"): seconds for name, seconds in (("seconds", total), *parts)}
    pysmpi.report(**figures)
    if as_json:
        parts_of = [{"name": name, "seconds": seconds} for name, seconds in parts]
        print(json.dumps({"right": right, "seconds": total, "parts": parts_of}))
        return
    print(title)
    for name, seconds in parts:
        print(f"{name:24} {seconds:.6g} s")
    if right is not None:
        print("data right" if right else "data WRONG")
