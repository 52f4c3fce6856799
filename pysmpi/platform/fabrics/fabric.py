"""The interface of a network technology, and the settings that follow from its published measurements.

A fabric holds figures of the OSU micro-benchmarks between two nodes, as published. Its settings are computed from
osu_latency and osu_bw, so that simulations of both benchmarks reproduce the figures:

- ``smpi/ois`` and ``smpi/os``, the time that a core spends on an eager message: size / osu_bw, less the wait for the
  answer that osu_bw's receiver sends after each window of messages, if the cable is not the limit. ``smpi/or`` is a
  share of this time.
- ``smpi/bw-factor``, the part of the cable's bandwidth that messages of a size reach together: osu_bw if the cable is
  the limit; else the adapter's message rate, or osu_mbw_mr of several pairs.
- ``fabric/latency``: osu_latency less all of the above and less the cables' own latency, with straight lines between
  the published sizes.

Inside a node, ``fabric/loopback-latency`` and ``smpi/loopback-bw-factor`` follow from figures that all fabrics share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pysmpi.platform.fabrics import inside
from pysmpi.platform.fabrics.measurement import Measurement

__all__ = ["Fabric"]

ENVELOPE = 16  # bytes that the simulator adds to each message
WINDOW = 64  # messages in flight in osu_bw
LEAST_SEND = 1e-8  # least time in seconds that a core spends on sending a message
CALL = 6e-8  # seconds of a send or of a receive, for fabrics without measurements between nodes
MOSTLY = 0.87  # a cable or core counts as the limit if at least this part of the rate that it permits is reached


@dataclass(frozen=True, kw_only=True)
class Fabric:
    """A network technology, which a value of the setting ``fabric`` selects.

    Attributes:
        name: value of the setting.
        short_names: other names for it.
        meaning: description in one line.
        bandwidth: bandwidth of a cable in bytes/s, for clusters whose description gives none, or None for the default
            in `pysmpi.platform.cables`.
        latency: latency of a cable and of half a switch in seconds, or None; applies as `bandwidth` does.
        message_rate: number of messages that an adapter passes in a second.
        eager_limit: size in bytes below which messages are eager: their senders do not wait for the receive.
        receive_share: time of a core for receiving an eager message, relative to that for sending it, so that osu_bibw
            is reproduced.
        measurements: published figures from which the settings are computed, and with which simulations are compared.
        derived_from: fabric whose latencies are used because none are published for this one, or None.
        derived_rate: highest bandwidth in bytes/s, for a fabric with `derived_from`.
        others: further settings, as text, by name.
    """

    name: str
    short_names: tuple[str, ...] = ()
    meaning: str
    bandwidth: float | None = None
    latency: float | None = None
    message_rate: float = 1e8
    eager_limit: int = 8192
    receive_share: float = 0.5
    measurements: Sequence[Measurement] = ()
    derived_from: "Fabric | None" = None
    derived_rate: float = 0.0
    others: Mapping[str, str] = field(default_factory=dict)

    def measured(self, benchmark: str) -> Measurement | None:
        """Return the published figures of a benchmark, or None."""
        return next((each for each in self.measurements if each.benchmark == benchmark), None)

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """Settings that simulations of this network technology use: value as text, by name of the setting."""
        if self.bandwidth is None or self.latency is None:
            own: Mapping[str, str] = _inside([CALL], [CALL], [1]) if self.measurements else {}
            return {**own, **self.others}
        terms = _terms_of(self)
        eager = str(self.eager_limit)
        return {
            "smpi/async-small-thresh": eager,
            "smpi/send-is-detached-thresh": eager,
            "smpi/os": _line(terms.sizes, terms.send),
            "smpi/ois": _line(terms.sizes, terms.send),
            "smpi/or": _line(terms.sizes, terms.receive),
            "smpi/lat-factor": "0:1",
            "smpi/bw-factor": _steps(terms.sizes, [share / self.bandwidth for share in terms.rate]),
            "fabric/latency": _line([size + ENVELOPE for size in terms.sizes], terms.extra),
            "network/TCP-gamma": "0",
            "network/crosstraffic": "no",
            **_inside(terms.send, terms.receive, terms.sizes),
            **self.others,
        }


@dataclass(frozen=True, slots=True)
class _Terms:
    """Terms of a message's duration, each as a list over the published sizes.

    Attributes:
        sizes: sizes in bytes.
        send: seconds that a core spends on sending.
        receive: seconds that a core spends on receiving.
        rate: bytes/s that messages of this size reach together on a cable.
        extra: seconds of the latency that the other terms and the cables do not explain.
    """

    sizes: Sequence[int]
    send: Sequence[float]
    receive: Sequence[float]
    rate: Sequence[float]
    extra: Sequence[float]


def _terms_of(fabric: Fabric) -> _Terms:
    if fabric.derived_from is not None:
        base = _terms_of(fabric.derived_from)
        highest = max(base.rate)
        rate = [
            min((size + ENVELOPE) * fabric.message_rate, each / highest * fabric.derived_rate)
            for size, each in zip(base.sizes, base.rate, strict=True)
        ]
        return _Terms(base.sizes, base.send, base.receive, rate, base.extra)
    latency, stream = fabric.measured("osu_latency"), fabric.measured("osu_bw")
    assert latency is not None and stream is not None and fabric.latency is not None and fabric.bandwidth is not None
    sizes = sorted(size for size in latency.figures if size in stream.figures)
    answer = 1e-6 * latency.figures[sizes[0]]
    send: list[float] = []
    receive: list[float] = []
    rates: list[float] = []
    extra: list[float] = []
    for size in sizes:
        window = WINDOW * size / (stream.figures[size] * 1e6)  # seconds
        # The time of a window includes the latencies of its last message and of the answer.
        alone = max((window - answer - 1e-6 * latency.figures[size]) / (WINDOW - 1), window / 2 / WINDOW)
        by_core = size < fabric.eager_limit and size / fabric.bandwidth < MOSTLY * window / WINDOW
        if by_core or not send:
            send.append(max(alone, LEAST_SEND))
            receive.append(fabric.receive_share * send[-1])
            alone = size / fabric.bandwidth
        else:
            send.append(send[-1])
            receive.append(receive[-1])
        together = _occupied_by_many(fabric, size, stream.figures[size], 2 * answer)
        occupied = max(1 / fabric.message_rate, alone, together)
        rates.append((size + ENVELOPE) / occupied)
        calls = send[-1] + receive[-1] if size < fabric.eager_limit else 0.0
        extra.append(max(0.0, 1e-6 * latency.figures[size] - calls - 2 * fabric.latency - occupied))
    return _Terms(sizes, send, receive, rates, extra)


def _occupied_by_many(fabric: Fabric, size: int, stream: float, answer: float) -> float:
    """Return the seconds for which a message occupies the adapter when several pairs of ranks send at once.

    They follow from the total bandwidth in osu_mbw_mr. The result is 0 if osu_mbw_mr was not measured at this size, or
    if the pairs nearly reach the bandwidth of one pair times their number: then the cores are the limit.

    Args:
        fabric: network technology with the published figures.
        size: bytes of a message.
        stream: bandwidth of one pair in osu_bw at this size, in MB/s.
        answer: seconds that each window of messages takes in addition: latency of its last message and of the answer.
    """
    together = fabric.measured("osu_mbw_mr")
    if together is None or size not in together.figures:
        return 0.0
    rate, messages = together.figures[size], WINDOW * together.ranks // 2
    return size / (rate * 1e6) - answer / messages if rate < MOSTLY * together.ranks / 2 * stream else 0.0


def _inside(send: Sequence[float], receive: Sequence[float], sizes: Sequence[int]) -> dict[str, str]:
    """Return the settings for messages inside a node.

    Args:
        send: seconds that a core spends on sending a message of each size.
        receive: seconds that a core spends on receiving a message of each size.
        sizes: the sizes in bytes.
    """
    figures = inside.LATENCY.figures
    extra = []
    for size, latency in figures.items():
        known = [here + there for here, there, each in zip(send, receive, sizes, strict=True) if each <= size]
        spent = max(known, default=send[0] + receive[0])
        alone = (size + ENVELOPE) / inside.BANDWIDTH
        extra.append(max(0.0, 1e-6 * latency - spent - alone))
    return {
        "fabric/loopback-latency": _line([size + ENVELOPE for size in figures], extra),
        "smpi/loopback-bw-factor": f"0:{inside.BANDWIDTH / inside.LOOPBACK:g}",
    }


def _line(sizes: Sequence[int], values: Sequence[float]) -> str:
    """Return a table of overheads that passes through all points, as text ``size:seconds:seconds per byte;…``.

    Between the points are straight lines that rise or are level.
    """
    steps = [f"0:{values[0]:.6g}:0"]
    for before, size, low, high in zip(sizes, sizes[1:], values, values[1:], strict=False):
        slope = max(0.0, min((high - low) / (size - before), high / size))
        steps.append(f"{before}:{max(0.0, high - slope * size):.6g}:{slope:.6g}")
    steps.append(f"{sizes[-1]}:{values[-1]:.6g}:0")
    return ";".join(steps)


def _steps(sizes: Sequence[int], values: Sequence[float]) -> str:
    """Return a table of factors as text ``size:factor;…``.

    Each value applies to sizes up to the one with the same index, and the last value to all larger sizes, too.
    """
    bounds = [0, *(size + ENVELOPE for size in sizes[:-1])]
    return ";".join(f"{bound}:{value:.6g}" for bound, value in zip(bounds, values, strict=True))
