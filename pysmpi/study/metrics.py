"""Metrics parsed from a program's output: Linpack's result lines."""

import re
from collections.abc import Iterable

__all__ = ["printed_metrics"]

# Columns T/V N NB P Q Time Gflops, as HPL prints them (HPL 2.3, testing/ptest/HPL_pdtest.c).
_LINPACK = re.compile(
    r"W[RC]\d\d\S*\s+\d+\s+\d+\s+\d+\s+\d+\s+({0})\s+({0})\s*$".format(r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
)


def printed_metrics(lines: Iterable[str]) -> dict[str, float]:
    """Return Linpack's ``hpl_seconds`` and ``hpl_gflops`` of the fastest result line, or {} if no line has results."""
    best: dict[str, float] = {}
    for line in lines:
        match = _LINPACK.match(line)
        if match is None:
            continue
        found = {"hpl_seconds": float(match[1]), "hpl_gflops": float(match[2])}
        if not best or found["hpl_gflops"] > best["hpl_gflops"]:
            best = found
    return best
