"""Tables of measured or simulated times and amounts, to which an application's parameters are fitted."""

import csv
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pysmpi.aspen.application import PROCESSORS, Application
from pysmpi.aspen.aspen_dialect import Place, error_at
from pysmpi.aspen.errors import AspenError
from pysmpi.aspen.machine_model import Machine
from pysmpi.aspen.sweep import number_of
from pysmpi.errors import did_you_mean

__all__ = ["CHOICES", "TARGETS", "Measurement", "read_measurements"]

TARGETS = ("seconds", "flops", "bytes", "messages")
"""Columns with measured quantities; a table has at least one of them."""

CHOICES = ("kernel", "control", "machine", "socket")
"""Columns that name the kernel or control flow, the machine and the sockets that a line was measured for."""

_OF_STUDY = {"point", "replicate", "status", "simulated_time"}  # columns that each table of a study has
_DONE = "done"


@dataclass(frozen=True)
class Measurement:
    """Measurements in one line of a table.

    Attributes:
        place: file and line.
        figures: measured quantities by name; see `TARGETS`.
        values: values of parameters by name.
        choices: kernel, control flow, machine and socket, where the table has them; see `CHOICES`.
    """

    place: Place
    figures: dict[str, float]
    values: dict[str, float]
    choices: dict[str, str]


def read_measurements(path: str, application: Application, machine: Machine) -> list[Measurement]:
    """Read a table of measurements in CSV.

    The table may also be one that ``pysmpi study export`` has written. Then the simulated times of all completed points
    are read; the column ``ranks`` is P, and ``arguments.n`` is n.

    Args:
        path: path of the file.
        application: application; columns may have values of its parameters.
        machine: machine; columns may have values of its parameters, too.

    Raises:
        AspenError: the file cannot be read, has an unknown column, no column of `TARGETS`, or a cell that is not a
            number.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise AspenError(f"{path}:1: cannot read the table: {reason}") from None
    if not rows:
        raise AspenError(f"{path}:1: the table is empty; its first line has the names of the columns")
    names = [name.strip() for name in rows[0]]
    parameters = {*application.parameters(), *machine.parts.params}
    from_study = set(names) >= _OF_STUDY
    columns = _study_columns(names, parameters) if from_study else _columns(names, parameters, path)
    found = []
    for line, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        place = Place(path, line)
        if len(row) != len(names):
            raise error_at(place, f"the line has {len(row)} cells, but the first line has {len(names)}")
        cells = dict(zip(names, (cell.strip() for cell in row), strict=True))
        if not from_study or cells["status"] == _DONE:
            found.append(_measurement(place, {columns[name]: cell for name, cell in cells.items() if name in columns}))
    if not found:
        raise AspenError(f"{path}:1: the table has no measurements")
    return found


def _columns(names: list[str], parameters: Collection[str], path: str) -> dict[str, str]:
    """Check the names of a table's columns, and return the parameter or quantity in each column, by the column."""
    place = Place(path, 1)
    valid = (*TARGETS, *CHOICES, *sorted(parameters))
    for number, name in enumerate(names):
        if name not in valid:
            hint = did_you_mean(name, valid)
            raise error_at(place, f"no parameter or figure is called {name!r}{hint} (valid: {', '.join(valid)})")
        if name in names[:number]:
            raise error_at(place, f"two columns are called {name!r}")
    if not set(names) & set(TARGETS):
        raise error_at(place, f"no column has figures; name one of {', '.join(TARGETS)}")
    return {name: name for name in names}


def _study_columns(names: list[str], parameters: Collection[str]) -> dict[str, str]:
    """Return the parameter or quantity in each used column of a study's table, by the column.

    Columns with neither are left out. Example: ``arguments.n`` has the parameter n.
    """
    known = {"simulated_time": "seconds", "ranks": PROCESSORS}
    for name in names:
        last = name.rpartition(".")[2]
        if name.startswith(("arguments.", "platform.")) and last in parameters:
            known[name] = last
    return {name: known[name] for name in names if name in known}


def _measurement(place: Place, cells: dict[str, str]) -> Measurement:
    figures = dict(_numbers(place, {name: cell for name, cell in cells.items() if name in TARGETS and cell}))
    if not figures:
        raise error_at(place, f"the line has no measured figure; fill a column of {', '.join(TARGETS)}")
    for name, value in figures.items():
        if value <= 0:
            raise error_at(place, f"{name} of {value:.6g}; relative errors need figures above 0")
    values = {name: cell for name, cell in cells.items() if name not in (*TARGETS, *CHOICES)}
    choices = {name: cell for name, cell in cells.items() if name in CHOICES and cell}
    if len({"kernel", "control"} & set(choices)) > 1:
        raise error_at(place, "the line has both a kernel and a control flow")
    return Measurement(place, figures, dict(_numbers(place, values)), choices)


def _numbers(place: Place, cells: dict[str, str]) -> Iterator[tuple[str, float]]:
    for name, cell in cells.items():
        if not cell:
            raise error_at(place, f"column {name!r} has no value")
        try:
            yield name, number_of(cell, name)
        except AspenError:
            raise error_at(place, f"{cell!r} in column {name!r} is not a number") from None
