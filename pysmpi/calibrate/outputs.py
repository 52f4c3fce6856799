"""A part's files: one name, and an ending for what each holds. Each is written whole or not at all."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pysmpi.errors import CalibrationError
from pysmpi.util import whole_file

__all__ = ["Outputs", "write_whole"]


@dataclass(frozen=True)
class Outputs:
    """The files of ``--output NAME.ENDING``, each NAME with an ending of its own.

    Attributes:
        main: the model.
    """

    main: Path

    @classmethod
    def of(cls, text: str, ending: str) -> "Outputs":
        """Return the files that the option names.

        Raises:
            CalibrationError: the ending is another, or there is no such folder.
        """
        path = Path(text)
        if path.suffix != ending:
            raise CalibrationError(f"option --output: {text!r} does not end in {ending}, as this part's model does")
        if not path.parent.is_dir():
            raise CalibrationError(f"option --output: there is no folder {str(path.parent)!r}")
        return cls(path)

    @property
    def measurements(self) -> Path:
        """The table."""
        return self.main.with_suffix(".csv")

    @property
    def report(self) -> Path:
        """The text about the fit."""
        return self.main.with_suffix(".txt")

    @property
    def picture(self) -> Path:
        """The plots."""
        return self.main.with_suffix(".png")

    def write_model(self, document: dict[str, Any]) -> None:
        """Write the model as JSON."""
        write_whole(self.main, json.dumps(document, indent=2, ensure_ascii=False) + "\n")

    def write_report(self, text: str) -> None:
        """Write the text about the fit."""
        write_whole(self.report, text.rstrip("\n") + "\n")


def write_whole(path: Path, text: str) -> None:
    """Write a file, whole or not at all.

    Raises:
        CalibrationError: it cannot be written.
    """
    try:
        whole_file.write_whole(path, text.encode())
    except OSError as error:
        raise CalibrationError(f"cannot write {str(path)!r}: {error.strerror}") from None
