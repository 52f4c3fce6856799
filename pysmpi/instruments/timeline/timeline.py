"""The timeline of a run, which goes to a file while the run lasts: what each rank does when, messages, use of links."""

import errno
import os
import pathlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from pysmpi.errors import LaunchError, PysmpiError, unknown
from pysmpi.native import lib

__all__ = ["FORMATS", "Timeline", "TimelineError", "timeline"]

# By name, the endings of files that are of this format unless told otherwise; others are of the first one.
FORMATS: dict[str, tuple[str, ...]] = {
    "perfetto": (".perfetto-trace", ".pftrace", ".perfetto"),
    "json": (".json",),
    "paje": (".paje", ".trace"),
    "parquet": (".parquet", ".pq"),
    "csv": (".csv",),
}


class TimelineError(PysmpiError):
    """The timeline of a run could not be written; the run itself went as it went."""

    slug = "timeline"


class Timeline:
    """The timeline of a run that is under way, written beside its place until it is whole.

    Attributes:
        path: where it will be.
        failure: why it is not there; None when it is, or the run is still under way.
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
        """The run has come to its end, or as far as it came: the file takes its place."""
        error = lib.pysmpi_end_timeline()
        try:
            if error:
                raise OSError(error, os.strerror(error))
            if self._form == "parquet":
                _convert(self._written, self._part)
                self._written.unlink()
            self._part.replace(self.path)
        except OSError as failure:
            left = f"; what there is of it is in {self._part}" if self._part.exists() else ""
            self.failure = TimelineError(f"no timeline is left in {self.path}: {_reason(failure)}{left}")


@contextmanager
def timeline(path: str | os.PathLike[str] | None, form: str | None = None) -> Iterator[Timeline | None]:
    """Has the timeline of the simulation written that is under way, from here to the end of the context.

    Args:
        path: the file; None: there is no timeline.
        form: its format, one of FORMATS; None: as the path's ending has it.

    Raises:
        LaunchError: there is no such format, or the file cannot be written.
    """
    if path is None:
        if form is not None:
            raise LaunchError(f"--trace-format {form} has no effect without --trace FILE")
        yield None
        return
    file = pathlib.Path(path).absolute()
    chosen = _format(file, form)
    if file.is_dir():
        raise LaunchError(f"--trace {path}: it is a directory")
    try:
        written = Timeline(file, chosen)
    except OSError as error:
        raise LaunchError(f"--trace {path}: it cannot be written: {_reason(error)}") from None
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
        raise LaunchError("--trace-format parquet needs pyarrow: pip install 'pysmpi[parquet]'")
    return form


def _reason(error: OSError) -> str:
    return error.strerror or errno.errorcode.get(error.errno or 0, str(error))


def _convert(table: pathlib.Path, parquet: pathlib.Path) -> None:
    """Block by block, however long it is."""
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
