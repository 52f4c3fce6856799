"""Estimate of what a sequential NumPy program would send on many nodes."""

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, TextIO

from pysmpi.errors import did_you_mean, unknown
from pysmpi.estimates.block_cuts import BLOCK_CUTS, BlockCuts, Cut
from pysmpi.estimates.comparison import differences, untraced
from pysmpi.estimates.cut_figures import BYTES_PER_WORD, flops_of
from pysmpi.estimates.depth import parallelism
from pysmpi.estimates.efficiency import depth_limit, formula, link_bound
from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.estimate_data import EstimateData
from pysmpi.estimates.estimate_machine import Machine
from pysmpi.estimates.extrapolated_figures import LEAST_PART, LargestSize, extrapolated
from pysmpi.estimates.partition import GraphCuts, missing_partitioners
from pysmpi.estimates.plot import plot_efficiency
from pysmpi.estimates.problem_sizes import filled, sizes_of
from pysmpi.estimates.rows import Row, candidate_of
from pysmpi.estimates.running import Run, execute, run_program
from pysmpi.estimates.saving import save_estimate
from pysmpi.estimates.value_flow import Flow, flow_of
from pysmpi.util.quantities import counted

__all__ = ["Estimate", "estimate"]

_MEMORY = 4e9  # bytes
_CUTS = ("best", "blocks", "graph")


class Estimate(EstimateData):
    """Estimate of what a sequential program would send on many nodes; see `EstimateData` for its figures."""

    def plot(self, path: str | os.PathLike[str], points: Mapping[int, float] | None = None) -> None:
        """Draw the efficiency against the number of nodes, for the largest size.

        Args:
            path: path of the picture, with the suffix .svg, .png or .pdf.
            points: efficiencies of a real MPI program by number of nodes, to be drawn in the same picture, or None.

        Raises:
            LaunchError: the suffix is not .svg, .png or .pdf, matplotlib is missing, or the file cannot be written.
        """
        plot_efficiency(self, path, points)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the estimate into a new directory: tables, communication matrices, pictures, and traces for replays.

        This is what `pysmpi estimate -o` does; see `pysmpi.estimates.saving.save_estimate` for the files.

        Raises:
            LaunchError: the directory exists and is not empty, cannot be created, or matplotlib is missing.
        """
        save_estimate(self, path)


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

    The program runs unmodified, and pysmpi records from which array elements each element is computed. The elements are
    then divided among nodes, and the words (of 8 bytes) that nodes have to send to each other are counted.

    Args:
        program: path of the program.
        arguments: its command-line arguments; ``{n}`` stands for a parameter n.
        sizes: values of each parameter; the k-th run has the k-th value of each, or its only value.
        at: size that is extrapolated from the measured ones: a value for each parameter that varies.
        nodes: numbers of nodes, or None for those of `blocks`, or for 2, 4, 8 and 16.
        platform: machine on which the exchange is simulated, one node a host; as for `pysmpi.simulate`.
        cut: ways to divide the arrays that are compared: "blocks" along the axes; "graph" for those that installed
            graph partitioners find, beside blocks; or "best" for both kinds, without partitioners if `at` is given.
        blocks: number of blocks along each axis of the arrays, or None to find those that send least.
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
    counts = _counts(nodes, blocks)
    if rules is not None:
        execute(Path(rules), (), {}, None)
    if cut not in _CUTS:
        raise EstimateError(unknown("cut", cut, _CUTS))
    for name, value in (("speed", speed), ("bandwidth", bandwidth)):
        if value is not None and not 0 < value < math.inf:
            raise EstimateError(f"{name}: {value!r} is not a positive, finite number")
    found = Estimate(Path(program))
    with_graph = cut == "graph" or (cut == "best" and at is None)
    if with_graph:
        found.warnings += _without_partitioners(required=cut == "graph")
    measured = sizes_of(arguments, sizes or {})
    varied = None if at is None else _varied(sizes or {}, at)
    if platform is not None:
        found.machine = Machine(platform, seed)
    speed = speed if speed is not None or found.machine is None else found.machine.speed
    runs = _Runs(found, arguments, memory, probe, echo, compare=compare)
    cuts = _Cuts(cut, blocks, seed, with_graph=with_graph)
    # The largest size, which is nearest to the one that is extrapolated, shows the cuts that are compared at all sizes.
    ordered = measured if varied is None else sorted(measured, key=lambda each: -each[varied])
    largest = LargestSize()
    for number, size in enumerate(ordered):
        if varied is None:
            largest = LargestSize()  # nothing is extrapolated, so each size has its own cuts
        run = runs.run(size, () if varied is None else ordered[number + 1 :])
        flow = flow_of(run.recorder, steady, index_data=index_data)
        _remark(found, run, flow, _label(size))
        cuts.add_rows(found, size, counts, flow, run, largest, varied=varied is not None, several=len(measured) > 1)
    if at is not None and varied is not None:
        found.rows.sort(key=lambda row: measured.index(row.size))
        for count in counts:
            rows = [row for row in found.rows if row.nodes == count and not row.small]
            more, remarks = extrapolated(rows, count, varied, {**measured[-1], **at}, largest)
            found.rows += more
            found.warnings += remarks
    wanted = [row for row in found.rows if at is None or row.error is not None]
    for row in found.rows:
        row.speed = speed
        _add_efficiency(found, row, bandwidth, overlap, simulated=any(row is each for each in wanted))
        _choose(row, graph_only=cut == "graph")
    return found


def _counts(nodes: Iterable[int] | None, blocks: Sequence[int] | None) -> list[int]:
    """Return the numbers of nodes to be estimated, in increasing order, from the arguments `nodes` and `blocks`.

    Raises:
        EstimateError: a number is not valid, or the blocks are not as many as the nodes.
    """
    if nodes is None:
        nodes = (2, 4, 8, 16) if blocks is None else [math.prod(blocks)]
    counts = sorted(set(nodes))
    if not counts or counts[0] < 1:
        problem = f"{counts[0]} is not a valid number of nodes (valid: 1 or more)" if counts else "the list is empty"
        raise EstimateError(f"--nodes: {problem}")
    for count in counts:
        if blocks is not None and math.prod(blocks) != count:
            raise EstimateError(
                f"--blocks {'x'.join(map(str, blocks))} has {math.prod(blocks)} parts, but --nodes asks for {count}; "
                "each node needs one part"
            )
    return counts


def _without_partitioners(*, required: bool) -> list[str]:
    """Return a list with one warning if a graph partitioner (Mt-KaHyPar or METIS) is not installed, else an empty list.

    Raises:
        EstimateError: neither is installed, and `required` is true.
    """
    missing = missing_partitioners()
    if required and len(missing) == 2:
        raise EstimateError("--cut graph: no partitioner is installed; pip install 'pysmpi[estimate]'")
    if not missing:
        return []
    return [
        f"cuts by {' and '.join(missing)} are left out, since they are not installed (pip install 'pysmpi[estimate]')"
    ]


@dataclass(frozen=True)
class _Runs:
    """Runs of the program, one for each size.

    `found` is the estimate to which durations and differences of results are added. The other attributes are arguments
    of `estimate`.
    """

    found: Estimate
    arguments: Sequence[Any]
    memory: float
    probe: Sequence[str]
    echo: TextIO | None
    _: KW_ONLY
    compare: bool

    def run(self, size: Mapping[str, int], smaller: Iterable[Mapping[str, int]]) -> Run:
        """Run the program with one size, and measure how long it takes without tracing.

        Args:
            size: values of the parameters.
            smaller: smaller sizes; if the record is too large, the error names one whose record fits.
        """
        found = self.found
        words, label = filled(self.arguments, size), _label(size)
        try:
            run = run_program(found.program, words, self.memory, self.probe, self.echo)
        except EstimateError as error:
            fitting = list(found.measured_seconds)[-1:]
            if error.too_large and not fitting:
                fitting = self._fitting(smaller)
            raise EstimateError(f"{error} ({fitting[0]} fits)") if error.too_large and fitting else error from None
        if self.compare:
            found.differences += [f"{label}: {each}" for each in differences(found.program, words, run)]
        found.measured_seconds[label] = untraced(found.program, words)[2]
        return run

    def _fitting(self, sizes: Iterable[Mapping[str, int]]) -> list[str]:
        """Return a list with the first size whose record fits into the memory, such as ["n=64"], or an empty list."""
        for size in sizes:
            try:
                run_program(self.found.program, filled(self.arguments, size), self.memory, self.probe)
            except EstimateError as error:
                if not error.too_large:
                    return []
            else:
                return [_label(size)]
        return []


@dataclass(frozen=True)
class _Cuts:
    """Search for the cuts (assignments of array elements to nodes) that an estimate compares.

    Attributes:
        cut: kinds of cuts to compare: "best", "blocks" or "graph"; see `estimate`.
        blocks: number of blocks along each divided axis, or None to find it.
        seed: seed of partitioners.
        with_graph: whether partitioners are used.
    """

    cut: str
    blocks: Sequence[int] | None
    seed: int
    _: KW_ONLY
    with_graph: bool

    def add_rows(
        self, found: Estimate, size: Mapping[str, int], counts: Sequence[int], flow: Flow, run: Run,
        largest: LargestSize, *, varied: bool, several: bool,
    ) -> None:  # fmt: skip
        """Compare the cuts for each number of nodes at one size, and add a row for each.

        Args:
            found: estimate to which the rows are added.
            size: size of the run: values of the parameters.
            counts: numbers of nodes.
            flow: data-flow graph of the run.
            run: recorded run of the program.
            largest: cuts of the largest size, which are compared at all sizes.
            varied: whether figures of another size are to be extrapolated.
            several: whether several sizes are measured.
        """
        label = _label(size)
        cuts = BlockCuts(flow, run.names)
        graph = GraphCuts(flow, cuts, self.seed) if self.with_graph else None
        depth, flops = parallelism(flow), flops_of(flow)
        elements = max((math.prod(group.extent) for group in cuts.groups), default=0)
        for count in counts:
            if elements < count and several:
                found.warnings.append(
                    f"{label}: left out for {counted(count, 'node')}, since there is less than one element for each"
                )
                continue
            simulates = found.machine is not None
            candidates = [
                candidate_of(flow, each) for each in self._of(count, cuts, graph, largest, simulates=simulates)
            ]
            row = Row(count, dict(size), candidates, depth, flops)
            if varied:
                row.divided = largest.figures(count, cuts.divisions(count, self.blocks), flow, cuts)
            found.rows.append(row)
            if elements < LEAST_PART * count:
                found.warnings.append(
                    f"{label}: {counted(count, 'node')} with {elements / count:.3g} elements each are too small "
                    "for good figures; take a larger size"
                )
                row.small = True

    def _of(
        self, count: int, cuts: BlockCuts, graph: GraphCuts | None, largest: LargestSize, *, simulates: bool
    ) -> list[Cut]:
        """Return the cuts to be compared for a number of nodes; the first one is the block cut of `BlockCuts.usual`.

        Args:
            count: number of nodes.
            cuts: search for block cuts at this size.
            graph: search for cuts by partitioners, or None.
            largest: cuts of the largest size.
            simulates: whether times are simulated, so that cuts along one axis are compared, too.
        """
        usual = cuts.usual(count, self.blocks)
        others: list[Cut | None] = [] if self.blocks is not None else [*cuts.cyclic(count, usual)]
        if self.blocks is None and simulates:
            others.append(largest.slabs(count, usual, cuts))
        partitions = [] if graph is None else graph.cuts(count, usual)
        # A partition that sends more than equally balanced blocks has missed its objective.
        others += [each for each in partitions if self.cut == "graph" or not usual.dominates(each)]
        return [each for each in (usual, *others) if each is not None]


def _label(size: Mapping[str, int]) -> str:
    return ",".join(f"{name}={value}" for name, value in size.items()) or "run"


def _varied(sizes: Mapping[str, Sequence[int]], at: Mapping[str, int]) -> str:
    """Return the name of the one parameter with several values, by which figures are extrapolated.

    Args:
        sizes: measured values of each parameter.
        at: size to be extrapolated: values of the parameters.

    Raises:
        EstimateError: none or several parameters have several values, or `at` lacks the one.
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
    """Choose the best cut of a row, and store its index in `row.chosen`.

    It is the cut with the least simulated time. Without simulations it is the first one, which divides arrays into
    blocks, or with `graph_only` the partition that sends the fewest words.
    """
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
