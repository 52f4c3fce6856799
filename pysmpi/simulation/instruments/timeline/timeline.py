"""Timeline of a run, written during the run: states of the ranks, messages, and use of links over time."""

import errno
import os
import pathlib
from importlib.util import find_spec

from pysmpi.errors import LaunchError, PysmpiError
from pysmpi.native import lib
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.util.whole_file import NewFile

__all__ = ["FORMATS", "Timeline", "TimelineError"]

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


class Timeline(Instrument):
    """Instrument that writes a run's timeline to a temporary file, which it renames to `path` at the end.

    Args:
        path: file for the timeline; its suffix selects the format (`FORMATS`).

    Raises:
        LaunchError: the path is a directory, or its format needs a package that is not installed.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._asked = path
        self._path = pathlib.Path(path).absolute()
        self._form = _format(path)
        self._is_open = False
        if self._path.is_dir():
            raise LaunchError(f"--trace {path}: is a directory; name a file")

    def begin(self, run: Run) -> None:
        """Open the file and start writing.

        Raises:
            LaunchError: the file cannot be written.
        """
        try:
            self._file = NewFile(self._path)
            self._table = NewFile(self._path.with_suffix(".csv")) if self._form == "parquet" else self._file
        except OSError as error:
            raise LaunchError(f"--trace {self._asked}: cannot write the file: {_reason(error)}") from None
        form = "csv" if self._form == "parquet" else self._form
        lib.pysmpi_begin_timeline(os.fsencode(self._table.partial), form.encode())
        self._is_open = True

    def end(self, run: Run, result: Result) -> None:
        self.close()
        if run.failed and self.failure is None:
            run.errors.write(f"pysmpi: the timeline in {self._asked} is incomplete because the run failed\n")

    def close(self) -> None:
        """Complete the timeline's file, also after a failed run. If the file cannot be completed, `failure` holds the
        error."""
        if not self._is_open:
            return
        self._is_open = False
        error = lib.pysmpi_end_timeline()
        try:
            if error:
                raise OSError(error, os.strerror(error))
            if self._form == "parquet":
                _convert(self._table.partial, self._file.partial)
                self._table.discard()
            self._file.keep()
        except OSError as failure:
            left = f"; the incomplete file is {self._file.partial}" if self._file.is_left() else ""
            self.failure = TimelineError(f"cannot write the timeline {self._path}: {_reason(failure)}{left}")


def _format(path: str | os.PathLike[str]) -> str:
    suffix = pathlib.Path(path).suffix
    form = next((name for name, suffixes in FORMATS.items() if suffix in suffixes), next(iter(FORMATS)))
    if form == "parquet" and find_spec("pyarrow") is None:
        raise LaunchError(f"--trace {path}: Parquet needs pyarrow; install it with: pip install 'pysmpi[parquet]'")
    return form


def _reason(error: OSError) -> str:
    return error.strerror or errno.errorcode.get(error.errno or 0, str(error))


def _convert(table: pathlib.Path, parquet: pathlib.Path) -> None:
    """Convert a CSV table to Parquet in blocks, because a large table may not fit into memory."""
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
