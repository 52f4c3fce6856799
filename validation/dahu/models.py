"""BLAS models of Dahu's processors, written as a table for pysmpirun --blas.

Each of the 32 nodes has two sockets. Even cores are on socket 0, odd ones on socket 1, as ranks were (Ezibenroc/hpl at
12d0551, HPL_dgemm.c). For March 2019, when nodes 13 to 16 lacked cooling, coefficients of dgemm are published at
12d0551.

Healthy nodes were measured from November 2019 to February 2020. For these months, a straight line in m*n*k is published
for each processor (Ezibenroc/thesis, dgemm_calibration.csv, means over 23 days). It says how processors differ, but not
what small sizes cost. So dgemm on healthy nodes takes the polynomial of July 2019 (79b3e7c), the mean over all
processors, times the quotient of the processor's line and the mean line.

A campaign of December 2020 (Ezibenroc/thesis, randomizing_sizes/fixing_K: node 5, a job each) has series of calls that
all have the same k, as nearly all calls of Linpack have. dgemm_exact_k.csv has their total time over that of the
polynomial fitted to a series of random sizes. For k = 128 it is 0.994 and 1.000 on the two sockets. This is within the
scatter from day to day (0.8 %), and left out.

The other routines (8118545) are the same on all processors.
"""

import csv
import json
from collections.abc import Container, Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

__all__ = ["STATES", "STEPS", "write_table"]

HERE = Path(__file__).parent
STATES = {"march2019": "dgemm_march2019.csv", "healthy": "dgemm_july2019.csv"}
SPREADS = {"healthy": "spread_winter2019.csv"}
"""Lines of processors by state (seconds for each unit of m*n*k), where another campaign tells how processors differ."""
SPEED = 1e9  # flop/s, as in the platform files, so that times are not scaled
LARGEST = 100_000
SIZES = {"k^2*n": "mnk", "m*n": "mn", "n": "n"}
TERMS = ("mnk", "mn", "mk", "nk", "1")
DEVIATIONS = tuple(f"sd_{term}" for term in TERMS)
TAKEN_AS = {"dlaswp06t": "dlaswp02n", "dlaswp10n": "dlaswp03t"}
"""Routines that were not measured, with those that copy as many rows in the same way: strided, and contiguous."""


STEPS = ("differences", "noise", "kernels", "exact-k")
"""Parts of the model that can be left out: differences of processors, noise, routines besides dgemm and dtrsm, and the
longer time of calls of dgemm that all have the same k."""


def write_table(state: str, path: Path, without: Container[str] = ()) -> None:
    """Write the table of models for one of `STATES`, without some of `STEPS`."""
    kernels = {row["routine"]: row for row in _rows("kernels.csv")}
    common = {name: _routine(row["term"], row) for name, row in kernels.items()}
    common |= {name: common[measured] for name, measured in TAKEN_AS.items()}
    if "kernels" in without:
        common = {"dtrsm": common["dtrsm"]}
    models, places = {}, []
    exact = {} if "exact-k" in without else {"exact_sizes": {"k": _factors()}}
    rows = _rows(STATES[state])
    if "differences" in without:
        rows = _averaged(rows, TERMS + DEVIATIONS)
    elif state in SPREADS:
        rows = _spread(_averaged(rows, TERMS), _rows(SPREADS[state]))
    for row in rows:
        node, socket = row["cpu"].split(".")
        models[row["cpu"]] = {"dgemm": {**_dgemm(row), **exact}}
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


def _averaged(rows: list[dict[str, str]], columns: Iterable[str]) -> list[dict[str, str]]:
    """Give all processors the mean of each of these columns."""
    means = {column: repr(fmean(float(row[column]) for row in rows)) for column in columns}
    return [row | means for row in rows]


def _spread(rows: list[dict[str, str]], lines: list[dict[str, str]]) -> list[dict[str, str]]:
    """Multiply each processor's seconds by its line over the mean line."""
    line_of = {line["cpu"]: float(line["mnk"]) for line in lines}
    mean = fmean(line_of.values())
    return [row | {term: repr(float(row[term]) * line_of[row["cpu"]] / mean) for term in TERMS} for row in rows]


def _factors() -> dict[str, float]:
    """Return the factors of the seconds of dgemm, means of both sockets, by k."""
    rows = _rows("dgemm_exact_k.csv")
    return {row["k"]: fmean(float(other["factor"]) for other in rows if other["k"] == row["k"]) for row in rows}


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
    terms = ("m*n*k", "m*n", "m*k", "n*k", "1")
    return {
        "seconds": {term: float(row[column]) for term, column in zip(terms, TERMS, strict=True)},
        "noise": {
            "distribution": "half-normal",
            "deviation": {term: float(row[column]) for term, column in zip(terms, DEVIATIONS, strict=True)},
        },
        "fit": _fit("mnk", 16),
    }
