"""Fit of SMPI's settings to a table of message times.

The time of a message whose sender does not wait is ``smpi/os`` (or ``smpi/ois``) plus network plus ``smpi/or``. If the
sender waits, this time is the network time alone: latency × ``smpi/lat-factor`` + (bytes + 16) / (bandwidth ×
``smpi/bw-factor``). The 16 bytes are SMPI's envelope, and the factors are step functions of the bytes with envelope.
Overheads are measured directly; the network time is the rest of half a ping-pong (P.-N. Clauss et al., "Single node
on-line simulation of MPI applications with SMPI", IPDPS 2011).
"""

import statistics
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pysmpi.calibrate.network.exchanges import exchanges_in_a_row
from pysmpi.calibrate.network.measure import POLLS
from pysmpi.calibrate.network.segments import Segment, line_at, segments
from pysmpi.calibrate.network.thresholds import first_that_leaves_late, first_that_waits
from pysmpi.calibrate.table import Table
from pysmpi.errors import CalibrationError

__all__ = ["ENVELOPE", "FORMAT", "STATISTICS", "NetworkFit", "fit_table", "model_document"]

FORMAT = "pysmpi-network-1"
ENVELOPE = 16
_LEAST_SIZES = 4
_NEEDED = ("pingpong", "send", "isend")
STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {"median": statistics.median, "least": min}
_NOTHING = 1e-12  # seconds; below the resolution of any clock

Times = dict[int, float]  # seconds by bytes


@dataclass(frozen=True)
class NetworkFit:
    """Fitted times of messages between two ranks.

    Each list of `Segment` is a piecewise linear function: seconds by message size in bytes.

    Attributes:
        place: "intra" (ranks on one host) or "inter" (on two).
        sent: time of MPI_Send, for messages whose sender does not wait.
        sent_at_once: time of MPI_Isend.
        received: time of MPI_Recv if the message has arrived before the call; empty if no message does.
        network: transfer time without the overheads of sender and receiver; its sizes include the envelope.
        waits_from: least size whose sender waits for the receive, or None if no measured size does.
        leaves_late_from: least size that is sent only when its receive is posted, or None if no measured size is.
        polls: seconds of an unsuccessful MPI_Iprobe ("iprobe") and MPI_Test ("test"), and of MPI_Wtime ("wtime").
        one_way: half the time of a ping-pong, by size.
        deviations: median absolute deviation of the times, relative to their median, by size.
        latency: latency of the route in seconds; ``smpi/lat-factor`` multiplies it.
        bandwidth: bandwidth of the route in bytes/s; ``smpi/bw-factor`` multiplies it.
    """

    place: str
    sent: list[Segment]
    sent_at_once: list[Segment]
    received: list[Segment]
    network: list[Segment]
    waits_from: int | None
    leaves_late_from: int | None
    polls: dict[str, float]
    one_way: Times
    deviations: Times
    latency: float
    bandwidth: float

    @property
    def largest(self) -> int:
        """Largest measured message in bytes."""
        return max(self.one_way)

    def predicted(self, size: int) -> float:
        """Return the time in seconds that the fitted settings predict for a message."""
        wire = size + ENVELOPE
        found = line_at(self.network, wire)(wire)
        if self.waits_from is None or size < self.waits_from:
            found += line_at(self.sent, size)(size)
            found += line_at(self.received, size)(size) if self.received else 0.0
        return found

    @property
    def errors(self) -> dict[int, float]:
        """Relative errors of predictions against half the ping-pong times, by size in bytes."""
        return {size: self.predicted(size) / taken - 1 for size, taken in self.one_way.items()}

    def settings(self) -> dict[str, str]:
        """Return the settings by SimGrid's names, as for pysmpirun's --cfg."""
        waits = self.largest + 1 if self.waits_from is None else self.waits_from
        late = waits if self.leaves_late_from is None else min(self.leaves_late_from, waits)
        return {
            "smpi/os": _overheads(self.sent, waits),
            "smpi/ois": _overheads(self.sent_at_once, None),
            "smpi/or": _overheads(self.received, waits),
            "smpi/lat-factor": _steps([(line.first, line.startup / self.latency) for line in self.network]),
            "smpi/bw-factor": _steps([(line.first, 1 / (line.per_byte * self.bandwidth)) for line in self.network]),
            "smpi/async-small-thresh": str(late),
            "smpi/send-is-detached-thresh": str(waits),
            **{f"smpi/{call}": f"{seconds:.4g}" for call, seconds in self.polls.items()},
        }


def _overheads(lines: Sequence[Segment], until: int | None) -> str:
    """Return overheads as the text of a setting, one step ``N:…`` per line.

    A step applies above N bytes, so that N is s - 1 for a line that starts at size s.
    """
    steps = [(0 if index == 0 else line.first - 1, line.startup, line.per_byte) for index, line in enumerate(lines)]
    if until is not None:
        steps = [step for step in steps if step[0] < max(1, until - 1)] or [(0, 0.0, 0.0)]
        if until > 0 and steps != [(0, 0.0, 0.0)]:
            steps.append((until - 1, 0.0, 0.0))
    return ";".join(f"{above}:{startup:.6g}:{per_byte:.6g}" for above, startup, per_byte in steps or [(0, 0.0, 0.0)])


def _steps(values: Sequence[tuple[int, float]]) -> str:
    return ";".join(f"{0 if index == 0 else first - 1}:{value:.6g}" for index, (first, value) in enumerate(values))


def fit_table(
    table: Table,
    *,
    breaks: Sequence[int] | None = None,
    latency: float | None = None,
    bandwidth: float | None = None,
    statistic: str = "median",
    waits_from: int | None = None,
) -> list[NetworkFit]:
    """Fit the messages between hosts ("inter"), then those inside a host ("intra"), if the table contains them.

    Args:
        table: the measurements.
        breaks: sizes in bytes at which segments start, or None to find them automatically.
        latency: latency of the route in seconds, to which factors refer, or None to make the first factor 1.
        bandwidth: bandwidth of the route in bytes/s, or None to make the largest factor 1.
        statistic: "median" or "least", the value that represents all times of one size.
        waits_from: least size whose MPI_Send waits for the receive; used if the table has no measurements of late_send.

    Raises:
        CalibrationError: if the table lacks measurements or sizes; the message starts with the file.
    """
    places = [place for place in ("inter", "intra") if any(row["place"] == place for row in table.rows)]
    if not places:
        raise CalibrationError(f"{table.source}: the table has no measurements")
    for index, row in enumerate(table.rows):
        if row["call"] not in POLLS and row["bytes"] is None:
            raise CalibrationError(f"{table.place(index)}: {row['call']}: the column bytes is empty")
        if row["call"] == "late_send" and not row["delay"]:
            raise CalibrationError(f"{table.place(index)}: late_send: the column delay is empty")
        if row["call"] == "pingpong" and row["seconds"] <= 0:
            raise CalibrationError(
                f"{table.place(index)}: seconds = {row['seconds']:g} is not valid; times must be above 0"
            )
    return [_fit(table, place, breaks, latency, bandwidth, STATISTICS[statistic], waits_from) for place in places]


def _fit(
    table: Table,
    place: str,
    breaks: Sequence[int] | None,
    latency: float | None,
    bandwidth: float | None,
    of_one_size: Callable[[Sequence[float]], float],
    waits_from: int | None,
) -> NetworkFit:
    rows = [row for row in table.rows if row["place"] == place]
    times, polled = _times_by_call(rows)
    _check_sizes(table, place, times)
    polls = {call: of_one_size(polled[call]) for call in POLLS if call in polled}
    clock = polls.get("wtime", 0.0)  # each measured time contains one reading of the clock
    sent = _each(times["send"], clock, of_one_size)
    one_way = _one_way(times["pingpong"], clock, of_one_size)
    received = _each(times["late_recv"], clock, of_one_size)
    waits = first_that_waits(rows) if times["late_send"] else waits_from
    waits_or_more = max(one_way) + 1 if waits is None else waits
    lines_sent = _segments(_below(waits_or_more, sent), breaks)
    ways = _without(lines_sent, one_way)
    late = first_that_leaves_late(received, ways)
    lines_received = _segments(_below(waits_or_more if late is None else min(waits_or_more, late), received), breaks)
    forced = [threshold + ENVELOPE for threshold in (waits, late) if threshold]
    left = one_way | _without(lines_received, _below(waits_or_more, ways))
    rest = {size + ENVELOPE: max(taken, _NOTHING) for size, taken in left.items()}
    lines = _segments(rest, None if breaks is None else [each + ENVELOPE for each in breaks], forced)
    rates = [1 / line.per_byte for line in lines if line.per_byte > 0]
    network = _with_rates(lines)
    return NetworkFit(
        place=place,
        sent=lines_sent,
        sent_at_once=_segments(_each(times["isend"], clock, of_one_size), breaks),
        received=lines_received,
        network=network,
        waits_from=waits,
        leaves_late_from=late,
        polls=polls,
        one_way=one_way,
        deviations=_deviations(times["pingpong"]),
        latency=latency or network[0].startup or min(rest.values()),
        bandwidth=bandwidth or max(rates, default=1 / network[0].per_byte),
    )


def _times_by_call(
    rows: Sequence[Mapping[str, Any]],
) -> tuple[dict[str, dict[int, list[float]]], dict[str, list[float]]]:
    """Return the seconds of calls with messages, by call and bytes, and those of calls that poll, by call."""
    times: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    polled: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row["call"] in POLLS:
            polled[row["call"]].append(row["seconds"])
        else:
            times[row["call"]][row["bytes"]].append(row["seconds"])
    return times, polled


def _without(lines: Sequence[Segment], times: Times) -> Times:
    """Return the times without an overhead; `lines` give the overhead as a function of the size."""
    return {size: taken - (line_at(lines, size)(size) if lines else 0.0) for size, taken in times.items()}


def _check_sizes(table: Table, place: str, times: Mapping[str, Collection[int]]) -> None:
    for call in _NEEDED:
        if len(times[call]) < _LEAST_SIZES:
            first = next(index for index, row in enumerate(table.rows) if row["place"] == place)
            raise CalibrationError(
                f"{table.place(first)}: {place}: a fit needs {call} at {_LEAST_SIZES} or more different sizes, but "
                f"there {'is' if len(times[call]) == 1 else 'are'} {len(times[call])}"
            )


def _one_way(
    times: Mapping[int, Sequence[float]], clock: float, of_one_size: Callable[[Sequence[float]], float]
) -> Times:
    return {
        size: max(of_one_size(taken) - clock / (2 * exchanges_in_a_row(size)), 0.0)
        for size, taken in sorted(times.items())
    }


def _below(limit: int, times: Times) -> Times:
    """Return the times of sizes below `limit`."""
    return {size: taken for size, taken in times.items() if size < limit}


def _each(times: Mapping[int, Sequence[float]], clock: float, of_one_size: Callable[[Sequence[float]], float]) -> Times:
    return {size: max(of_one_size(times[size]) - clock, 0.0) for size in sorted(times)}


def _deviations(times: Mapping[int, Sequence[float]]) -> Times:
    found = {}
    for size in sorted(times):
        middle = statistics.median(times[size])
        found[size] = statistics.median(abs(taken - middle) for taken in times[size]) / middle
    return found


def _segments(times: Times, breaks: Sequence[int] | None, forced: Sequence[int] = ()) -> list[Segment]:
    if not times:
        return []
    return segments(list(times), [max(taken, _NOTHING) for taken in times.values()], breaks, forced)


def _with_rates(lines: list[Segment]) -> list[Segment]:
    """Return the segments; a tiny time per byte replaces zero, so that bandwidth factors are finite."""
    return [
        Segment(line.first, line.last, line.startup, line.per_byte or max(line.startup * 1e-6 / line.last, 1e-15))
        for line in lines
    ]


def model_document(fits: Sequence[NetworkFit], provenance: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of the model file: settings, the links that belong to them, and the quality of the fit.

    Factors by size are the same for all messages of a simulation. The settings are therefore those of messages between
    hosts, if these were measured, and the link inside the host is fitted to these settings.
    """
    main = fits[0]
    links = {main.place: {"latency": main.latency, "bandwidth": main.bandwidth}}
    for other in fits[1:]:
        latency, bandwidth = suited(other, main)
        links[other.place] = {"latency": latency, "bandwidth": bandwidth}
    return {
        "format": FORMAT,
        "provenance": dict(provenance),
        "settings": main.settings(),
        "links": links,
        "fit": {each.place: _quality(each, None if each is main else main, links[each.place]) for each in fits},
    }


def _quality(fit: NetworkFit, main: NetworkFit | None, link: Mapping[str, float]) -> dict[str, Any]:
    errors = list(fit.errors.values())
    if main is not None:
        errors = [
            _with_link(main, size, link["latency"], link["bandwidth"]) / taken - 1
            for size, taken in fit.one_way.items()
        ]
    return {
        "sizes": len(fit.one_way),
        "range": [min(fit.one_way), fit.largest],
        "segments": len(fit.network),
        "median_relative_error": float(np.median(np.abs(errors))),
        "largest_relative_error": float(np.max(np.abs(errors))),
        "eager_up_to_largest": fit.waits_from is None,
        "one_way": [[size, taken] for size, taken in fit.one_way.items()],
    }


def _parts(main: NetworkFit, size: int) -> tuple[float, float, float]:
    """Return a message's overheads in seconds, its latency factor, and its bytes divided by the bandwidth factor.

    All three are predicted by the fit `main`; the bytes include SMPI's envelope of 16 bytes.
    """
    wire = size + ENVELOPE
    line = line_at(main.network, wire)
    overheads = main.predicted(size) - line(wire)
    return overheads, line.startup / main.latency, wire * line.per_byte * main.bandwidth


def _with_link(main: NetworkFit, size: int, latency: float, bandwidth: float) -> float:
    overheads, of_latency, of_bytes = _parts(main, size)
    return overheads + of_latency * latency + of_bytes / bandwidth


def suited(fit: NetworkFit, main: NetworkFit) -> tuple[float, float]:
    """Return latency (s) and bandwidth (bytes/s) of the link for which the settings of the fit `main` best predict the
    times of `fit`."""
    from scipy.optimize import nnls

    rows = []
    rests = []
    for size, taken in fit.one_way.items():
        overheads, of_latency, of_bytes = _parts(main, size)
        rows.append((of_latency / taken, of_bytes / taken))
        rests.append(max(taken - overheads, 0.0) / taken)
    matrix = np.array(rows)
    lengths = np.maximum(np.linalg.norm(matrix, axis=0), 1e-300)
    found = nnls(matrix / lengths, np.array(rests))[0] / lengths
    return float(found[0]), float(1 / max(found[1], 1e-15))
