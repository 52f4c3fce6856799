"""Replays: GOAL text of LogGOPSim, and time-independent traces."""

import sys
from collections.abc import Iterator

from rows import Context, Row
from sides import HERE, timed

__all__ = ["rows"]

LARGE = 65_536
FORMS = {"goal": "GOAL in the LogGOPS model", "trace": "replay of a trace, LogGPS"}


def rows(context: Context) -> Iterator[Row]:
    """Yield an allreduce of 8 bytes by recursive doubling, for which LogGOPSim takes 2.1 s."""
    ranks = context.ranks(LARGE)
    ranks = 1 << (ranks.bit_length() - 1)
    for form, what in FORMS.items():
        command = [sys.executable, "-P", str(HERE / "skeletons" / "allreduce.py"), form, str(ranks), "2"]
        told = timed(command).told
        name = f"allreduce 8 B, {ranks:,} ranks, {what}"
        yield Row(name, told["seconds"], "s", most=2.1, note=f"simulated {told['simulated'] * 1e9:,.0f} ns")
        yield Row(f"{name}, memory", told["peak"] / 1e9, "GB", "memory", most=1)
