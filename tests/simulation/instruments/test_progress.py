"""Progress line of a run."""

import io
import threading
import time

import pytest

from pysmpi.simulation.instruments import progress


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
    monkeypatch.setattr(progress, "_clock", lambda: 7.0)
    monkeypatch.setenv("COLUMNS", "200")
    seen = iter([progress.Look(0.5, 100, 2**20)] + [progress.Look(1.5, 200, 2**20, "rank 3 at p.py:7")] * 100_000)
    terminal = Terminal()
    with progress.progress_line(terminal, lambda: next(seen)):
        terminal.shown.acquire()
        terminal.shown.acquire()
    text = terminal.getvalue()
    assert text.startswith(
        "\r\x1b[Kpysmpi: 0 s elapsed, simulated 500 ms, 100,000 events/s, 1 MiB"
        "\r\x1b[Kpysmpi: 0 s elapsed, simulated 1.5 s, 100,000 events/s, 1 MiB, rank 3 at p.py:7"
    )
    assert text.endswith("\r\x1b[K")


def test_other_output_replaces_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output begins on a new line, and progress is not shown behind a question that awaits an answer."""
    monkeypatch.setattr(progress, "_FIRST_LINE", 0.001)
    monkeypatch.setattr(progress, "_NEXT_LINE", 0.001)
    errors, output, file = Terminal(), Terminal(), io.StringIO()
    with progress.progress_line(errors, lambda: progress.Look(0.0, 0), [output, file]):
        errors.shown.acquire()
        output.write("printed\n")
        after = errors.getvalue()
        assert after.endswith("\r\x1b[K") or after.count("pysmpi: ") > 1
        errors.shown.acquire(timeout=5)
        output.write("name? ")
        silent = errors.getvalue()
        time.sleep(0.05)
        assert errors.getvalue() == silent
        assert silent.endswith("\r\x1b[K")
        file.write("unseen")
    assert output.getvalue() == "printed\nname? "
    for stream in (errors, output, file):
        assert "write" not in vars(stream)


def test_no_progress_line_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    with progress.progress_line(stream, lambda: progress.Look(0.0, 0)):
        pass
    assert stream.getvalue() == ""
