"""What a run prints about itself: a summary at its end, and a progress line while it lasts."""

import sys
import time
from typing import TextIO

from pysmpi.launch.outcome import Result

__all__ = ["Progress", "human_bytes", "human_seconds", "summary"]


def human_seconds(seconds: float) -> str:
    """A time for people: "12.3 us", "1.23 s", "1 h 02 min"."""
    if seconds >= 3600:
        return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60):02d} min"
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.6g} s"
    for unit, scale in (("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.6g} {unit}"
    return f"{seconds * 1e9:.6g} ns"


def human_bytes(count: float) -> str:
    """A size for people, in units of 1,024."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.4g} {unit}"
        count /= 1024
    return f"{count:.4g} GiB"


def summary(result: Result) -> str:
    """The lines printed at the end of a run."""
    counters = result.counters
    rate = counters.events / result.wall_time if result.wall_time > 0 else 0.0
    return (
        f"pysmpi: simulated time {human_seconds(result.simulated_time)}, wall time {human_seconds(result.wall_time)}, "
        f"{len(result.ranks):,} ranks\n"
        f"pysmpi: {counters.messages:,} messages ({human_bytes(counters.bytes)}), "
        f"{rate:,.0f} events/s, peak memory {human_bytes(result.peak_memory)}"
    )


class Progress:
    """A line on a terminal, rewritten twice a second at most, from the third second on."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._begun = self._shown = time.monotonic()
        self._events = 0
        self._visible = False

    def update(self, simulated_time: float, events: int) -> None:
        """Shows the line if it is time."""
        now = time.monotonic()
        if now - self._begun < 3 or now - self._shown < 0.5:
            return
        rate = (events - self._events) / (now - self._shown)
        self._shown, self._events, self._visible = now, events, True
        self._stream.write(f"\r\x1b[Kpysmpi: simulated {human_seconds(simulated_time)}, {rate:,.0f} events/s")
        self._stream.flush()

    def clear(self) -> None:
        """Removes the line."""
        if self._visible:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._visible = False
