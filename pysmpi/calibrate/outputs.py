"""Output files of a calibration command: they share a name and differ in their suffix. Each file is written completely
or not at all."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pysmpi.calibrate.progress import notify
from pysmpi.errors import CalibrationError
from pysmpi.util import whole_file
from pysmpi.util.pictures import MISSING, can_draw

__all__ = ["Outputs", "write_whole"]


@dataclass(frozen=True)
class Outputs:
    """Files of ``--output NAME.SUFFIX``, which share NAME and differ in their suffix.

    Attributes:
        main: path of the model.
    """

    main: Path

    @classmethod
    def of(cls, text: str, ending: str) -> "Outputs":
        """Return the files for the value of the option ``--output``.

        Raises:
            CalibrationError: if the suffix is not `ending`, or the folder does not exist.
        """
        path = Path(text)
        if path.suffix != ending:
            raise CalibrationError(f"option --output: {text!r} is not valid; the model's name must end in {ending}")
        if not path.parent.is_dir():
            raise CalibrationError(f"option --output: folder {str(path.parent)!r} does not exist")
        return cls(path)

    @property
    def measurements(self) -> Path:
        """Path of the table of measurements."""
        return self.main.with_suffix(".csv")

    @property
    def report(self) -> Path:
        """Path of the text report about the fit."""
        return self.main.with_suffix(".txt")

    @property
    def picture(self) -> Path:
        """Path of the file with the plots."""
        return self.main.with_suffix(".png")

    def write_model(self, document: dict[str, Any]) -> None:
        """Write the model as JSON."""
        write_whole(self.main, json.dumps(document, indent=2, ensure_ascii=False) + "\n")

    def write_report(self, text: str) -> None:
        """Write the text report about the fit."""
        write_whole(self.report, text.rstrip("\n") + "\n")

    def write_picture(self, draw: Callable[[str], None]) -> None:
        """Draw the plots, or print a message if matplotlib is not installed."""
        if can_draw():
            draw(str(self.picture))
        else:
            notify(f"no plots: {MISSING}")


def write_whole(path: Path, text: str) -> None:
    """Write a file, completely or not at all.

    Raises:
        CalibrationError: if the file cannot be written.
    """
    try:
        whole_file.write_whole(path, text.encode())
    except OSError as error:
        raise CalibrationError(f"cannot write {str(path)!r}: {error.strerror}") from None
