"""Base class of the kinds of measurement: each measures a table, fits a model to it, and judges the model."""

import argparse
import importlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, ClassVar

from pysmpi.calibrate.outputs import Outputs
from pysmpi.calibrate.plan import Plan
from pysmpi.calibrate.table import Column, Table, read_table
from pysmpi.util.commands.parser import Parser

__all__ = ["Kind"]


class Kind(ABC):
    """Kind of measurement, such as that of BLAS routines or of messages.

    The package ``pysmpi/calibrate/NAME`` measures and fits. It defines COLUMNS (of the table), model_document,
    report_text and draw. It imports NumPy, which reads its number of threads from the environment only once. The
    package is therefore imported when it is first used, after the options have been read.

    Attributes:
        name: name of the command and of the folder, and second word of the model file's format, as "pysmpi-NAME-1".
        description: description for ``--help``.
        output: description of the file of ``--output``.
        source: value and description of ``--from``.
        on_ranks: whether all ranks of a real MPI measure together.
        largest_error: largest relative error of a plausible fit.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    output: ClassVar[str]
    source: ClassVar[tuple[str, str]] = ("CSV", "use this table instead of measuring")
    on_ranks: ClassVar[bool] = False
    largest_error: ClassVar[float] = math.inf

    @property
    def folder(self) -> ModuleType:
        """Package that measures and fits."""
        return importlib.import_module(f"pysmpi.calibrate.{self.name}")

    @abstractmethod
    def add_options(self, parser: Parser) -> None:
        """Add the options that only this kind has."""

    def columns(self) -> Sequence[Column]:
        """Return the columns of the table of measurements."""
        columns: Sequence[Column] = self.folder.COLUMNS
        return columns

    @abstractmethod
    def plan(self, arguments: argparse.Namespace, world: Any) -> Plan:
        """Return the measurements that the options ask for.

        Args:
            arguments: parsed command line.
            world: communicator of all ranks, or None without MPI.

        Raises:
            PysmpiError: something cannot be measured.
        """

    def measure_elsewhere(self, arguments: argparse.Namespace, words: Sequence[str], outputs: Outputs) -> bool:
        """Measure in other processes if the options ask for it; return whether they do."""
        return False

    def read(self, arguments: argparse.Namespace) -> Table:
        """Return the measurements of ``--from``."""
        return read_table(arguments.measured, self.columns())

    @abstractmethod
    def fit(self, table: Table, arguments: argparse.Namespace) -> Any:
        """Return the model that is fitted to a table.

        Raises:
            CalibrationError: the table lacks measurements, or a value is not valid.
        """

    def document(self, fit: Any, table: Table, arguments: argparse.Namespace) -> dict[str, Any]:
        """Return the content of the model file as JSON values."""
        document: dict[str, Any] = self.folder.model_document(fit, table.provenance)
        return document

    def report(self, fit: Any, table: Table, document: Mapping[str, Any]) -> str:
        """Return a text about the model and its quality."""
        return str(self.folder.report_text(fit, document))

    def draw(self, fit: Any, path: str) -> None:
        """Draw the plots into a file."""
        self.folder.draw(fit, path)

    @abstractmethod
    def summary(self, fit: Any, report: str) -> str:
        """Return a line about the model; `report` is the path of the report."""

    @abstractmethod
    def problems(self, document: Mapping[str, Any]) -> Iterator[str]:
        """Yield a text for each implausible value in the content of a model file; the text gives the limit.

        Raises:
            KeyError, TypeError, ValueError, AttributeError: a value is missing or malformed.
        """

    def errors(self, document: Mapping[str, Any]) -> Iterator[tuple[str, float, float]]:
        """Yield name, largest and median relative error of each fit in the content of a model file."""
        return iter(())
