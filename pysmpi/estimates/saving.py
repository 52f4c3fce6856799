"""Directory in which ``pysmpi estimate -o`` saves an estimate: tables, communication matrices, cuts and pictures."""

import csv
import io
import json
import os
from pathlib import Path

import numpy as np

from pysmpi.estimates.estimate_data import EstimateData
from pysmpi.estimates.plot import plot_all
from pysmpi.estimates.rows import Row
from pysmpi.native import lib
from pysmpi.simulation.collectives.schedule import Schedule
from pysmpi.util.new_directory import NewDirectory

__all__ = ["save_estimate"]

_ACTIONS = {
    lib.PYSMPI_STEP_SEND: "isend {peer} {tag} {amount}",
    lib.PYSMPI_STEP_RECEIVE: "irecv {peer} 0 {amount}",
    lib.PYSMPI_STEP_WAIT: "waitall",
}


def save_estimate(found: EstimateData, path: str | os.PathLike[str]) -> None:
    """Write an estimate into a new directory, which appears complete or not at all.

    It gets ``estimate.json`` and ``table.csv`` with all rows, and pictures of the largest size. For each number of
    nodes of this size it gets the matrix (``matrix_16.csv``: sender, receiver, words), the owners of the largest array
    with two axes (``cut_16.npy``, at most 256 elements along each axis), and the skeleton of a step as a
    time-independent trace (``skeleton_16.txt``, for ``pysmpirun --replay``).

    Raises:
        LaunchError: the directory exists and is not empty, cannot be created, or matplotlib is missing.
    """
    directory = NewDirectory(path, "-o")
    try:
        folder = directory.partial
        (folder / "estimate.json").write_text(json.dumps(found.to_json(), indent=1) + "\n")
        (folder / "table.csv").write_text(_table(found))
        for row in found.rows:
            if row.size == found.rows[-1].size:
                _save_row(row, folder)
        plot_all(found, folder)
        directory.keep()
    finally:
        directory.discard()


def _table(found: EstimateData) -> str:
    rows = found.table()
    text = io.StringIO()
    table = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue()


def _save_row(row: Row, folder: Path) -> None:
    words = row.matrix()
    lines = [f"{i},{j},{words[i, j]}" for i, j in zip(*(each.tolist() for each in words.nonzero()), strict=True)]
    (folder / f"matrix_{row.nodes}.csv").write_text("\n".join(["sender,receiver,words", *lines]) + "\n")
    if row.owners is not None:
        np.save(folder / f"cut_{row.nodes}.npy", row.owners)
    trace = f"skeleton_{row.nodes}.trace"
    with open(folder / trace, "w") as file:
        for node, schedule in enumerate(row.skeleton):
            file.write("".join(f"{node} {action}\n" for action in _actions(schedule, row.speed or 0.0)))
    (folder / f"skeleton_{row.nodes}.txt").write_text(f"{trace}\n")


def _actions(schedule: Schedule, speed: float) -> list[str]:
    found = ["init"]
    for step in schedule.native_steps().steps:
        amount = round(step.amount)
        if step.kind == lib.PYSMPI_STEP_EXECUTE:
            found.append(f"compute {step.amount * speed:.17g}")
        else:
            found.append(_ACTIONS[step.kind].format(peer=step.peer, tag=max(step.tag, 0), amount=amount))
    return [*found, "waitall", "finalize"]
