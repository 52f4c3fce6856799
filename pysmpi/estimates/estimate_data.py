"""Results of an estimate: a row for each size and number of nodes, statements that send, and what limits scaling."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pysmpi.estimates.costly_statements import StatementWords
from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.estimate_machine import Machine
from pysmpi.estimates.rows import Row
from pysmpi.estimates.scaling_limits import efficiency_of, reason_of

__all__ = ["EstimateData"]


@dataclass
class EstimateData:
    """Results of an estimate: what nodes send, and how efficiently they compute, by size and number of nodes.

    Attributes:
        program: path of the program.
        rows: a row for each size and number of nodes, in this order; those of an extrapolated size come last.
        warnings: remarks on assumptions behind the figures, and on what was left out.
        measured_seconds: duration in seconds of the untraced program on this machine, by size such as "n=64".
        differences: differences between traced and untraced runs, as sentences; empty if they were not compared.
        machine: simulated machine, or None.
    """

    program: Path
    rows: list[Row] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    measured_seconds: dict[str, float] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)
    machine: Machine | None = None

    def at(self, nodes: int) -> Row:
        """Return the results for a number of nodes, at the extrapolated size or else at the last measured one.

        Raises:
            EstimateError: this number of nodes was not estimated.
        """
        found = [row for row in self.rows if row.nodes == nodes]
        if not found:
            valid = ", ".join(str(each) for each in dict.fromkeys(row.nodes for row in self.rows))
            raise EstimateError(f"{nodes} nodes were not estimated (valid: {valid})")
        return found[-1]

    def table(self) -> list[dict[str, Any]]:
        """Return the rows as a list of mappings, which pandas.DataFrame accepts."""
        return [
            {
                "nodes": row.nodes,
                **row.size,
                "measured": row.error is None,
                "words": row.words,
                "usual_words": row.usual.words,
                "least_words": row.least.words,
                "by": row.best.by,
                "blocks": ", ".join(f"{name} {'x'.join(map(str, each))}" for name, each in row.usual.blocks.items()),
                "messages": row.best.messages,
                "neighbours": row.best.neighbours,
                "bytes_per_flop": row.best.bytes_per_flop,
                "imbalance": row.best.imbalance,
                **{f"efficiency_{name}": value for name, value in row.efficiency.items()},
            }
            for row in self.rows
        ]

    def statements(self) -> list[StatementWords]:
        """Return the statements that need words (8 bytes) of other nodes, the one that needs most first.

        They are those of the last row: the last size with the largest number of nodes.
        """
        return self.rows[-1].statements if self.rows else []

    def stops(self) -> list[dict[str, Any]]:
        """Return how far the program scales at the last size: one mapping for 80 and one for 50 % efficiency.

        Keys of a mapping: "efficiency" (0.8 or 0.5), "nodes" (largest number of nodes with this efficiency, or None),
        "why" and "place" (reason for a lower efficiency with more nodes, and the statement that causes it; see
        `pysmpi.estimates.scaling_limits.Reason`).
        """
        found = []
        size = self.rows[-1].size
        rows = sorted((row for row in self.rows if row.size == size), key=lambda row: row.nodes)
        for least in (0.8, 0.5):
            reached, reason = None, None
            for row in rows:
                efficiency = efficiency_of(row)
                if efficiency is None:
                    break
                if efficiency < least:
                    reason = reason_of(row, self.machine)
                    break
                reached = row.nodes
            why, place = (None, None) if reason is None else (reason.why, reason.place)
            found.append({"efficiency": least, "nodes": reached, "why": why, "place": place})
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the estimate as `pysmpi estimate --json` prints it."""
        return {
            "program": self.program.name,
            "rows": [row.to_json() for row in self.rows],
            "statements": [{"place": each.place, "what": each.what, "words": each.words} for each in self.statements()],
            "warnings": self.warnings,
            "stops": self.stops(),
            "measured_seconds": self.measured_seconds,
        }
