"""Reader of campaigns of SimGrid's tool platform-calibration, such as those that are public for Taurus and Stampede.

A campaign is a folder with a table for each call, ``PREFIX_PingPong.csv``, ``PREFIX_Isend.csv`` and so on, without
column names. A line is ``FUNCTION,SIZE,START,SECONDS`` (Ezibenroc/platform-calibration, src/calibration). In the
table of ping-pongs, each MPI_Send and the MPI_Recv on the next line make a round trip. In the table of MPI_Recv, an
eager message has arrived before the call. The table of MPI_Wtime has the time of 10 million calls together. An XML
file in the folder has ``detached_threshold``, the size from which MPI_Send waits, as the authors found it.
"""

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from pysmpi.calibrate.table import Table
from pysmpi.errors import CalibrationError

__all__ = ["PublicCampaign", "read_public_campaign"]

_TABLES = ("PingPong", "Isend", "Recv", "Wtime", "Iprobe", "Test")
_CALLS = {"Isend": "isend", "Recv": "late_recv", "Iprobe": "iprobe", "Test": "test"}
_READINGS = 10_000_000  # number of calls of MPI_Wtime whose total time is on a line of their table


class PublicCampaign(NamedTuple):
    """Campaign in the form of pysmpi's own campaigns.

    Attributes:
        table: the measurements, as messages between hosts.
        waits_from: least size in bytes whose MPI_Send waits for the receive, or None if the folder does not have it.
    """

    table: Table
    waits_from: int | None


class _Line(NamedTuple):
    number: int
    function: str
    size: int
    seconds: float


def read_public_campaign(folder: Path) -> PublicCampaign:
    """Read a campaign of platform-calibration.

    Raises:
        CalibrationError: the folder has no such campaign or several, a table is missing, or a value is not valid; the
            message starts with the folder or with file:line.
    """
    found = sorted(folder.glob("*_PingPong.csv"))
    if len(found) != 1:
        names = f"has {', '.join(path.name for path in found)}" if found else "has no file PREFIX_PingPong.csv"
        raise CalibrationError(f"{folder}: {names}; a campaign of platform-calibration has one")
    prefix = found[0].name.removesuffix("_PingPong.csv")
    paths = {name: folder / f"{prefix}_{name}.csv" for name in _TABLES}
    if missing := [path.name for path in paths.values() if not path.is_file()]:
        raise CalibrationError(f"{folder}: the campaign lacks {', '.join(missing)}")
    rows = [*_round_trips(paths["PingPong"])]
    for name, call in _CALLS.items():
        sized = name in ("Isend", "Recv")
        rows += [_row(call, line.size if sized else None, line.seconds) for line in _lines(paths[name])]
    rows += [_row("wtime", None, line.seconds / _READINGS) for line in _lines(paths["Wtime"])]
    provenance = {"campaign": prefix, "tool": "platform-calibration"}
    return PublicCampaign(Table(str(folder), provenance, rows, [1] * len(rows), 0), _waits_from(folder))


def _row(call: str, size: int | None, seconds: float) -> dict[str, Any]:
    return {"place": "inter", "call": call, "bytes": size, "delay": None, "seconds": seconds}


def _round_trips(path: Path) -> Iterator[dict[str, Any]]:
    sent: _Line | None = None
    for line in _lines(path):
        expected = "MPI_Send" if sent is None else "MPI_Recv"
        if line.function != expected or (sent is not None and line.size != sent.size):
            size = "" if sent is None else f" of {sent.size} bytes"
            raise CalibrationError(
                f"{path}:{line.number}: {line.function} instead of the {expected}{size} of a round trip"
            )
        if sent is None:
            sent = line
            continue
        if sent.seconds + line.seconds <= 0:
            raise CalibrationError(f"{path}:{line.number}: a round trip takes 0 seconds; times must be above 0")
        yield _row("send", sent.size, sent.seconds)
        yield _row("pingpong", sent.size, (sent.seconds + line.seconds) / 2)
        sent = None
    if sent is not None:
        raise CalibrationError(f"{path}:{sent.number}: the file ends after an MPI_Send, without its MPI_Recv")


def _lines(path: Path) -> Iterator[_Line]:
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        for number, cells in enumerate(csv.reader(file), 1):
            try:
                function, size, _, seconds = (cell.strip() for cell in cells)
                line = _Line(number, function, int(size), float(seconds))
            except ValueError:
                raise CalibrationError(
                    f"{path}:{number}: '{','.join(cells)}' is not FUNCTION,SIZE,START,SECONDS"
                ) from None
            if line.size < 0 or not 0 <= line.seconds < math.inf:
                raise CalibrationError(f"{path}:{number}: size and seconds must be finite, and not below 0")
            yield line


def _waits_from(folder: Path) -> int | None:
    for path in sorted(folder.glob("*.xml")):
        try:
            element = ElementTree.parse(path).getroot().find("detached_threshold")
        except ElementTree.ParseError as error:
            raise CalibrationError(f"{path}:{error.position[0]}: not XML: {error}") from None
        if element is not None:
            text = element.get("value", "")
            if not text.isdigit():
                raise CalibrationError(f"{path}: detached_threshold {text!r} is not a number of bytes")
            return int(text)
    return None
