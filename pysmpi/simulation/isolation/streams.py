"""Standard streams of ranks: output appears in whole lines, and only rank 0 reads the standard input."""

import codecs
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from pysmpi.native import lib
from pysmpi.simulation.isolation.attention import has_attention
from pysmpi.simulation.isolation.current import running_rank
from pysmpi.simulation.isolation.rank_files import RankFiles
from pysmpi.simulation.isolation.stopping import RankStopped, stop_all

__all__ = ["RankInput", "RankOutput"]

_RETURN = re.compile(r"\r(?!\n|$)")  # a carriage return that restarts the line


def _encoded(text: str) -> bytes:
    return text.encode(errors="backslashreplace")


class RankOutput(io.TextIOBase):
    """Text stream that ranks share: a rank's text is buffered until its line is complete.

    If an incomplete line was written, text of another rank begins a new line.

    Args:
        stream: stream for complete lines.
        label: whether each line begins with the rank, as ``[3] ``.
        hold: whether an incomplete line stays buffered even when the rank calls flush; if False, flush writes it.
        files: files for complete lines instead of `stream`, or None.

    Attributes:
        reader_gone: True once nobody reads the stream any more, as after ``| head``; all ranks are then stopped.
    """

    def __init__(
        self, stream: TextIO, *, label: bool = False, hold: bool = True, files: RankFiles | None = None
    ) -> None:
        self.stream = stream
        self._files = files
        self._label = label
        self._hold = hold
        self._pending: dict[int, str] = {}  # incomplete lines, by rank
        self._unfinished = -1  # the rank whose incomplete line ends the output, or -1
        self.reader_gone = False
        self._bytes = _RankBytes(self)

    def hold(self) -> None:
        """Buffer incomplete lines even after a flush from now on, unless the stream is a terminal."""
        self._hold = not self.isatty()

    def write(self, text: str) -> int:
        """Write the running rank's complete lines, and buffer an incomplete last line. Return the number of characters
        in `text`."""
        rank = running_rank()
        if rank < 0 or has_attention():
            with self._ending_quietly():
                self.stream.write(text)
            return len(text)
        complete, newline, rest = text.rpartition("\n")
        if newline:
            self._emit(rank, self._pending.pop(rank, "") + complete + newline)
        if rest:
            self._pending[rank] = self._pending.get(rank, "") + rest
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:  # type: ignore[override]
        """Write each string of `lines`; no line ends are added."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Write the running rank's incomplete line, and flush the underlying stream.

        The line stays buffered if `hold` is set, or another rank's incomplete line has been written. With a file per
        rank, the line is always written.
        """
        rank = running_rank()
        if self._files is not None or (not self._hold and self._unfinished in {-1, rank}):
            self.write_unfinished(rank)
        if not self.stream.closed:  # it may be closed when the interpreter ends
            with self._ending_quietly():
                self.stream.flush()

    def write_unfinished(self, rank: int) -> None:
        """Write the rank's incomplete line so far."""
        rest = self._pending.pop(rank, "")
        if rest:
            self._emit(rank, rest)

    def write_bytes(self, rank: int, content: bytes) -> None:
        """Write bytes that are not valid text, immediately and unchanged."""
        self.write_unfinished(rank)
        if self._files is not None:
            self._files.write(rank, content)
            return
        with self._ending_quietly():
            self.stream.flush()
            self.stream.buffer.write(content)

    def line_was_ended(self) -> None:
        """Record that the user's input has ended the incomplete line (the prompt) on the terminal."""
        self._unfinished = -1

    def end_rank(self, rank: int) -> None:
        """Write the incomplete line that an ended rank has left."""
        rest = self._pending.pop(rank, "")
        if self._files is not None:
            self._files.finish(rank, _encoded(rest) + self._bytes.begun(rank))
            return
        self._bytes.end_rank(rank)
        if rest:
            self._emit(rank, rest + "\n" if self._hold else rest)

    def report(self, rank: int, text: str) -> None:
        """Write a message about the rank to its own file, if it has one."""
        if self._files is not None:
            self._files.finish(rank, _encoded(text))

    @property
    def failure(self) -> str:
        """Error text that names a rank's incomplete output file and the reason, or an empty string."""
        return "" if self._files is None else self._files.failure

    def _emit(self, rank: int, text: str) -> None:
        if self._files is not None:
            self._files.write(rank, _encoded(text))
            return
        begins = self._unfinished != rank
        with self._ending_quietly():
            if begins and self._unfinished >= 0:
                self.stream.write("\n")
            self._unfinished = -1 if text.endswith("\n") else rank
            self.stream.write(self._labelled(rank, text, begins) if self._label else text)

    @contextmanager
    def _ending_quietly(self) -> Iterator[None]:
        """Context in which a write that fails because nobody reads the stream any more stops all ranks, without an
        error.

        The rest of the output is discarded.
        """
        try:
            yield
        except BrokenPipeError:
            with open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), self.stream.fileno())  # so that what is buffered can be flushed
            self.reader_gone = True
            stop_all()
            if running_rank() >= 0:
                raise RankStopped from None

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
        """Write the rank's incomplete line; the stream stays open for other ranks."""
        self.end_rank(running_rank())

    @property
    def buffer(self) -> Any:
        """Underlying binary stream."""
        return self._bytes

    @property
    def closed(self) -> bool:
        """State of the stream: always False (open), because ranks share it."""
        return False

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Encoding of the underlying stream."""
        return "utf-8" if self._files is not None else getattr(self.stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """Error handling of the underlying stream, for text that it cannot encode."""
        return getattr(self.stream, "errors", None)

    @property
    def name(self) -> Any:
        """Name of the underlying stream."""
        return getattr(self.stream, "name", "<stdout>")

    @property
    def mode(self) -> str:
        """File mode: always "w"."""
        return "w"

    @property
    def line_buffering(self) -> bool:
        """Line buffering: always True, because lines are written when they are complete."""
        return True

    def reconfigure(self, **settings: Any) -> None:
        """Do nothing, because the underlying stream belongs to all ranks."""

    def writable(self) -> bool:
        """Return True: ranks can write to the stream."""
        return True

    def isatty(self) -> bool:
        """Return whether the underlying stream is a terminal."""
        return (self._files is None or has_attention()) and self.stream.isatty()

    def fileno(self) -> int:
        """Return the file descriptor of the underlying stream."""
        return self.stream.fileno() if self._files is None else self._files.fileno(running_rank())


class _RankBytes(io.BufferedIOBase):
    """Attribute ``buffer`` of a rank's output: bytes that are valid text join the rank's line; other bytes are written
    unchanged."""

    def __init__(self, text: RankOutput) -> None:
        self._text = text
        self._begun: dict[int, bytes] = {}  # first bytes of an incomplete character, by rank

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
        """Write the bytes of a character that the ended rank has not completed."""
        begun = self.begun(rank)
        if begun:
            self._text.write_bytes(rank, begun)

    def begun(self, rank: int) -> bytes:
        """Remove and return the first bytes of a character that the rank has not completed."""
        return self._begun.pop(rank, b"")

    def flush(self) -> None:
        self._text.flush()

    def close(self) -> None:
        """Do nothing, because the stream stays open for other ranks."""

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._text.isatty()

    def fileno(self) -> int:
        return self._text.fileno()


class RankInput(io.TextIOBase):
    """Standard input: read by rank 0, the launcher, and a rank in a debugger; empty for other ranks.

    Waiting for input does not count as computation, so it takes no simulated time.

    Args:
        stream: stream to read.
        shown: output streams whose incomplete lines (prompts) are written before input is awaited.
    """

    def __init__(self, stream: TextIO, shown: Iterable[RankOutput] = ()) -> None:
        self._stream = stream
        self._shown = tuple(shown)
        self._empty = io.TextIOWrapper(io.BytesIO(), encoding=self.encoding)

    def _of_rank(self) -> TextIO:
        return self._empty if running_rank() > 0 and not has_attention() else self._stream

    def read(self, size: int | None = -1) -> str:
        """Read up to `size` characters, or all."""
        with _Awaiting(self._stream, self._shown):
            return self._of_rank().read(-1 if size is None else size)

    def readline(self, size: int = -1) -> str:  # type: ignore[override]
        """Read a line."""
        with _Awaiting(self._stream, self._shown):
            return self._of_rank().readline(size)

    def asking(self, ask: Callable[..., str]) -> Callable[..., str]:
        """Return a replacement of the built-in function ``input``, which reads a terminal without using this stream."""

        def input(prompt: object = "", /) -> str:
            with _Awaiting(self._stream, self._shown):
                return ask(prompt)

        return input

    def readable(self) -> bool:
        """Return True: every rank may read the stream, even if it is empty for that rank."""
        return True

    def isatty(self) -> bool:
        """Return whether the rank reads from a terminal."""
        return self._of_rank().isatty()

    def fileno(self) -> int:
        """Return the file descriptor; raise an error in ranks that have no input."""
        return self._of_rank().fileno()

    def close(self) -> None:
        """Do nothing, because the stream stays open for other ranks."""

    @property
    def buffer(self) -> Any:
        """Underlying binary stream."""
        return self._of_rank().buffer

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Encoding of the underlying stream."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """Error handling of the underlying stream, for bytes that it cannot decode."""
        return getattr(self._stream, "errors", None)

    @property
    def name(self) -> Any:
        """Name of the underlying stream."""
        return getattr(self._stream, "name", "<stdin>")

    @property
    def mode(self) -> str:
        """File mode: always "r"."""
        return "r"

    def reconfigure(self, **settings: Any) -> None:
        """Change settings of the standard input, as io.TextIOWrapper.reconfigure does; no effect in ranks other than
        0."""
        if running_rank() <= 0 and isinstance(self._stream, io.TextIOWrapper):
            self._stream.reconfigure(**settings)


class _Awaiting:
    """Context in which a rank waits for input: its prompts are written first, and the wait takes no simulated time."""

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
