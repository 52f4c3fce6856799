"""Rows of an estimate: a row has the results for one problem size and one number of nodes, with all compared cuts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pysmpi.errors import did_you_mean
from pysmpi.estimates.block_cuts import Cut
from pysmpi.estimates.costly_statements import StatementWords, sending_statements
from pysmpi.estimates.cut_figures import BYTES_PER_WORD, CutFigures, figures_of
from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.record import Array
from pysmpi.estimates.skeleton import Phase, phases_of, skeleton
from pysmpi.estimates.value_flow import Flow
from pysmpi.estimates.word_count import Traffic
from pysmpi.estimates.words_by_size import WORST_FIT, words_of_size
from pysmpi.formulas.growth.one_parameter import fit_growth
from pysmpi.simulation.collectives.schedule import Schedule

__all__ = ["Candidate", "Row", "candidate_of", "scaled_row"]

_DRAWN = 256  # largest number of elements along an axis of a cut that is drawn


@dataclass
class Candidate:
    """One of the cuts (assignments of array elements to nodes) that are compared for a size and a number of nodes.

    Attributes:
        figures: words, messages, efficiency and other figures of the cut.
        statements: statements that need words of other nodes, the one that needs most first.
        traffic: words that are sent in a steady step at the measured size, or in the run if no repeated steps were
            found.
        statement_of: statement of each entry of `traffic`.
        phases: exchanges and computations of a step, at the measured size.
        owners: node that owns each element of the largest array with two axes, to be drawn; None without such an
            array. If an axis has more than 256 elements, only every k-th one is included.
        scale: words at the row's size over those of `traffic`; 1 if the size was measured.
        work_scale: computations at the row's size over those of `phases`; 1 if the size was measured.
        seconds: simulated seconds of communication in a step, or None.
    """

    figures: CutFigures
    statements: list[StatementWords]
    traffic: Traffic
    statement_of: Array
    phases: list[Phase]
    owners: Array | None = None
    scale: float = 1.0
    work_scale: float = 1.0
    seconds: float | None = None


def candidate_of(flow: Flow, cut: Cut) -> Candidate:
    """Return a cut of a data-flow graph with its figures, messages and owners, to be compared with other cuts."""
    steady = cut.traffic.in_step(flow)
    return Candidate(
        figures=figures_of(flow, cut),
        statements=sending_statements(flow, cut.traffic),
        traffic=steady,
        statement_of=flow.statement_of(steady.at),
        phases=phases_of(flow, cut.owner, steady),
        owners=_drawn(flow, cut),
    )


def _drawn(flow: Flow, cut: Cut) -> Array | None:
    blocks = [block for block in flow.recorder.blocks if len(block.shape) == 2 and math.prod(block.shape)]
    if not blocks:
        return None
    block = max(blocks, key=lambda each: (math.prod(each.shape), not each.temporary))
    owners = cut.owner[block.first : block.first + math.prod(block.shape)].reshape(block.shape)
    skipped = tuple(slice(None, None, -(-length // _DRAWN)) for length in block.shape)
    found: Array = owners[skipped].astype(np.uint16 if cut.nodes <= 2**16 else np.int32)
    return found


@dataclass
class Row:
    """Results of an estimate for one problem size and one number of nodes, with all cuts that were compared.

    Attributes:
        nodes: number of nodes.
        size: values of the parameters.
        candidates: cuts that were compared; the first one is the cut into blocks (see `usual`).
        parallelism: number of computed values over the length of the longest chain of computations.
        flops: floating-point operations of a steady step, or of the run if no repeated steps were found.
        error: relative error of the words if they are extrapolated; None if they were measured.
        chosen: index of the best candidate; see `best`.
        speed: flop/s of a node, or None if it is not known.
        small: True if nodes have so few elements that other sizes are not extrapolated from this row.
        divided: figures at this size of the block cuts that were found at the largest size, or None for cuts that do
            not fit this size; empty unless another size is to be extrapolated.
    """

    nodes: int
    size: dict[str, int]
    candidates: list[Candidate]
    parallelism: float
    flops: float
    error: float | None = None
    chosen: int = 0
    speed: float | None = field(default=None, repr=False)
    small: bool = False
    divided: list[CutFigures | None] = field(default_factory=list, repr=False)

    @property
    def usual(self) -> CutFigures:
        """Figures of the first candidate, where arrays are divided evenly, into one block for each node.

        The numbers of blocks along the axes are those that the user gave, or else those of the best block cut that was
        found; see `pysmpi.estimates.block_cuts.BlockCuts.usual`.
        """
        return self.candidates[0].figures

    @property
    def least(self) -> CutFigures:
        """Figures of the cut that sends the fewest words of all cuts that were compared."""
        return min((each.figures for each in self.candidates), key=lambda each: each.words)

    @property
    def best(self) -> CutFigures:
        """Figures of the cut with the least simulated time.

        Without simulation, that is the first candidate (`usual`), or with cut="graph" the partition that sends least.
        """
        return self.candidates[self.chosen].figures

    @property
    def statements(self) -> list[StatementWords]:
        """Statements that need words of other nodes with the best cut, the one that needs most first."""
        chosen = self.candidates[self.chosen]
        return [replace(each, words=round(each.words * chosen.scale)) for each in chosen.statements]

    @property
    def words(self) -> float:
        """Words that are sent in a step with the best cut, or in the run if no repeated steps were found."""
        return self.best.words

    @property
    def neighbours(self) -> float:
        """Number of nodes that the busiest node sends to, with the best cut."""
        return self.best.neighbours

    @property
    def efficiency(self) -> dict[str, Any]:
        """Estimates of the efficiency with the best cut, by name."""
        return self.best.efficiency

    @property
    def cut(self) -> str:
        """Kind of the best cut: "blocks", "slabs", "cyclic", or the objective of a partitioner, "km1" or "vol"."""
        return self.best.by

    @property
    def owners(self) -> Array | None:
        """Node that owns each element of the largest array with two axes, or None without such an array.

        If an axis has more than 256 elements, only every k-th one is included.
        """
        return self.candidates[self.chosen].owners

    @property
    def phases(self) -> list[Phase]:
        """Exchange and computation of each statement in a step, with the best cut, at the measured size."""
        return self.candidates[self.chosen].phases

    @property
    def skeleton(self) -> list[Schedule]:
        """Schedule of each node for a step with the best cut, for `pysmpi.simulate_replay`.

        If the speed of a node is not known, the schedules contain messages only.
        """
        return self.steps(1)

    def steps(self, count: int) -> list[Schedule]:
        """Return the schedule of each node for several steps in a row with the best cut; see `skeleton`."""
        chosen = self.candidates[self.chosen]
        cost = 0.0 if self.speed is None else 1.0 / self.speed
        return skeleton(chosen.phases, self.nodes, cost, count, chosen.scale, chosen.work_scale)

    def matrix(self, place: str | None = None) -> Array:
        """Return the words that each node (row) sends to each other node (column) in a step with the best cut.

        Args:
            place: statement as ``file:line`` that needs the words, or None for all.

        Raises:
            EstimateError: no statement at this place needs words of other nodes.
        """
        chosen = self.candidates[self.chosen]
        kept = np.ones(len(chosen.traffic.at), bool)
        if place is not None:
            numbers = [each.number for each in self.statements if each.place == place]
            if not numbers:
                places = [each.place for each in self.statements]
                raise EstimateError(
                    f"no words are sent for {place!r}{did_you_mean(place, places)} "
                    f"(valid: {', '.join(places) or 'none'})"
                )
            kept = chosen.statement_of == numbers[0]
        found = np.zeros((self.nodes, self.nodes), np.int64)
        np.add.at(found, (chosen.traffic.sender[kept], chosen.traffic.receiver[kept]), chosen.traffic.words[kept])
        return found if chosen.scale == 1 else np.rint(found * chosen.scale).astype(np.int64)

    def to_json(self) -> dict[str, Any]:
        """Return the results as objects for JSON, in the form that `pysmpi estimate --json` prints."""
        return {
            "nodes": self.nodes,
            "size": self.size,
            "measured": self.error is None,
            **({} if self.error is None else {"error": self.error}),
            "usual": self.usual.to_json(),
            "least": self.least.to_json(),
            "best": self.best.to_json(),
            "parallelism": self.parallelism,
        }


def scaled_row(rows: Sequence[Row], name: str, at: dict[str, int]) -> Row | None:
    """Extrapolate words, operations and parallelism to a size that was not measured, for one number of nodes.

    Args:
        rows: measured rows of this number of nodes, by increasing size; cuts that some of them lack are left out.
        name: parameter that has several measured values.
        at: size to be extrapolated: values of the parameters.

    Returns:
        The extrapolated row, or None if no function fits the measured rows.
    """

    def kind(candidate: Candidate) -> tuple[str, str]:
        return candidate.figures.by, str(candidate.figures.blocks)

    sizes = [row.size[name] for row in rows]
    kinds = set.intersection(*(set(map(kind, row.candidates)) for row in rows))
    kept = [{kind(each): each.figures for each in row.candidates} for row in rows]
    common = [each for each in rows[-1].candidates if kind(each) in kinds]
    nodes, size = rows[-1].nodes, at[name]
    flops = fit_growth(sizes, [row.flops for row in rows])
    parallelism = fit_growth(sizes, [row.parallelism for row in rows])
    work_scale = flops.value(size) / (rows[-1].flops or 1.0)
    candidates, errors = [], [flops.error, parallelism.error]
    for number, last in enumerate(common):
        figures = [each[kind(last)] for each in kept]
        words = words_of_size(sizes, figures, nodes, size)
        if words.error > WORST_FIT and number > 0:
            continue
        errors.append(words.error)
        scale = words.steady / last.figures.words if last.figures.words else 1.0
        found = replace(
            last.figures,
            step=words.step,
            once=words.once,
            run=words.run,
            recomputed=last.figures.recomputed * scale,
            largest_share=last.figures.largest_share * scale,
            bytes_per_flop=BYTES_PER_WORD * words.steady / flops.value(size) if flops.value(size) else 0.0,
            efficiency=dict.fromkeys(last.figures.efficiency),
        )
        candidates.append(replace(last, figures=found, scale=scale, work_scale=work_scale))
    error = max(errors)
    if not math.isfinite(error) or error > WORST_FIT:
        return None
    return Row(nodes, at, candidates, parallelism.value(size), flops.value(size), error)
