"""BLAS models of Dahu's processors, written as a table for pysmpirun --blas.

Each of the 32 nodes has two sockets. Even cores are on socket 0, odd ones on socket 1, as ranks were (Ezibenroc/hpl at
12d0551, HPL_dgemm.c). Coefficients of dgemm are those of the published model of the month: March 2019 at 12d0551, when
nodes 13 to 16 lacked cooling, and July 2019 at 79b3e7c, when all were healthy. The other routines (8118545) are the
same on all processors.
"""

import csv
import json
from collections.abc import Container
from pathlib import Path
from statistics import fmean
from typing import Any

__all__ = ["STATES", "STEPS", "write_table"]

HERE = Path(__file__).parent
STATES = {"march2019": "dgemm_march2019.csv", "healthy": "dgemm_july2019.csv"}
SPEED = 1e9  # flop/s, as in the platform files, so that times are not scaled
LARGEST = 100_000
SIZES = {"k^2*n": "mnk", "m*n": "mn", "n": "n"}
TAKEN_AS = {"dlaswp06t": "dlaswp02n", "dlaswp10n": "dlaswp03t"}
"""Routines that were not measured, with those that copy as many rows in the same way: strided, and contiguous."""


STEPS = ("differences", "noise", "kernels")
"""Parts of the model that can be left out: differences of processors, noise, and routines besides dgemm and dtrsm."""


def write_table(state: str, path: Path, without: Container[str] = ()) -> None:
    """Write the table of models for one of `STATES`, without some of `STEPS`."""
    kernels = {row["routine"]: row for row in _rows("kernels.csv")}
    common = {name: _routine(row["term"], row) for name, row in kernels.items()}
    common |= {name: common[measured] for name, measured in TAKEN_AS.items()}
    if "kernels" in without:
        common = {"dtrsm": common["dtrsm"]}
    models, places = {}, []
    rows = _rows(STATES[state])
    if "differences" in without:
        rows = [
            row | {key: repr(fmean(float(each[key]) for each in rows)) for key in row if key != "cpu"} for row in rows
        ]
    for row in rows:
        node, socket = row["cpu"].split(".")
        models[row["cpu"]] = {"dgemm": _dgemm(row)}
        places.append({"host": f"dahu-{node}", "cores": f"{socket}-31:2", "model": row["cpu"]})
    if "noise" in without:
        for routine in [*common.values(), *(model["dgemm"] for model in models.values())]:
            routine.pop("noise", None)
    table = {
        "format": "pysmpi-blas-table-1",
        "machine": "Dahu, Grid'5000: 32 nodes with two Xeon Gold 6130",
        "library": "OpenBLAS 0.3.1, one thread",
        "date": state,
        "speed": SPEED,
        "routines": common,
        "models": models,
        "places": places,
    }
    path.write_text(json.dumps(table))


def _rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(newline="") as file:
        return list(csv.DictReader(file))


def _fit(sizes: str, lowest: int = 1) -> dict[str, Any]:
    figures = dict.fromkeys(("measurements", "r_squared", "largest_relative_error"))
    return {**figures, "range": {size: [lowest, LARGEST] for size in sizes}}


def _routine(term: str, row: dict[str, str]) -> dict[str, Any]:
    return {
        "seconds": {term: float(row["seconds"])},
        "noise": {"distribution": "half-normal", "deviation": {term: float(row["deviation"])}},
        "fit": _fit(SIZES[term]),
    }


def _dgemm(row: dict[str, str]) -> dict[str, Any]:
    terms = {"m*n*k": "mnk", "m*n": "mn", "m*k": "mk", "n*k": "nk", "1": "1"}
    return {
        "seconds": {term: float(row[column]) for term, column in terms.items()},
        "noise": {
            "distribution": "half-normal",
            "deviation": {term: float(row[f"sd_{column}"]) for term, column in terms.items()},
        },
        "fit": _fit("mnk", 16),
    }
