"""Estimate of what a sequential NumPy program would send on many nodes."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from pysmpi.errors import did_you_mean, unknown
from pysmpi.estimates.arguments import filled, sizes_of
from pysmpi.estimates.blocks import BLOCK_CUTS, BlockCuts, Cut
from pysmpi.estimates.comparison import differences, untraced
from pysmpi.estimates.depth import parallelism
from pysmpi.estimates.efficiency import depth_limit, formula, link_bound
from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.flow import Flow, flow_of
from pysmpi.estimates.foretelling import LEAST_PART, LargestSize, foretold
from pysmpi.estimates.limits import efficiency_of, reason_of
from pysmpi.estimates.machine import Machine
from pysmpi.estimates.partition import GraphCuts, missing_partitioners
from pysmpi.estimates.plot import plot_efficiency
from pysmpi.estimates.rows import Row, candidate_of
from pysmpi.estimates.running import Run, execute, run_program
from pysmpi.estimates.saving import save_estimate
from pysmpi.estimates.statements import StatementWords
from pysmpi.estimates.summary import BYTES_PER_WORD, flops_of
from pysmpi.util.quantities import counted

__all__ = ["Estimate", "estimate"]

_MEMORY = 4e9
_CUTS = ("best", "blocks", "graph")


@dataclass
class Estimate:
    """Answer to the question what a sequential program would send on many nodes.

    Attributes:
        program: path of the program.
        rows: a row for each size and number of nodes, in this order; those of a foretold size come last.
        warnings: remarks on what the figures rest on.
        measured_seconds: duration of the program on this machine, by size.
        differences: how traced and untraced runs differ, if they were compared.
        machine: simulated machine, or None.
    """

    program: Path
    rows: list[Row] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    measured_seconds: dict[str, float] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)
    machine: Machine | None = None

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
        """Return the statements that send, for the largest size and number of nodes; the largest amount first."""
        return self.rows[-1].statements if self.rows else []

    def stops(self) -> list[dict[str, Any]]:
        """Return the largest number of nodes at 80 and 50 % efficiency, and what stops more nodes."""
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

    def plot(self, path: str | os.PathLike[str], points: Mapping[int, float] | None = None) -> None:
        """Draw the efficiency against the number of nodes, for the largest size.

        Args:
            path: picture, whose ending is svg, png or pdf.
            points: efficiencies of a real MPI program by number of nodes, to be drawn beside, or None.

        Raises:
            LaunchError: the ending is not svg, png or pdf, matplotlib is missing, or the file cannot be written.
        """
        plot_efficiency(self, path, points)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write tables, matrices, cuts, skeletons and pictures into a new directory; see `pysmpi estimate -o`.

        Raises:
            LaunchError: the directory exists and is not empty, cannot be created, or matplotlib is missing.
        """
        save_estimate(self, path)

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


def estimate(
    program: str | os.PathLike[str],
    arguments: Sequence[Any] = (),
    *,
    sizes: Mapping[str, Sequence[int]] | None = None,
    at: Mapping[str, int] | None = None,
    nodes: Iterable[int] | None = None,
    platform: str | os.PathLike[str] | None = None,
    cut: str = "best",
    blocks: Sequence[int] | None = None,
    speed: float | None = None,
    bandwidth: float | None = None,
    overlap: float = 0.57,
    steady: str | None = None,
    index_data: bool = False,
    memory: float = _MEMORY,
    seed: int = 0,
    rules: str | os.PathLike[str] | None = None,
    probe: Sequence[str] = (),
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
        at: size that is foretold from the measured ones: a value for each parameter that varies.
        nodes: numbers of nodes, or None for those of `blocks`, or for 2, 4, 8 and 16.
        platform: machine on which the exchange is simulated, one node a host; as for `pysmpi.simulate`.
        cut: cuts that are compared: "blocks"; "graph" for those of installed partitioners, beside the usual one; or
            "best" for both kinds, without partitioners if `at` is given.
        blocks: factors by which the axes of arrays are divided, or None to find those that send least.
        speed: speed of a node in flop/s, or None for that of the platform's first host.
        bandwidth: bandwidth of each node in bytes/s when all nodes exchange messages, for the formula; or None to
            measure it on the platform by simulation.
        overlap: largest share of the communication that computation can hide, for the formula.
        steady: statement that begins each step, as ``file:line``, or None to find the steps.
        index_data: whether to count integers that serve as indices only.
        memory: largest size of the record in bytes.
        seed: seed of partitioners, and of the random rings by which the bandwidth is measured.
        rules: Python file that adds rules by `pysmpi.estimate_rule`, or None.
        probe: functions without a rule, such as "numpy.polyder", whose dependences are found by calling them with NaN
            in one element of an argument at a time.
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
    if rules is not None:
        execute(Path(rules), (), {}, None)
    if cut not in _CUTS:
        raise EstimateError(unknown("cut", cut, _CUTS))
    with_graph = cut == "graph" or (cut == "best" and at is None)
    if with_graph and (missing := missing_partitioners()):
        if cut == "graph" and len(missing) == 2:
            raise EstimateError("--cut graph: no partitioner is installed; pip install 'pysmpi[estimate]'")
        found.warnings.append(
            f"cuts by {' and '.join(missing)} are left out, since they are not installed (pip install "
            "'pysmpi[estimate]')"
        )
    for name, value in (("speed", speed), ("bandwidth", bandwidth)):
        if value is not None and not 0 < value < math.inf:
            raise EstimateError(f"{name}: {value!r} is not a positive, finite number")
    measured = sizes_of(arguments, sizes or {})
    varied = None if at is None else _varied(sizes or {}, at)
    if platform is not None:
        found.machine = Machine(platform, seed)
    speed = speed if speed is not None or found.machine is None else found.machine.speed
    # The largest size, which is nearest to the one that is extrapolated, shows the cuts that are compared at all sizes.
    ordered = measured if varied is None else sorted(measured, key=lambda each: -each[varied])
    largest = LargestSize()
    for number, size in enumerate(ordered):
        if varied is None:
            largest = LargestSize()  # nothing is extrapolated, so each size has its own cuts
        words, label = filled(arguments, size), _label(size)
        try:
            run = run_program(path, words, memory, probe, echo)
        except EstimateError as error:
            fitting = list(found.measured_seconds)[-1:]
            if error.too_large and varied is not None and not fitting:
                fitting = _fitting(path, arguments, ordered[number + 1 :], memory, probe)
            raise EstimateError(f"{error} ({fitting[0]} fits)") if error.too_large and fitting else error from None
        if compare:
            found.differences += [f"{label}: {each}" for each in differences(path, words, run)]
        found.measured_seconds[label] = untraced(path, words)[2]
        flow = flow_of(run.recorder, steady, index_data=index_data)
        _remark(found, run, flow, label)
        cuts = BlockCuts(flow, run.names)
        graph = GraphCuts(flow, cuts, seed) if with_graph else None
        depth, flops = parallelism(flow), flops_of(flow)
        elements = max((math.prod(group.extent) for group in cuts.groups), default=0)
        for count in counts:
            if elements < count and len(measured) > 1:
                found.warnings.append(
                    f"{label}: left out for {counted(count, 'node')}, with less than one element each"
                )
                continue
            usual = cuts.usual(count, blocks)
            others: list[Cut | None] = [] if blocks is not None else [*cuts.cyclic(count, usual)]
            if blocks is None and found.machine is not None:
                others.append(largest.slabs(count, usual, cuts))
            partitions = [] if graph is None else graph.cuts(count, usual)
            # A partition that sends more than equally balanced blocks has missed its objective.
            others += [each for each in partitions if cut == "graph" or not usual.dominates(each)]
            candidates = [candidate_of(flow, each) for each in (usual, *others) if each is not None]
            row = Row(count, size, candidates, depth, flops)
            if varied is not None:
                row.divided = largest.figures(count, cuts.divisions(count, blocks), flow, cuts)
            found.rows.append(row)
            if elements < LEAST_PART * count:
                found.warnings.append(
                    f"{label}: {counted(count, 'node')} with {elements / count:.3g} elements each; take a larger size"
                )
                row.small = True
    if at is not None and varied is not None:
        found.rows.sort(key=lambda row: measured.index(row.size))
        for count in counts:
            rows = [row for row in found.rows if row.nodes == count and not row.small]
            more, remarks = foretold(rows, count, varied, {**measured[-1], **at}, largest)
            found.rows += more
            found.warnings += remarks
    wanted = [row for row in found.rows if at is None or row.error is not None]
    for row in found.rows:
        row.speed = speed
        _add_efficiency(found, row, bandwidth, overlap, simulated=any(row is each for each in wanted))
        _choose(row, graph_only=cut == "graph")
    return found


def _label(size: Mapping[str, int]) -> str:
    return ",".join(f"{name}={value}" for name, value in size.items()) or "run"


def _fitting(
    path: Path, arguments: Sequence[Any], sizes: Iterable[Mapping[str, int]], memory: float, probe: Sequence[str]
) -> list[str]:
    """Return the first size whose record is not too large, or nothing."""
    for size in sizes:
        try:
            run_program(path, filled(arguments, size), memory, probe)
        except EstimateError as error:
            if not error.too_large:
                return []
        else:
            return [_label(size)]
    return []


def _varied(sizes: Mapping[str, Sequence[int]], at: Mapping[str, int]) -> str:
    """Return the one parameter that varies.

    Raises:
        EstimateError: none or several vary, or the wanted size lacks it.
    """
    varying = [name for name, values in sizes.items() if len(set(values)) > 1]
    for name in at:
        if name not in sizes:
            raise EstimateError(f"--at {name}: --size has no {name!r}{did_you_mean(name, sizes)}")
    if len(varying) != 1:
        what = "no parameter varies" if not varying else f"{', '.join(varying)} vary"
        raise EstimateError(f"--at: {what}; give --size with two or more values for one parameter")
    if varying[0] not in at:
        raise EstimateError(f"--at: no value for {varying[0]!r}; give --at {varying[0]}=VALUE")
    return varying[0]


def _add_efficiency(found: Estimate, row: Row, bandwidth: float | None, overlap: float, *, simulated: bool) -> None:
    machine = found.machine if simulated else None
    problem = None if machine is None else machine.check(row.nodes)
    if problem is not None:
        found.warnings.append(f"{row.nodes:,} nodes are not simulated: {problem}")
        machine = None
    if bandwidth is None and machine is not None and row.nodes > 1:
        bandwidth = machine.ring_bandwidth(row.nodes)
    for each in row.candidates:
        efficiency = each.figures.efficiency
        efficiency["depth"] = depth_limit(row.parallelism, row.nodes)
        if row.speed is None or row.flops == 0:
            continue
        if bandwidth is not None:
            efficiency["formula"] = formula(row.speed, each.figures.bytes_per_flop, bandwidth, overlap)
        link = machine.link_bandwidth() if machine is not None else bandwidth
        if link is not None:
            share = BYTES_PER_WORD * each.figures.largest_share
            efficiency["link"] = link_bound(row.speed, row.flops, row.nodes, share, link)
        if machine is not None:
            times = machine.efficiency(each.phases, row.nodes, row.speed, row.flops, each.scale, each.work_scale)
            if times is None:
                found.warnings.append(f"{row.nodes:,} nodes are not simulated: a step has too many messages")
            else:
                # Messages do not show which iterations of a loop over elements wait for each other; the depth does.
                overlapped = max(times[0], min(times[1], efficiency["depth"]))
                efficiency["simulated"], each.seconds = [times[0], overlapped], times[2]


def _choose(row: Row, *, graph_only: bool) -> None:
    """Choose the candidate with the least simulated time; without simulations the usual one, or the best partition."""
    every = range(len(row.candidates))
    partitions = [number for number in every if row.candidates[number].figures.by not in BLOCK_CUTS]
    numbers = partitions if graph_only and partitions else list(every)
    timed = [number for number in numbers if row.candidates[number].figures.efficiency["simulated"] is not None]
    if timed:
        row.chosen = max(timed, key=lambda number: row.candidates[number].figures.efficiency["simulated"][0])
    elif graph_only:
        row.chosen = min(numbers, key=lambda number: row.candidates[number].figures.words)


def _remark(found: Estimate, run: Run, flow: Flow, label: str) -> None:
    recorder = run.recorder
    if recorder.probes:
        found.warnings.append(
            f"{label}: NaN in one element at a time showed which results of {', '.join(sorted(recorder.probes))} "
            "depend on it (--probe); this is wrong for functions that compare elements"
        )
    if flow.steps is None:
        found.warnings.append(f"{label}: no statements are repeated as steps; words are those of the whole run")
    if recorder.steering:
        places = {recorder.statements[recorder.statement[event]].place for _, event in recorder.steering}
        found.warnings.append(
            f"{label}: values decide what the program does at {', '.join(sorted(places)[:4])}; the flow is that of "
            "this input only"
        )
    drawn = [event for event in recorder.random_events if flow.step_times[event] and flow.steps is not None]
    if drawn:
        places = {recorder.statements[recorder.statement[event]].place for event in drawn}
        found.warnings.append(
            f"{label}: random numbers are drawn inside steps at {', '.join(sorted(places)[:4])}; each counts as an "
            "input where it is used"
        )
