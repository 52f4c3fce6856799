"""Gantt chart of a timeline: ranks from top to bottom, time from left to right, coloured by state."""

import csv
import importlib.util
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pysmpi.errors import LaunchError
from pysmpi.util.pictures import check_format, new_figure, save

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Gantt", "draw", "read"]

_BINS = 1600  # columns of pixels over time
_MOST_ROWS = 1024  # rows of pixels; with more ranks, several share a row
_MOST_STATES = 10  # states with their own colour
_LEAST_PART = 5e-4  # least part of the ranks' time for a state with its own colour
_APART = 64  # largest number of ranks with separating lines
_MOST_MESSAGES = 400  # largest number of messages drawn
_OTHER = "other"
_COLOURS = {
    "computing (measured)": "#08519c",
    "computing (injected)": "#3182bd",
    "computing (modelled)": "#6baed6",
    "computing (sampled)": "#9ecae1",
    "sleeping": "#bdbdbd",
    _OTHER: "#636363",
}
_OF_CALLS = (
    "#f28e2b",
    "#59a14f",
    "#e15759",
    "#b07aa1",
    "#edc948",
    "#76b7b2",
    "#ff9da7",
    "#9c755f",
    "#8cd17d",
    "#d37295",
)


@dataclass(frozen=True)
class _Row:
    kind: str
    name: str
    rank: int
    thread: int
    depth: int
    begin: float
    end: float
    peer: int


@dataclass(frozen=True)
class Gantt:
    """Times and messages that a Gantt chart shows.

    Attributes:
        begin: start of the chart in seconds.
        end: end of the chart in seconds.
        ranks: number of ranks.
        states: names of the states, computation first, then by decreasing time.
        seconds: seconds in each state, (states, rows, bins). A row is a rank or a group of neighbouring ranks; a bin is
            an equal part of the time from `begin` to `end`.
        messages: ((send time, sender), (receive time, receiver)) of each message, times in seconds; empty if there are
            too many messages to draw.
    """

    begin: float
    end: float
    ranks: int
    states: list[str]
    seconds: "NDArray[np.float32]"
    messages: list[tuple[tuple[float, int], tuple[float, int]]]


def read(table: str | os.PathLike[str], begin: float | None = None, end: float | None = None) -> Gantt:
    """Read a timeline stored as a table. The file is read twice in blocks, so that its size does not matter.

    Args:
        table: path of a table written by ``--trace FILE.csv`` or ``FILE.parquet``.
        begin: start of the chart in seconds, or None for the start of the run.
        end: end of the chart in seconds, or None for the end of the run.

    Raises:
        LaunchError: if the file does not exist, is not a timeline table, or has nothing between `begin` and `end`.
    """
    path = Path(table)
    ranks, last, totals = 0, 0.0, defaultdict[str, float](float)
    for row, sign in _pieces(path):
        ranks, last = max(ranks, row.rank + 1), max(last, row.end)
        if row.kind != "message":
            totals[row.name] += sign * _overlap(row, begin, end)
    first = 0.0 if begin is None else begin
    last = last if end is None else end
    if ranks == 0 or not first < last:
        raise LaunchError(f"{table}: the timeline is empty between {first:g} s and {last:g} s")
    states = _states(totals, ranks * (last - first))
    seconds = np.zeros((len(states), min(ranks, _MOST_ROWS), _BINS), dtype=np.float32)
    messages: list[tuple[tuple[float, int], tuple[float, int]]] = []
    for row, sign in _pieces(path):
        if row.kind != "message":
            state = states.index(row.name) if row.name in states else len(states) - 1
            _spread(seconds[state, row.rank * seconds.shape[1] // ranks], row, first, last, sign)
        elif first <= row.begin and row.end <= last and len(messages) <= _MOST_MESSAGES:
            messages.append(((row.begin, row.rank), (row.end, row.peer)))
    return Gantt(first, last, ranks, states, seconds, messages if len(messages) <= _MOST_MESSAGES else [])


def _states(totals: Mapping[str, float], whole: float) -> list[str]:
    found = sorted(totals, key=lambda name: (not name.startswith("computing"), -totals[name], name))
    own = [name for name in found if totals[name] >= _LEAST_PART * whole][:_MOST_STATES]
    return own if len(own) == len(found) else [*own, _OTHER]


def _pieces(path: Path) -> Iterator[tuple[_Row, float]]:
    """Yield the timeline's rows to draw (messages and outermost states), each with 1 or -1: add or subtract its time.

    Computation inside a call is yielded with 1. The same interval is then yielded with the name of the call and -1, so
    that it counts as computation only.
    """
    inside: dict[int, list[_Row]] = defaultdict(list)  # by rank: nested computation of calls that have not ended yet
    for row in _rows(path):
        if row.kind in {"phase", "link"} or row.thread > 0:
            continue
        if row.depth <= 0:
            yield row, 1.0
            for part in inside.pop(row.rank, []) if row.kind != "message" else ():
                yield replace(part, name=row.name), -1.0
        elif row.kind == "computing":
            yield row, 1.0
            inside[row.rank].append(row)


def _overlap(row: _Row, begin: float | None, end: float | None) -> float:
    from_, to = row.begin if begin is None else max(row.begin, begin), row.end if end is None else min(row.end, end)
    return max(to - from_, 0.0)


def _spread(line: "NDArray[np.float32]", row: _Row, begin: float, end: float, sign: float) -> None:
    width = (end - begin) / len(line)
    from_, to = (max(row.begin, begin) - begin) / width, (min(row.end, end) - begin) / width
    if not from_ < to:
        return
    first, last = int(from_), min(int(to), len(line) - 1)
    if first >= last:
        line[last] += sign * (to - from_) * width
        return
    line[first] += sign * (first + 1 - from_) * width
    line[first + 1 : last] += sign * width
    line[last] += sign * (to - last) * width


def _rows(path: Path) -> Iterator[_Row]:
    def number(text: Any) -> int:
        return int(text) if text not in {"", None} else -1

    for row in _dictionaries(path):
        try:
            yield _Row(
                row["kind"], row["name"], number(row["rank"]), number(row["thread"]), number(row["depth"]),
                float(row["begin"]), float(row["end"]), number(row["peer"]),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError):
            raise LaunchError(f"{path}: not a timeline table as written by --trace FILE.csv") from None


def _dictionaries(path: Path) -> Iterator[dict[str, Any]]:
    try:
        if path.suffix in {".parquet", ".pq"}:
            if importlib.util.find_spec("pyarrow") is None:
                raise LaunchError(f"{path}: Parquet needs pyarrow; install it with: pip install 'pysmpi[parquet]'")
            from pyarrow import ArrowInvalid
            from pyarrow.parquet import ParquetFile

            try:
                with ParquetFile(path) as file:
                    for batch in file.iter_batches():
                        yield from batch.to_pylist()
            except ArrowInvalid as error:
                raise LaunchError(f"{path}: not a Parquet file: {error}") from None
        elif path.suffix == ".csv":
            with path.open(newline="", encoding="utf-8") as lines:
                try:
                    yield from csv.DictReader(lines)
                except (UnicodeDecodeError, csv.Error) as error:
                    raise LaunchError(f"{path}: not a timeline table: {error}") from None
        else:
            raise LaunchError(f"{path}: a plot needs a timeline table; write one with --trace FILE.csv or FILE.parquet")
    except OSError as error:
        raise LaunchError(f"{path}: {error.strerror}") from None


def draw(gantt: Gantt, target: str) -> None:
    """Draw the chart: the state of each rank above, and the number of ranks in each state below.

    Raises:
        LaunchError: if the picture cannot be written.
    """
    check_format(target)
    figure = new_figure(12.0, 7.0)
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Patch

    free = iter(_OF_CALLS)
    colours = np.array([to_rgb(_COLOURS.get(name) or next(free)) for name in gantt.states])
    scale, unit = next(
        (s, u) for s, u in ((1.0, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns")) if gantt.end * s >= 1 or u == "ns"
    )
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[4, 1])
    edges = (gantt.begin * scale, gantt.end * scale)
    upper.imshow(
        _blend(gantt, colours), aspect="auto", interpolation="nearest", extent=(*edges, gantt.ranks - 0.5, -0.5)
    )
    for between in range(1, gantt.ranks) if gantt.ranks <= _APART else ():
        upper.axhline(between - 0.5, color="white", linewidth=0.6)
    upper.set_ylabel("rank")
    upper.yaxis.get_major_locator().set_params(integer=True)
    if gantt.messages:
        lines = [[(from_[0] * scale, from_[1]), (to[0] * scale, to[1])] for from_, to in gantt.messages]
        upper.add_collection(LineCollection(lines, colors="black", linewidths=0.5, alpha=0.6))
    width = (gantt.end - gantt.begin) / _BINS
    times = (gantt.begin + width * (np.arange(_BINS) + 0.5)) * scale
    lower.stackplot(times, gantt.seconds.sum(axis=1) / width, colors=colours, linewidth=0)
    lower.set_ylabel("ranks")
    lower.set_ylim(0, gantt.ranks)
    lower.set_xlim(*edges)
    lower.set_xlabel(f"simulated time ({unit})")
    totals = gantt.seconds.sum(axis=(1, 2))
    whole = gantt.ranks * (gantt.end - gantt.begin)
    handles = [
        Patch(color=colour, label=f"{name}  {part:.1%}")
        for name, colour, part in zip(gantt.states, colours, totals / whole, strict=True)
        if part >= _LEAST_PART
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False)
    save(figure, target)


def _blend(gantt: Gantt, colours: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return the chart's pixels. Each is the mean colour of its states by time, with white for time without a state."""
    rows = gantt.seconds.shape[1]
    ranks_of_row = np.bincount(np.arange(gantt.ranks) * rows // gantt.ranks, minlength=rows)
    available = ranks_of_row[:, None] * (gantt.end - gantt.begin) / _BINS
    parts = gantt.seconds / available
    mixed = np.einsum("srb,sc->rbc", parts, colours)
    picture: NDArray[np.float64] = np.clip(mixed + (1.0 - parts.sum(axis=0))[:, :, None], 0.0, 1.0)
    return picture
