"""Timeline of a run, written during the run: states of the ranks, messages, and use of links over time."""

import errno
import os
import pathlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from pysmpi.errors import LaunchError, PysmpiError, unknown
from pysmpi.native import lib

__all__ = ["FORMATS", "Timeline", "TimelineError", "timeline"]

# File suffixes by format; files with another suffix get the first format.
FORMATS: dict[str, tuple[str, ...]] = {
    "perfetto": (".perfetto-trace", ".pftrace", ".perfetto"),
    "json": (".json",),
    "paje": (".paje", ".trace"),
    "parquet": (".parquet", ".pq"),
    "csv": (".csv",),
}


class TimelineError(PysmpiError):
    """Error in writing a run's timeline; the run itself is not affected."""

    slug = "timeline"


class Timeline:
    """Timeline of the current run, written to a temporary file until it is complete.

    Attributes:
        path: path of the complete file.
        failure: error that kept the file from being written, or None.
    """

    def __init__(self, path: pathlib.Path, form: str) -> None:
        self.path = path
        self.failure: TimelineError | None = None
        self._form = form
        self._part = path.with_name(path.name + ".part")
        self._written = self._part.with_suffix(".csv") if form == "parquet" else self._part
        for file in {self._part, self._written}:
            file.open("wb").close()
        lib.pysmpi_begin_timeline(os.fsencode(self._written), ("csv" if form == "parquet" else form).encode())

    def end(self) -> None:
        """Finish the timeline at the end of the run, also after a failure, and move the file to its path."""
        error = lib.pysmpi_end_timeline()
        try:
            if error:
                raise OSError(error, os.strerror(error))
            if self._form == "parquet":
                _convert(self._written, self._part)
                self._written.unlink()
            self._part.replace(self.path)
        except OSError as failure:
            left = f"; the incomplete file is {self._part}" if self._part.exists() else ""
            self.failure = TimelineError(f"cannot write the timeline {self.path}: {_reason(failure)}{left}")


@contextmanager
def timeline(path: str | os.PathLike[str] | None, form: str | None = None) -> Iterator[Timeline | None]:
    """Write the timeline of the current simulation while the context is open.

    Args:
        path: path of the file, or None for no timeline.
        form: format, one of FORMATS, or None to derive it from the file's suffix.

    Raises:
        LaunchError: if the format is unknown, or the file cannot be written.
    """
    if path is None:
        if form is not None:
            raise LaunchError(f"--trace-format {form} has no effect without --trace FILE")
        yield None
        return
    file = pathlib.Path(path).absolute()
    chosen = _format(file, form)
    if file.is_dir():
        raise LaunchError(f"--trace {path}: is a directory; name a file")
    try:
        written = Timeline(file, chosen)
    except OSError as error:
        raise LaunchError(f"--trace {path}: cannot write the file: {_reason(error)}") from None
    try:
        yield written
    finally:
        written.end()


def _format(path: pathlib.Path, form: str | None) -> str:
    if form is None:
        form = next((name for name, endings in FORMATS.items() if path.suffix in endings), next(iter(FORMATS)))
    if form not in FORMATS:
        raise LaunchError(f"--trace-format: {unknown('format', form, FORMATS)}")
    if form == "parquet" and find_spec("pyarrow") is None:
        raise LaunchError("--trace-format parquet needs pyarrow: pip install pyarrow")
    return form


def _reason(error: OSError) -> str:
    return error.strerror or errno.errorcode.get(error.errno or 0, str(error))


def _convert(table: pathlib.Path, parquet: pathlib.Path) -> None:
    """Convert a CSV table to Parquet in blocks, so that its size does not matter."""
    import pyarrow as arrow
    import pyarrow.csv as reader
    import pyarrow.parquet as writer

    whole, seconds = arrow.int64(), arrow.float64()
    types = {
        "kind": arrow.string(), "name": arrow.string(), "rank": arrow.int32(), "thread": arrow.int32(),
        "depth": arrow.int32(), "begin": seconds, "end": seconds, "peer": arrow.int32(), "tag": arrow.int32(),
        "bytes": whole, "used": seconds,
    }  # fmt: skip
    options = reader.ConvertOptions(column_types=types)
    blocks = reader.ReadOptions(block_size=1 << 24)
    with (
        reader.open_csv(table, read_options=blocks, convert_options=options) as batches,
        writer.ParquetWriter(parquet, batches.schema, compression="zstd") as target,
    ):
        for batch in batches:
            target.write_batch(batch)
