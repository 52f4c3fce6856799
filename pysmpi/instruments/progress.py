"""Progress line: times, events, memory and the computing rank, shown on a terminal while a run lasts."""

import resource
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple, TextIO

from pysmpi.instruments.engine_counters import read_counters
from pysmpi.instruments.instrument import Instrument, Run
from pysmpi.instruments.outcome import Result
from pysmpi.native import lib
from pysmpi.util.quantities import human_bytes, human_seconds
from pysmpi.util.traceback_text import place_of

__all__ = ["Look", "Progress", "progress_line"]

_clock = time.monotonic  # this machine's clock; ranks have another one under this name
_FIRST_LINE, _NEXT_LINE = 3.0, 0.5  # seconds


class Progress(Instrument):
    """Instrument that shows a progress line, which disappears before other instruments print their messages."""

    def __init__(self) -> None:
        self._line = ExitStack()

    def begin(self, run: Run) -> None:
        main = threading.get_ident()
        self._line.enter_context(progress_line(run.errors, lambda: _look(main)))

    def end(self, run: Run, result: Result) -> None:
        self._line.close()

    def close(self) -> None:
        self._line.close()


class Look(NamedTuple):
    """State of a running simulation.

    Attributes:
        simulated_time: simulated seconds.
        events: number of events so far.
        memory: resident memory in bytes.
        computing: text with the number and source line of the rank that is computing; empty if no rank is.
    """

    simulated_time: float
    events: int
    memory: int = 0
    computing: str = ""


def _look(main: int) -> Look:
    """Return the state of the simulation, which runs in the thread with the identifier `main`; called in another
    thread."""
    rank = int(lib.pysmpi_running_rank())
    place = place_of(sys._current_frames().get(main)) if rank >= 0 else None
    computing = "" if rank < 0 else f"rank {rank}" if place is None else f"rank {rank} at {place}"
    return Look(lib.pysmpi_now(), read_counters().events, _resident_memory(), computing)


def _resident_memory() -> int:
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@contextmanager
def progress_line(stream: TextIO, look: Callable[[], Look]) -> Iterator[None]:
    """Show a progress line on a terminal from the third second on, updated twice a second; erase it at the end.

    A separate thread writes the line, so that the simulation itself does no work for it.

    Args:
        stream: terminal; if the stream is not a terminal, nothing is shown.
        look: function that returns the state of the simulation.
    """
    if not stream.isatty():
        yield
        return
    ended = threading.Event()
    begun = _clock()

    def show() -> None:
        events_before, shown = 0, False
        wait = _FIRST_LINE
        while not ended.wait(wait):
            state = look()
            rate = (state.events - events_before) / wait
            parts = [
                f"{_clock() - begun:,.0f} s elapsed, simulated {human_seconds(state.simulated_time)}",
                f"{rate:,.0f} events/s",
                human_bytes(state.memory),
                *([state.computing] if state.computing else []),
            ]
            width = shutil.get_terminal_size().columns - 1  # a longer line could not be erased
            stream.write("\r\x1b[K" + ("pysmpi: " + ", ".join(parts))[:width])
            stream.flush()
            wait, events_before, shown = _NEXT_LINE, state.events, True
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
