"""Progress line: simulated time, events and memory, shown on a terminal while a run lasts."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TextIO

from pysmpi.instruments.engine_counters import read_counters
from pysmpi.instruments.instrument import Instrument, Run
from pysmpi.instruments.outcome import Result
from pysmpi.native import lib
from pysmpi.util.quantities import human_seconds

__all__ = ["Progress", "progress_line"]

_FIRST_LINE, _NEXT_LINE = 3.0, 0.5  # seconds


class Progress(Instrument):
    """Instrument that shows a progress line, which disappears before other instruments print their messages."""

    def __init__(self) -> None:
        self._line = ExitStack()

    def begin(self, run: Run) -> None:
        self._line.enter_context(progress_line(run.errors, lambda: (lib.pysmpi_now(), read_counters().events)))

    def end(self, run: Run, result: Result) -> None:
        self._line.close()

    def close(self) -> None:
        self._line.close()


@contextmanager
def progress_line(stream: TextIO, look: Callable[[], tuple[float, int]]) -> Iterator[None]:
    """Show a line on a terminal from the third second on, updated twice a second; erase it at the end.

    A separate thread writes the line, so that the simulation itself does no work for it.

    Args:
        stream: terminal; if the stream is not a terminal, nothing is shown.
        look: function that returns the simulated time in seconds and the number of events so far.
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
