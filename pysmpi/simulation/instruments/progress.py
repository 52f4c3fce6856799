"""Progress line: times, events, memory and the computing rank, shown on a terminal while a run lasts."""

import _thread
import contextlib
import resource
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import NamedTuple, TextIO

from pysmpi.native import lib
from pysmpi.simulation.instruments.engine_counters import read_counters
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.util.quantities import human_bytes, human_seconds
from pysmpi.util.traceback_text import place_of

__all__ = ["Look", "Progress", "progress_line"]

_clock = time.monotonic  # this machine's clock; ranks have another one under this name
# Real locks; ranks have others under these names.
_new_lock, _acquire, _release = _thread.allocate_lock, _thread.LockType.acquire, _thread.LockType.release
_LONGEST_WRITE = 0.5  # seconds to wait until another thread has written the progress line
_ERASE = "\r\x1b[K"
_FIRST_LINE, _NEXT_LINE = 3.0, 0.5  # seconds until the first progress line, and between later ones


class Progress(Instrument):
    """Instrument that shows a progress line, which disappears before other instruments print their messages."""

    def __init__(self) -> None:
        self._line = ExitStack()

    def begin(self, run: Run) -> None:
        main = threading.get_ident()
        others = [] if sys.__stdout__ is None else [sys.__stdout__]
        self._line.enter_context(progress_line(run.errors, lambda: _look(main), others))

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


class _Line:
    """Line at the bottom of a terminal that other output replaces.

    While the line exists, the methods `write` of the streams to the terminal are replaced: they erase the line first.
    The line is not shown while a line of other output, such as a question to the user, is incomplete.

    Args:
        stream: stream to the terminal, for the line.
        others: other streams to the same terminal.
    """

    def __init__(self, stream: TextIO, others: Iterable[TextIO]) -> None:
        self._stream = stream
        self._write = stream.write
        self._is_shown = False
        self._is_free = True  # whether all other lines are complete
        self._lock = _new_lock()
        self._streams = {id(each): each for each in (stream, *others)}
        self._writes = {key: each.write for key, each in self._streams.items()}

    def __enter__(self) -> "_Line":
        for key, each in self._streams.items():
            with contextlib.suppress(AttributeError):  # the stream's class does not permit it
                each.write = self._erasing(self._writes[key])  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        self._erase()
        for each in self._streams.values():
            with contextlib.suppress(AttributeError):
                del each.write

    def show(self, text: str) -> None:
        """Show `text` as the progress line, in place of the line shown before."""
        _acquire(self._lock)
        try:
            if self._is_free:
                width = shutil.get_terminal_size().columns - 1  # a longer line could not be erased
                self._write(_ERASE + text[:width])
                self._stream.flush()
                self._is_shown = True
        finally:
            _release(self._lock)

    def _erasing(self, write: Callable[[str], int]) -> Callable[[str], int]:
        def write_alone(text: str) -> int:
            self._erase()
            if text:
                self._is_free = text.endswith("\n")
            return write(text)

        return write_alone

    def _erase(self) -> None:
        if not self._is_shown:
            return
        held = _acquire(self._lock, True, _LONGEST_WRITE)  # a signal's handler may write while its thread erases
        try:
            self._write(_ERASE)
            self._stream.flush()
            self._is_shown = False
        finally:
            if held:
                _release(self._lock)


@contextmanager
def progress_line(stream: TextIO, look: Callable[[], Look], others: Iterable[TextIO] = ()) -> Iterator[None]:
    """Show a progress line on a terminal from the third second on, updated twice a second; erase it at the end.

    A separate thread writes the line, so that the simulation itself does no work for it.

    Args:
        stream: terminal; if the stream is not a terminal, nothing is shown.
        look: function that returns the state of the simulation.
        others: other streams; those to a terminal erase the line before they write.
    """
    if not stream.isatty():
        yield
        return
    ended = threading.Event()
    begun = _clock()
    line = _Line(stream, [each for each in others if each.isatty()])

    def show() -> None:
        lib.pysmpi_hide_thread(1)
        events_before = 0
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
            line.show("pysmpi: " + ", ".join(parts))
            wait, events_before = _NEXT_LINE, state.events
        lib.pysmpi_hide_thread(0)

    thread = threading.Thread(target=show, name="pysmpi progress", daemon=True)
    with line:
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
