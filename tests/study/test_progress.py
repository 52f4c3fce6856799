"""Tests of the progress of a study."""

import io

from pysmpi.study.progress import Progress


class Terminal(io.StringIO):
    """Terminal on which lines are rewritten."""

    def isatty(self) -> bool:
        return True


def test_what_is_told() -> None:
    """Points done, running and failed are shown with the estimated end; stored points take no time."""
    progress = Progress(io.StringIO(), known=3, total=10, width=4)
    assert progress.line() == "3 of 10 points done, 4 running"
    progress.finished(None)
    progress.finished("as asked")
    assert progress.line().startswith("4 of 10 points done, 4 running, 1 failed, ")
    assert " left, until " in progress.line()
    for _ in range(5):
        progress.finished(None)
    assert progress.line() == "9 of 10 points done, 1 failed"


def test_terminals_and_logs() -> None:
    """A terminal's line is rewritten and removed at the end; a log has few lines."""
    terminal, log = Terminal(), io.StringIO()
    for stream in (terminal, log):
        progress = Progress(stream, known=0, total=2, width=1)
        progress.finished(None)
        progress.end()
    assert "\n" not in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert log.getvalue() == "0 of 2 points done, 1 running\n"


def test_the_first_error_is_told_at_once() -> None:
    terminal, log = Terminal(), io.StringIO()
    for stream in (terminal, log):
        progress = Progress(stream, known=0, total=4, width=1)
        for error in ("a speed: is not\nvalid", "another"):
            progress.finished(error)
    assert log.getvalue() == "0 of 4 points done, 1 running\na point has failed: a speed: is not\n"
    assert "\r\x1b[Ka point has failed: a speed: is not\n" in terminal.getvalue()
