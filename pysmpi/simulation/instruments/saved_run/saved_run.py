"""Saving and reading a run's results in a directory, for ``pysmpi report`` and other programs: JSON, CSV and plots."""

import json
import math
import os
import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pysmpi.errors import LaunchError, PysmpiError
from pysmpi.platform import Platform
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.network.network_files import write_network_report
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.instruments.profile.finding import findings
from pysmpi.simulation.instruments.profile.profile_json import profile_document
from pysmpi.simulation.instruments.profile.profile_text import source_line
from pysmpi.simulation.instruments.timeline.overview import STATES, Overview
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.util.documents import parse_json
from pysmpi.util.new_directory import NewDirectory
from pysmpi.util.own_files import names_of, read_own

__all__ = ["SavedRun", "SavedRunError", "SavingRun", "read_run"]

VERSION = 2
_RESULT, _SETTINGS, _PROFILE, _OVERVIEW = "result.json", "settings.json", "profile.json", "overview.json"
_NETWORK = "network"


class SavedRunError(PysmpiError):
    """Error in a directory that should hold a saved run."""

    slug = "saved-run"


@dataclass(frozen=True, slots=True)
class SavedRun:
    """Contents of a saved run's directory.

    Attributes:
        directory: path of the directory.
        result: content of ``result.json``: program, platform, times and other results.
        settings: content of ``settings.json``: name, value, origin and meaning of each setting.
        profile: content of ``profile.json``.
        overview: content of ``overview.json``: activity of the ranks over time.
        pictures: SVG plots of the network by file name, without plots that were not drawn.
        matrix: communication matrix, with the keys ``ranks``, ``ranks_per_row``, ``rows`` and ``entries``.
        links: links with traffic, with the columns of ``network/links.csv``.
    """

    directory: pathlib.Path
    result: dict[str, Any]
    settings: list[dict[str, str]]
    profile: dict[str, Any]
    overview: dict[str, Any]
    pictures: dict[str, bytes]
    matrix: dict[str, Any]
    links: list[dict[str, Any]]


class SavingRun(Instrument):
    """Instrument that saves a run's result in a directory (``--save-run``).

    The run must be profiled and have a network report, because these are saved, too.

    Args:
        directory: directory for the files; it must be empty or not exist.
        document_of: function that returns the entries of ``result.json`` that come from instruments.
    """

    def __init__(self, directory: str | os.PathLike[str], document_of: Callable[[Result], Mapping[str, Any]]) -> None:
        self._target = directory
        self._document_of = document_of

    def begin(self, run: Run) -> None:
        """Create the directory under a temporary name.

        Raises:
            LaunchError: the directory is not empty, or cannot be created.
        """
        self._directory = NewDirectory(self._target, "--save-run")

    def end(self, run: Run, result: Result) -> None:
        """Write the result, and rename the directory to its final name; if that fails, set `failure`."""
        assert result.profile is not None
        assert result.network is not None
        folder = self._directory.partial
        try:
            found = findings(result.profile, result.network)
            _write(folder / _PROFILE, _with_sources(profile_document(result.profile, found)))
            _write(folder / _OVERVIEW, _overview(result.profile.overview))
            _write(folder / _SETTINGS, list(_settings(run.configuration)))
            write_network_report(result.network, run.platform, folder / _NETWORK)
            matrix = result.network.matrix
            _write(
                folder / _NETWORK / "matrix.json",
                {"ranks": matrix.ranks, "ranks_per_row": matrix.ranks_per_row, "rows": len(matrix.bytes),
                 "entries": list(matrix.entries())},
            )  # fmt: skip
            _write(
                folder / _NETWORK / "links.json",
                [asdict(link) | {"utilisation": link.utilisation(result.network.seconds), "sharing": link.sharing}
                 for link in result.network.links],
            )  # fmt: skip
            if (delays := result.network.delays) is not None:
                document = {"begins": delays.begins.tolist(), "packets": delays.packets.tolist()}
                _write(folder / _NETWORK / "delays.json", document | {"by_ranks": delays.by_ranks.tolist()})
            _write(folder / _RESULT, _result(result, run.platform, run.command_line(), self._document_of(result)))
            self._directory.keep()
        except OSError as error:
            self.failure = LaunchError(f"--save-run {self._directory.target}: cannot write: {error.strerror}")
        except LaunchError as error:  # a picture could not be drawn
            self.failure = LaunchError(f"--save-run {self._directory.target}: {error}")

    def close(self) -> None:
        self._directory.discard()


def read_run(directory: str | os.PathLike[str]) -> SavedRun:
    """Read a directory written by ``--save-run``.

    Raises:
        SavedRunError: if the directory was not written by ``--save-run``, or a file in it is damaged.
    """
    folder = pathlib.Path(directory)
    if not folder.is_dir():
        raise SavedRunError(f"{directory}: the directory does not exist; write one with pysmpirun --save-run DIR")
    result = _read(folder, _RESULT)
    if not isinstance(result, dict) or result.get("version") != VERSION:
        raise SavedRunError(f"{folder / _RESULT}: not written by this version of pysmpi; save the run again")
    pictures = [name for name in names_of(folder / _NETWORK) if name.endswith(".svg")]
    return SavedRun(
        folder,
        result,
        _read(folder, _SETTINGS),
        _read(folder, _PROFILE),
        _read(folder, _OVERVIEW),
        {name: _bytes(folder, _NETWORK, name) for name in pictures},
        _read(folder, _NETWORK, "matrix.json"),
        _read(folder, _NETWORK, "links.json"),
    )


def _with_sources(profile: dict[str, Any]) -> dict[str, Any]:
    """Add the source code of each line, because the page may be made later, or on a machine without the source."""
    placed = {
        name: [row | {"source": source_line(row["place"])} for row in profile[name]]
        for name in ("places", "critical_path", "peer_waits", "link_waits")
    }
    return profile | placed


def _result(result: Result, platform: Platform, program: str, of_instruments: Mapping[str, Any]) -> dict[str, Any]:
    failed = [one for one in result.ranks if one.status or one.failed_at is not None]
    return {
        "version": VERSION,
        "program": program,
        "platform": platform.source,
        "hosts": len(platform.hosts),
        "links": len(platform.links),
        "ranks": len(result.ranks),
        "simulated_time": result.simulated_time,
        "wall_time": result.wall_time,
        "peak_memory": result.peak_memory,
        "network_model": result.network_model,
        "counters": asdict(result.counters),
        "time_spent": asdict(result.time_spent) | {"in_mpi": result.time_spent.in_mpi},
        "error_terms": [asdict(term) for term in result.error_terms],
        "conditions": result.conditions,
        "notes": [asdict(note) | {"importance": note.importance.name.lower()} for note in result.notes],
        "forced": result.forced,
        "failed": [
            {"rank": one.rank, "host": one.host, "ending": one.ending.value, "status": one.status} for one in failed
        ],
        **of_instruments,
    }


def _overview(overview: Overview) -> dict[str, Any]:
    """Return the overview as values that JSON can hold: seconds by state, row of ranks and interval.

    The seconds are rounded to about a millionth of an interval.
    """
    digits = math.ceil(6 - math.log10(overview.interval))
    return {
        "interval": overview.interval,
        "ranks": overview.ranks,
        "ranks_per_row": overview.ranks_per_row,
        "rows": overview.seconds.shape[0],
        "intervals": overview.seconds.shape[1],
        "seconds": {
            state: seconds.round(digits).tolist()
            for state, seconds in zip(STATES, np.moveaxis(overview.seconds, 2, 0), strict=True)
            if seconds.any()
        },
    }


def _settings(configuration: Configuration) -> Iterator[dict[str, str]]:
    for name, value, meaning, origin in configuration.table():
        yield {"name": name, "value": value, "origin": origin, "meaning": meaning}


def _write(path: pathlib.Path, document: dict[str, Any] | Sequence[Any]) -> None:
    path.write_text(json.dumps(document, separators=(",", ":"), allow_nan=False))  # json.dump would be far slower


def _read(folder: pathlib.Path, *names: str) -> Any:
    return parse_json(_bytes(folder, *names), folder.joinpath(*names), SavedRunError)


def _bytes(folder: pathlib.Path, *names: str) -> bytes:
    path = folder.joinpath(*names)
    try:
        return read_own(folder, *names)
    except FileNotFoundError:
        raise SavedRunError(
            f"{path}: the file does not exist; name a directory written by pysmpirun --save-run"
        ) from None
    except OSError as error:
        raise SavedRunError(f"{path}: cannot read the file: {error.strerror}") from None
