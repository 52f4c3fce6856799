"""Estimate of what a sequential NumPy program would send on many nodes."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from pysmpi.errors import did_you_mean
from pysmpi.estimates.arguments import filled, sizes_of
from pysmpi.estimates.blocks import BlockCuts
from pysmpi.estimates.comparison import differences, untraced
from pysmpi.estimates.counting import Traffic
from pysmpi.estimates.depth import parallelism
from pysmpi.estimates.efficiency import depth_limit, formula, link_bound
from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.flow import Flow, flow_of
from pysmpi.estimates.recorder import Array
from pysmpi.estimates.running import Run, run_program
from pysmpi.estimates.statements import StatementWords, sending_statements
from pysmpi.estimates.summary import BYTES_PER_WORD, CutFigures, figures_of, flops_of

__all__ = ["Estimate", "Row", "estimate"]

_LEAST_PART = 16  # elements of a node below which a part is hardly a block
_MEMORY = 4e9


@dataclass
class Row:
    """Estimate for one size and one number of nodes.

    Attributes:
        nodes: number of nodes.
        size: values of the parameters.
        usual: figures of the block cut that sends least, or of the blocks that were asked for.
        parallelism: computed values over the longest chain of computations.
        flops: computations of a steady step, or of the run if no period was found.
        statements: statements that send, the largest amount first.
        traffic: words of a steady step, entry by entry.
        statement_of: statement of each entry of `traffic`.
    """

    nodes: int
    size: dict[str, int]
    usual: CutFigures
    parallelism: float
    flops: float
    statements: list[StatementWords]
    traffic: Traffic
    statement_of: Array

    def matrix(self, place: str | None = None) -> Array:
        """Return the words that each node (row) sends to each other node (column) in a step.

        Args:
            place: statement as ``file:line`` that needs the words, or None for all.

        Raises:
            EstimateError: no statement at this place needs words of other nodes.
        """
        if place is None:
            return self.traffic.matrix()
        numbers = [each.number for each in self.statements if each.place == place]
        if not numbers:
            places = [each.place for each in self.statements]
            raise EstimateError(
                f"no words are sent for {place!r}{did_you_mean(place, places)} (valid: {', '.join(places) or 'none'})"
            )
        found = np.zeros((self.nodes, self.nodes), np.int64)
        chosen = self.statement_of == numbers[0]
        senders, receivers = self.traffic.sender[chosen], self.traffic.receiver[chosen]
        np.add.at(found, (senders, receivers), self.traffic.words[chosen])
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the row as it stands in JSON."""
        cut = self.usual.to_json()
        return {
            "nodes": self.nodes,
            "size": self.size,
            "measured": True,
            "usual": cut,
            "least": cut,
            "best": cut,
            "parallelism": self.parallelism,
        }


@dataclass
class Estimate:
    """Answer to the question what a sequential program would send on many nodes.

    Attributes:
        program: path of the program.
        rows: a row for each size and number of nodes, in this order.
        warnings: remarks on what the figures rest on.
        measured_seconds: duration of the program on this machine, by size.
        differences: how traced and untraced runs differ, if they were compared.
    """

    program: Path
    rows: list[Row] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    measured_seconds: dict[str, float] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)

    def at(self, nodes: int) -> Row:
        """Return the row of a number of nodes, of the largest size.

        Raises:
            EstimateError: this number of nodes was not estimated.
        """
        found = [row for row in self.rows if row.nodes == nodes]
        if not found:
            valid = ", ".join(str(each) for each in dict.fromkeys(row.nodes for row in self.rows))
            raise EstimateError(f"{nodes} nodes were not estimated (valid: {valid})")
        return found[-1]

    def table(self) -> list[dict[str, Any]]:
        """Return a mapping for each row, as pandas.DataFrame takes them."""
        return [
            {
                "nodes": row.nodes,
                **row.size,
                "words": row.usual.words,
                "blocks": ", ".join(f"{name} {'x'.join(map(str, each))}" for name, each in row.usual.blocks.items()),
                "messages": row.usual.messages,
                "neighbours": row.usual.neighbours,
                "bytes_per_flop": row.usual.bytes_per_flop,
                **{f"efficiency_{name}": value for name, value in row.usual.efficiency.items()},
            }
            for row in self.rows
        ]

    def statements(self) -> list[StatementWords]:
        """Return the statements that send, for the largest size and number of nodes; the largest amount first."""
        return self.rows[-1].statements if self.rows else []

    def stops(self) -> list[dict[str, Any]]:
        """Return the largest number of nodes at 80 and 50 % efficiency, and what stops more nodes."""
        found = []
        size = self.rows[-1].size
        rows = sorted((row for row in self.rows if row.size == size), key=lambda row: row.nodes)
        for least in (0.8, 0.5):
            reached, why, place = None, None, None
            for row in rows:
                limits = _limits(row)
                if not limits:
                    break
                if min(limits.values()) < least:
                    why = min(limits, key=lambda each: limits[each])
                    place = row.statements[0].place if why == "volume" and row.statements else None
                    break
                reached = row.nodes
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


def _limits(row: Row) -> dict[str, float]:
    efficiency = row.usual.efficiency
    found = {"parallelism": efficiency["depth"], "imbalance": 1.0 / row.usual.imbalance}
    if efficiency["formula"] is not None:
        found["volume"] = efficiency["formula"]
    return found


def estimate(
    program: str | os.PathLike[str],
    arguments: Sequence[Any] = (),
    *,
    sizes: Mapping[str, Sequence[int]] | None = None,
    nodes: Iterable[int] | None = None,
    blocks: Sequence[int] | None = None,
    speed: float | None = None,
    bandwidth: float | None = None,
    overlap: float = 0.57,
    steady: str | None = None,
    index_data: bool = False,
    memory: float = _MEMORY,
    compare: bool = False,
    echo: TextIO | None = None,
) -> Estimate:
    """Estimate what a sequential NumPy program would send on many nodes, from runs on small sizes.

    The program runs unmodified; which element's value flows into which is recorded. The values are then divided among
    nodes, and the words that have to cross are counted.

    Args:
        program: path of the program.
        arguments: words of its command line; ``{n}`` stands for a parameter n.
        sizes: values of the parameters; each combination by position is one run.
        nodes: numbers of nodes, or None for those of `blocks`, or for 2, 4, 8 and 16.
        blocks: factors by which the axes of arrays are divided, or None to find those that send least.
        speed: speed of a node in flop/s; estimates of the efficiency need it.
        bandwidth: bandwidth of each node in bytes/s when all nodes exchange messages; likewise.
        overlap: largest share of the communication that computation can hide, for the formula.
        steady: statement that begins each step, as ``file:line``, or None to find the steps.
        index_data: whether to count integers that serve as indices only.
        memory: largest size of the record in bytes.
        compare: whether to run the program untraced, too, and to compare results.
        echo: stream for what the program prints, or None for none.

    Raises:
        EstimateError: the program cannot be followed, or there are too few elements for a number of nodes.
    """
    path = Path(program)
    found = Estimate(path)
    if nodes is None:
        nodes = (2, 4, 8, 16) if blocks is None else [math.prod(blocks)]
    counts = sorted(set(nodes))
    if not counts or counts[0] < 1:
        raise EstimateError(f"--nodes: {counts[0] if counts else 'no number'} is not a number of nodes, 1 or more")
    for count in counts:
        if blocks is not None and math.prod(blocks) != count:
            raise EstimateError(
                f"--blocks {'x'.join(map(str, blocks))} has {math.prod(blocks)} parts, but --nodes asks for {count}"
            )
    for size in sizes_of(arguments, sizes or {}):
        words = filled(arguments, size)
        run = run_program(path, words, memory, echo)
        label = ",".join(f"{name}={value}" for name, value in size.items()) or "run"
        if compare:
            found.differences += [f"{label}: {each}" for each in differences(path, words, run)]
        found.measured_seconds[label] = untraced(path, words)[2]
        flow = flow_of(run.recorder, steady, index_data=index_data)
        _remark(found, run, flow, label)
        cuts = BlockCuts(flow, run.names)
        depth = parallelism(flow)
        for count in counts:
            row = _row(flow, cuts, count, size, depth, blocks)
            _add_efficiency(row, speed, bandwidth, overlap)
            elements = max(math.prod(group.extent) for group in cuts.groups)
            if elements < _LEAST_PART * count:
                found.warnings.append(
                    f"{label}: {count} nodes have {elements / count:.3g} elements each; take a larger size"
                )
            found.rows.append(row)
    return found


def _row(
    flow: Flow, cuts: BlockCuts, nodes: int, size: dict[str, int], depth: float, blocks: Sequence[int] | None
) -> Row:
    cut = cuts.usual(nodes, blocks)
    steady = cut.traffic.between(*flow.steady())
    return Row(
        nodes=nodes,
        size=size,
        usual=figures_of(flow, cut),
        parallelism=depth,
        flops=flops_of(flow),
        statements=sending_statements(flow, cut.traffic),
        traffic=steady,
        statement_of=flow.statement_of(steady.at),
    )


def _add_efficiency(row: Row, speed: float | None, bandwidth: float | None, overlap: float) -> None:
    efficiency = row.usual.efficiency
    efficiency["depth"] = depth_limit(row.parallelism, row.nodes)
    if speed is not None and bandwidth is not None:
        efficiency["formula"] = formula(speed, row.usual.bytes_per_flop, bandwidth, overlap)
        share = BYTES_PER_WORD * row.usual.largest_share
        efficiency["link"] = link_bound(speed, row.flops, row.nodes, share, bandwidth)


def _remark(found: Estimate, run: Run, flow: Flow, label: str) -> None:
    recorder = run.recorder
    if flow.steps is None:
        found.warnings.append(f"{label}: no statements are repeated as steps; words are those of the whole run")
    if recorder.steering:
        places = {recorder.statements[recorder.statement[event]].place for _, event in recorder.steering}
        found.warnings.append(
            f"{label}: values decide what the program does at {', '.join(sorted(places)[:4])}; the flow is that of "
            "this input only"
        )
    begin, end = flow.steady()
    drawn = [event for event in recorder.random_events if begin <= event < end and flow.steps is not None]
    if drawn:
        places = {recorder.statements[recorder.statement[event]].place for event in drawn}
        found.warnings.append(
            f"{label}: random numbers are drawn inside steps at {', '.join(sorted(places)[:4])}; each counts as an "
            "input where it is used"
        )
