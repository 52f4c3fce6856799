"""Rows of the table: measurements, and verdicts on them."""

import json
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sides import Smpi

__all__ = ["BUDGETS", "Baselines", "Context", "Row"]

# The project's budgets in the order of its table, by the text that rows refer to (Row.table).
BUDGETS = (
    "blocking sendrecv ring of 1 KiB, 1,024 ranks",
    "allreduce of 8 B, 1,024 / 4,096 ranks",
    "burst of 1 KiB and alltoall of 8 KiB, 256 ranks",
    "random permutation of 1 MB, 4,096 ranks",
    "HPL N=20,000 on 8x8",
    "HPL N=500,000 on 8x64",
    "HPL N=50,000 on 16x32, 10 Gbps / 10 Mbps R=1",
    "HPL N=4,000,000 on 8x512",
    "allreduce of 8 B, 65,536 ranks, no contention",
    "1,000,000 mpi4py ranks: barrier, 64-byte halo, allreduce",
    "isolation, over a bare greenlet",
    "main job, 4,096 ranks",
)

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
AGREE = 1e-6


@dataclass(frozen=True)
class Guard:
    """Rule for comparing a row with an earlier run.

    Attributes:
        relative: whether the stored value is a ratio to the calibration loop of the same run.
        slack: largest accepted ratio to the stored value.
        fails: whether a larger ratio is an error; false for figures that other load can change.
    """

    relative: bool
    slack: float
    fails: bool


GUARDS = {
    "time": Guard(relative=True, slack=1.5, fails=False),
    "memory": Guard(relative=False, slack=1.1, fails=False),
    "instructions": Guard(relative=False, slack=1.05, fails=True),
}


@dataclass(frozen=True)
class Row:
    """Result of one benchmark.

    Attributes:
        name: name, unique in its group.
        ours: cost under pysmpi, in `unit`.
        unit: "us", "ms" or "s" of processor time; anything else is a size or a number.
        kind: rule for comparing with earlier runs, one of `GUARDS`, or None for no comparison.
        smpi: cost under SMPI.
        exact: cost under pysmpi with the options `sides.EXACT`, which do not follow SMPI to the last bit.
        simulated: simulated times under pysmpi and SMPI.
        most: budget, in `unit`, for `exact` if it was measured, else for `ours`.
        least: second budget: least ratio of SMPI's cost to ours.
        table: budget of the project that the row belongs to, one of `BUDGETS`.
        note: further remarks.
    """

    name: str
    ours: float
    unit: str
    kind: str | None = "time"
    smpi: float | None = None
    exact: float | None = None
    simulated: tuple[float, float] | None = None
    most: float | None = None
    least: float | None = None
    table: str = ""
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ratio of SMPI's cost to ours, or None if either is too short to measure."""
        return self.smpi / self.ours if self.smpi is not None and min(self.smpi, self.ours) > 0 else None

    @property
    def judged(self) -> float:
        """Cost that the budget is for."""
        return self.ours if self.exact is None else self.exact

    @property
    def reached(self) -> bool | None:
        """Verdict: True if all budgets are met, or None without budgets or without their figures."""
        held = []
        if self.most is not None:
            held.append(self.within())
        if self.least is not None and self.ratio is not None:
            held.append(self.ratio >= self.least)
        return all(held) if held else None

    def within(self) -> bool:
        """True if the cost is within its budget."""
        return self.most is None or self.judged <= self.most

    def stored_value(self, calibration: float) -> float | None:
        """Return the value that a file of baselines stores for the row."""
        if self.kind is None:
            return None
        return self.ours * UNITS.get(self.unit, 1.0) / (calibration if GUARDS[self.kind].relative else 1.0)

    def words(self) -> Iterator[str]:
        """Yield the remarks that the table shows after the numbers."""
        if self.most is not None:
            yield f"budget {self.most:g} {self.unit}"
        if self.least is not None:
            yield f"at least {self.least:g} x"
        if self.reached is not None:
            yield "REACHED" if self.reached else "MISSED"
        if self.simulated is not None:
            mine, theirs = self.simulated
            equal = abs(mine - theirs) <= AGREE * abs(theirs)
            yield "simulated times equal" if equal else f"simulated times DIFFER: {mine:g} s, SMPI {theirs:g} s"
        if self.note:
            yield self.note

    def described(self, calibration: float) -> dict[str, Any]:
        """Return the row as JSON values."""
        return {
            "name": self.name,
            "ours": self.ours,
            "exact": self.exact,
            "unit": self.unit,
            "smpi": self.smpi,
            "ratio": self.ratio,
            "most": self.most,
            "least": self.least,
            "table": self.table,
            "reached": self.reached,
            "relative": self.stored_value(calibration),
            "note": "; ".join(self.words()),
        }


@dataclass
class Context:
    """Settings for groups of benchmarks.

    Attributes:
        smpi: SMPI, or None if it is not installed.
        most_ranks: limit of ranks, for a quick look.
        long: whether to include long runs.
    """

    smpi: Smpi | None
    most_ranks: int = 1 << 30
    long: bool = False

    def ranks(self, wanted: int) -> int:
        """Return the wanted number of ranks, or the limit if that is smaller."""
        return min(wanted, self.most_ranks)


class Baselines:
    """Values stored by an earlier run, one per row of a group."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self._stored: dict[str, dict[str, float]] = json.loads(path.read_text()) if path.exists() else {}

    def verdict(self, group: str, row: Row, calibration: float) -> tuple[str, bool]:
        """Return a remark that compares the row with its stored value, and whether it is an error."""
        value, stored = row.stored_value(calibration), self._stored.get(group, {}).get(row.name)
        if value is None or not stored or row.kind is None:
            return "", False
        guard = GUARDS[row.kind]
        grown = value / stored
        if grown > guard.slack:
            return f"GROWN: {grown:.2f} times the stored value", guard.fails
        return f"{grown:.2f} of the stored value", False

    def store(self, group: str, rows: list[Row], calibration: float) -> None:
        """Replace the stored values of a group."""
        values = {row.name: row.stored_value(calibration) for row in rows}
        self._stored[group] = {name: float(f"{value:.4g}") for name, value in values.items() if value is not None}
        self._path.write_text(json.dumps(self._stored, indent=2, sort_keys=True) + "\n")
