"""Progress line of a run."""

import io
import threading
from collections.abc import Iterator

import pytest

from pysmpi.instruments import progress


class Terminal(io.StringIO):
    def __init__(self) -> None:
        super().__init__()
        self.shown = threading.Semaphore(0)

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        """A line has been written."""
        self.shown.release()


def test_the_progress_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_FIRST_LINE", 0.001)
    monkeypatch.setattr(progress, "_NEXT_LINE", 0.001)
    seen: Iterator[tuple[float, int]] = iter([(0.5, 100)] + [(1.5, 200)] * 100_000)
    terminal = Terminal()
    with progress.progress_line(terminal, lambda: next(seen)):
        terminal.shown.acquire()
        terminal.shown.acquire()
    text = terminal.getvalue()
    assert text.startswith("\r\x1b[Kpysmpi: simulated 500 ms, 100,000 events/s\r\x1b[Kpysmpi: simulated 1.5 s, ")
    assert text.endswith("\r\x1b[K")


def test_no_progress_line_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    with progress.progress_line(stream, lambda: (0.0, 0)):
        pass
    assert stream.getvalue() == ""
