"""Standard streams: what ranks print comes line by line, never torn, and only rank 0 reads the standard input."""

import codecs
import io
import re
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from pysmpi.isolation.attention import has_attention
from pysmpi.isolation.current import running_rank
from pysmpi.isolation.rank_files import RankFiles
from pysmpi.native import lib

__all__ = ["RankInput", "RankOutput"]

_RETURN = re.compile(r"\r(?!\n|$)")  # a carriage return after which the line begins again


class RankOutput(io.TextIOBase):
    """A text stream that ranks share: a rank's text is held until its line is complete.

    A line that is written before it is complete is the rank's: others begin a new one.

    Args:
        stream: where complete lines go.
        label: each line begins with the rank, as ``[3] ``.
        hold: text without a line's end is held even when the rank flushes; otherwise a flush writes it.
        files: where complete lines go instead.
    """

    def __init__(
        self, stream: TextIO, *, label: bool = False, hold: bool = True, files: RankFiles | None = None
    ) -> None:
        self.stream = stream
        self._files = files
        self._label = label
        self._hold = hold
        self._pending: dict[int, str] = {}  # by rank
        self._unfinished = -1  # the rank whose incomplete line has been written last
        self._bytes = _RankBytes(self)

    def hold(self) -> None:
        """Text without a line's end is held from now on, unless somebody watches."""
        self._hold = not self.isatty()

    def write(self, text: str) -> int:
        """Writes the running rank's complete lines, and holds the rest."""
        rank = running_rank()
        if rank < 0 or has_attention():
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
        """Writes what is complete; an incomplete line too where nothing is held and no other rank's stands there."""
        rank = running_rank()
        if self._files is not None or (not self._hold and self._unfinished in {-1, rank}):
            self.write_unfinished(rank)
        if not self.stream.closed:  # when we are finalised, it may be
            self.stream.flush()

    def write_unfinished(self, rank: int) -> None:
        """Writes the rank's incomplete line as far as it goes."""
        rest = self._pending.pop(rank, "")
        if rest:
            self._emit(rank, rest)

    def write_bytes(self, rank: int, content: bytes) -> None:
        """Writes at once what is no text."""
        self.write_unfinished(rank)
        if self._files is not None:
            self._files.write(rank, content)
            return
        self.stream.flush()
        self.stream.buffer.write(content)

    def line_was_ended(self) -> None:
        """Somebody at the terminal has ended the line that was shown."""
        self._unfinished = -1

    def end_rank(self, rank: int) -> None:
        """Writes the incomplete line that the rank has left."""
        self._bytes.end_rank(rank)
        rest = self._pending.pop(rank, "")
        if rest:
            self._emit(rank, rest + "\n" if self._hold and self._files is None else rest)

    def report(self, rank: int, text: str) -> None:
        """Writes what is told of the rank, where it has a file of its own."""
        if self._files is not None:
            self._files.write(rank, text.encode(errors="backslashreplace"))

    def _emit(self, rank: int, text: str) -> None:
        if self._files is not None:
            self._files.write(rank, text.encode(errors="backslashreplace"))
            return
        begins = self._unfinished != rank
        if begins and self._unfinished >= 0:
            self.stream.write("\n")
        self._unfinished = -1 if text.endswith("\n") else rank
        self.stream.write(self._labelled(rank, text, begins) if self._label else text)

    @staticmethod
    def _labelled(rank: int, text: str, begins: bool) -> str:
        label = f"[{rank}] "
        body = text.removesuffix("\n")
        labelled = body.replace("\n", f"\n{label}")
        labelled = _RETURN.sub(f"\r{label}", labelled)
        if begins and not body.startswith("\r"):
            labelled = label + labelled
        return labelled + text[len(body) :]

    def close(self) -> None:
        """A rank that closes its stream leaves those of the others open."""
        self.end_rank(running_rank())

    @property
    def buffer(self) -> Any:
        """The bytes behind the text."""
        return self._bytes

    @property
    def closed(self) -> bool:
        """It is open as long as ranks run."""
        return False

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of what is behind it."""
        return "utf-8" if self._files is not None else getattr(self.stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """What the stream behind it does with text it cannot encode."""
        return getattr(self.stream, "errors", None)

    @property
    def name(self) -> Any:
        """The name of the stream behind it."""
        return getattr(self.stream, "name", "<stdout>")

    @property
    def mode(self) -> str:
        """For writing."""
        return "w"

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
        return (self._files is None or has_attention()) and self.stream.isatty()

    def fileno(self) -> int:
        """The file descriptor of the stream behind it."""
        return self.stream.fileno() if self._files is None else self._files.fileno(running_rank())


class _RankBytes(io.BufferedIOBase):
    """The ``buffer`` of such a stream: bytes that are text join the rank's line, others are written as they are."""

    def __init__(self, text: RankOutput) -> None:
        self._text = text
        self._begun: dict[int, bytes] = {}  # by rank, of a character

    def write(self, data: Any) -> int:
        rank = running_rank()
        content = self._begun.pop(rank, b"") + bytes(data)
        try:
            decoder = codecs.getincrementaldecoder(self._text.encoding)()
            text = decoder.decode(content)
            begun = decoder.getstate()[0]
        except UnicodeDecodeError:
            self._text.write_bytes(rank, content)
        else:
            if begun:
                self._begun[rank] = begun
            self._text.write(text)
        return memoryview(data).nbytes

    def end_rank(self, rank: int) -> None:
        """Writes what the rank has begun."""
        begun = self._begun.pop(rank, b"")
        if begun:
            self._text.write_bytes(rank, begun)

    def flush(self) -> None:
        self._text.flush()

    def close(self) -> None:
        """A rank that closes it, as a wrapper around it does, leaves it open for the others."""

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._text.isatty()

    def fileno(self) -> int:
        return self._text.fileno()


class RankInput(io.TextIOBase):
    """The standard input: rank 0 (and the launcher) reads it, and a rank in a debugger; for the others it is empty.

    While a rank waits for input it does not compute.

    Args:
        stream: what is read.
        shown: before input is awaited, the incomplete lines of these are written: prompts.
    """

    def __init__(self, stream: TextIO, shown: Iterable[RankOutput] = ()) -> None:
        self._stream = stream
        self._shown = tuple(shown)
        self._empty = io.TextIOWrapper(io.BytesIO(), encoding=self.encoding)

    def _of_rank(self) -> TextIO:
        return self._empty if running_rank() > 0 and not has_attention() else self._stream

    def read(self, size: int | None = -1) -> str:
        """Reads as much, or all."""
        with _Awaiting(self._stream, self._shown):
            return self._of_rank().read(-1 if size is None else size)

    def readline(self, size: int = -1) -> str:  # type: ignore[override]
        """Reads a line."""
        with _Awaiting(self._stream, self._shown):
            return self._of_rank().readline(size)

    def asking(self, ask: Callable[..., str]) -> Callable[..., str]:
        """The built-in function ``input``, which reads from a terminal past this stream."""

        def input(prompt: object = "", /) -> str:
            with _Awaiting(self._stream, self._shown):
                return ask(prompt)

        return input

    def readable(self) -> bool:
        """Always."""
        return True

    def isatty(self) -> bool:
        """It is a terminal, and the rank may read from it."""
        return self._of_rank().isatty()

    def fileno(self) -> int:
        """The file descriptor; only where there is something to read."""
        return self._of_rank().fileno()

    def close(self) -> None:
        """A rank that closes its stream leaves those of the others open."""

    @property
    def buffer(self) -> Any:
        """The bytes behind the text."""
        return self._of_rank().buffer

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream behind it."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """What the stream behind it does with bytes it cannot decode."""
        return getattr(self._stream, "errors", None)

    @property
    def name(self) -> Any:
        """The name of the stream behind it."""
        return getattr(self._stream, "name", "<stdin>")

    @property
    def mode(self) -> str:
        """For reading."""
        return "r"

    def reconfigure(self, **settings: Any) -> None:
        """Configures what rank 0 reads."""
        if running_rank() <= 0 and isinstance(self._stream, io.TextIOWrapper):
            self._stream.reconfigure(**settings)


class _Awaiting:
    """A rank reads: it has shown its prompts, and what follows takes it no simulated time."""

    def __init__(self, stream: TextIO, shown: tuple[RankOutput, ...]) -> None:
        self._stream = stream
        self._shown = shown

    def __enter__(self) -> None:
        if has_attention():
            for output in self._shown:
                output.stream.flush()
            return
        rank = running_rank()
        if rank != 0:
            return
        for output in self._shown:
            output.write_unfinished(rank)
            output.stream.flush()
        lib.pysmpi_account_computation()

    def __exit__(self, *_error: object) -> None:
        if running_rank() != 0 or has_attention():
            return
        lib.pysmpi_leave_call()
        if self._stream.isatty():
            for output in self._shown:
                if output.isatty():
                    output.line_was_ended()
