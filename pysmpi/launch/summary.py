"""What a run prints about itself: a summary at its end, and a progress line while it lasts."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from pysmpi.launch.outcome import Result
from pysmpi.network import MODELS
from pysmpi.quantities import human_bytes, human_seconds

__all__ = ["progress_line", "summary"]

_LISTED = 16  # failed ranks
_FIRST_LINE, _NEXT_LINE = 3.0, 0.5  # seconds


def summary(result: Result) -> str:
    """The lines printed at the end of a run."""
    counters = result.counters
    rate = counters.events / result.wall_time if result.wall_time > 0 else 0.0
    missing = MODELS[result.network_model].not_modelled
    warning = f"\npysmpi: under network/model:{result.network_model} {missing}" if missing else ""
    return _failures(result) + (
        f"pysmpi: simulated time {human_seconds(result.simulated_time)}, wall time {human_seconds(result.wall_time)}, "
        f"{len(result.ranks):,} ranks\n"
        f"pysmpi: {counters.messages:,} messages ({human_bytes(counters.bytes)}), "
        f"{rate:,.0f} events/s, peak memory {human_bytes(result.peak_memory)}{warning}"
    )


def _failures(result: Result) -> str:
    lines = [
        f"pysmpi: rank {outcome.rank} (host {outcome.host}) failed at {human_seconds(outcome.failed_at)}\n"
        for outcome in result.ranks
        if outcome.failed_at is not None
    ]
    if len(lines) > _LISTED:
        lines[_LISTED:] = [f"pysmpi: … and {len(lines) - _LISTED:,} more\n"]
    return "".join(lines)


@contextmanager
def progress_line(stream: TextIO, look: Callable[[], tuple[float, int]]) -> Iterator[None]:
    """Shows a line on a terminal, rewritten twice a second from the third second on, and removes it at the end.

    A thread of its own shows it: what is simulated has to do nothing for it.

    Args:
        stream: the terminal; nothing is shown on anything else.
        look: the simulated time in seconds and the number of events so far.
    """
    if not stream.isatty():
        yield
        return
    ended = threading.Event()

    def show() -> None:
        events_before, shown = 0, False
        wait = _FIRST_LINE
        while not ended.wait(wait):
            simulated_time, events = look()
            rate = (events - events_before) / wait
            stream.write(f"\r\x1b[Kpysmpi: simulated {human_seconds(simulated_time)}, {rate:,.0f} events/s")
            stream.flush()
            wait, events_before, shown = _NEXT_LINE, events, True
        if shown:
            stream.write("\r\x1b[K")
            stream.flush()

    thread = threading.Thread(target=show, name="pysmpi progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
