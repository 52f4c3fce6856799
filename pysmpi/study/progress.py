"""Progress of a study: one line rewritten in place on a terminal, or a line at intervals in a log."""

import time
from datetime import datetime, timedelta
from typing import TextIO

from pysmpi.util.quantities import counted, human_seconds

__all__ = ["Progress"]

_BETWEEN_LINES = 30.0  # seconds between lines in a log


class Progress:
    """Display of the points (simulations) done, running and failed, and of the expected end of the study.

    Args:
        stream: stream for the messages.
        known: number of points whose outcomes were stored before this run of the study.
        total: number of all points.
        width: number of points simulated at a time.
    """

    def __init__(self, stream: TextIO, known: int, total: int, width: int) -> None:
        self._stream = stream
        self._known, self._total, self._width = known, total, width
        self._finished = self._failed = 0
        self._begun = self._told = time.monotonic()
        self._rewrites = stream.isatty()
        self._show()

    def finished(self, error: str | None) -> None:
        """Count a finished point, which failed if `error` is not None.

        The first error is shown at once, because all other points may have the same problem.
        """
        self._finished += 1
        if error is not None:
            self._failed += 1
            if self._failed == 1:
                first_line = error.partition("\n")[0]
                start = "\r\x1b[K" if self._rewrites else ""
                self._stream.write(f"{start}a point has failed: {first_line}\n")
        now = time.monotonic()
        if self._rewrites or now - self._told >= _BETWEEN_LINES:
            self._told = now
            self._show()

    def end(self) -> None:
        """Clear the progress line at the end of the study."""
        if self._rewrites:
            self._stream.write("\r\x1b[K")
        self._stream.flush()

    def line(self) -> str:
        """Return the current progress as one line of text."""
        left = self._total - self._known - self._finished
        parts = [f"{self._known + self._finished - self._failed} of {counted(self._total, 'point')} done"]
        parts += [f"{min(left, self._width)} running"] if left else []
        parts += [f"{self._failed} failed"] if self._failed else []
        if self._finished and left:
            seconds = (time.monotonic() - self._begun) / self._finished * left
            end = datetime.now() + timedelta(seconds=seconds)
            parts.append(f"{human_seconds(float(f'{seconds:.2g}'))} left, until {end:%H:%M:%S}")
        return ", ".join(parts)

    def _show(self) -> None:
        if self._rewrites:
            self._stream.write(f"\r\x1b[K{self.line()}")
        else:
            self._stream.write(f"{self.line()}\n")
        self._stream.flush()
