"""Standard streams: what ranks print comes line by line, never torn, and only rank 0 reads the standard input."""

import io
from collections.abc import Iterable
from typing import Any, TextIO

from pysmpi.launch.isolation.current import running_rank

__all__ = ["RankInput", "RankOutput"]


class RankOutput(io.TextIOBase):
    """A text stream that ranks share: a rank's text is held until its line is complete.

    Args:
        stream: where complete lines go.
        label: each line begins with the rank, as ``[3] ``.
        hold: text without a line's end is held even when the rank flushes; otherwise a flush writes it.
    """

    def __init__(self, stream: TextIO, *, label: bool = False, hold: bool = True) -> None:
        self.stream = stream
        self._label = label
        self._hold = hold
        self._pending: dict[int, str] = {}  # by rank
        self.buffer = _RankBytes(self)

    def hold(self) -> None:
        """Text without a line's end is held from now on."""
        self._hold = True

    def write(self, text: str) -> int:
        """Writes the running rank's complete lines, and holds the rest."""
        rank = running_rank()
        if rank < 0:
            return self.stream.write(text)
        complete, newline, rest = text.rpartition("\n")
        if newline:
            self._emit(rank, self._pending.pop(rank, "") + complete + newline)
        if rest:
            self._pending[rank] = self._pending.get(rank, "") + rest
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:  # type: ignore[override]
        """Writes each of the lines."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Writes what is complete; an incomplete line too when there is only one rank."""
        if not self._hold:
            self.end_rank(running_rank())
        if not self.stream.closed:  # when we are finalised, it may be
            self.stream.flush()

    def end_rank(self, rank: int) -> None:
        """Writes the incomplete line that the rank has left."""
        rest = self._pending.pop(rank, "")
        if rest:
            self._emit(rank, rest if not self._hold else rest + "\n")

    def _emit(self, rank: int, text: str) -> None:
        if self._label:
            ended = text.endswith("\n")
            body = text[:-1] if ended else text
            text = "\n".join(f"[{rank}] {line}" for line in body.split("\n")) + ("\n" if ended else "")
        self.stream.write(text)

    def close(self) -> None:
        """A rank that closes its stream leaves those of the others open."""
        self.end_rank(running_rank())

    @property
    def closed(self) -> bool:
        """It is open as long as ranks run."""
        return False

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream behind it."""
        return getattr(self.stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """What the stream behind it does with text it cannot encode."""
        return getattr(self.stream, "errors", None)

    @property
    def name(self) -> Any:
        """The name of the stream behind it."""
        return getattr(self.stream, "name", "<stdout>")

    @property
    def line_buffering(self) -> bool:
        """Lines are written as they are complete."""
        return True

    def reconfigure(self, **settings: Any) -> None:
        """Only the stream behind it could be configured, and that belongs to all ranks."""

    def writable(self) -> bool:
        """Always."""
        return True

    def isatty(self) -> bool:
        """The stream behind it is a terminal."""
        return self.stream.isatty()

    def fileno(self) -> int:
        """The file descriptor of the stream behind it."""
        return self.stream.fileno()


class _RankBytes(io.BufferedIOBase):
    """The ``buffer`` of such a stream: bytes that are text join the rank's line, others are written as they are."""

    def __init__(self, text: RankOutput) -> None:
        self._text = text

    def write(self, data: Any) -> int:
        content = bytes(data)
        try:
            self._text.write(content.decode(self._text.encoding))
        except UnicodeDecodeError:
            self._text.stream.flush()
            self._text.stream.buffer.write(content)
        return len(content)

    def flush(self) -> None:
        self._text.flush()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._text.fileno()


class RankInput(io.TextIOBase):
    """The standard input: rank 0 (and the launcher) reads it, for the others it is empty."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._empty = io.StringIO()

    def _of_rank(self) -> TextIO:
        return self._empty if running_rank() > 0 else self._stream

    def read(self, size: int | None = -1) -> str:
        """Reads as much, or all."""
        return self._of_rank().read(-1 if size is None else size)

    def readline(self, size: int = -1) -> str:  # type: ignore[override]
        """Reads a line."""
        return self._of_rank().readline(size)

    def readable(self) -> bool:
        """Always."""
        return True

    def isatty(self) -> bool:
        """It is a terminal, and the rank may read from it."""
        return self._of_rank().isatty()

    def fileno(self) -> int:
        """The file descriptor; only where there is something to read."""
        return self._of_rank().fileno()

    @property
    def buffer(self) -> Any:
        """The bytes behind the text."""
        return self._stream.buffer if running_rank() <= 0 else io.BytesIO()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream behind it."""
        return getattr(self._stream, "encoding", None) or "utf-8"
