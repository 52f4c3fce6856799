"""Languages of models: files in them are machines and programs, as platform files and Python scripts are."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

__all__ = ["ModelLanguage"]


class ModelLanguage(ABC):
    """Language of models. A model of a machine is a platform, a model of an application is a program.

    Attributes:
        name: name of the language.
        suffix: end of the names of its files, such as ``.aspen``.
        module: module that ranks run for a program, as with ``python -m``.
        options: names of the options of a program's command line, without dashes.
    """

    name: ClassVar[str]
    suffix: ClassVar[str]
    module: ClassVar[str]
    options: ClassVar[tuple[str, ...]]

    def divided(self, name: str) -> tuple[str, str] | None:
        """Return the file and the values in a machine's name such as ``m.aspen:numNodes=4``; None for other names."""
        match = re.fullmatch(rf"(.*?{re.escape(self.suffix)})(:.*)?", name, re.DOTALL)
        return None if match is None else (match[1], match[2] or "")

    @abstractmethod
    def platform(self, name: str) -> Any:
        """Return the machine (a `pysmpi.platform.Platform`) of a name, which is a file, perhaps followed by values.

        Raises:
            PysmpiError: the model is not valid.
        """

    @abstractmethod
    def words(self, path: str, arguments: Sequence[str], platform: str | None) -> list[str]:
        """Return the command line with which ranks run `module` for a program.

        Args:
            path: file of the program.
            arguments: command-line arguments after it.
            platform: name of the platform, or None if it has none.
        """

    @abstractmethod
    def check(self, words: list[str], ranks: int) -> None:
        """Check a program before any rank runs.

        Args:
            words: command line of `module`.
            ranks: number of ranks.

        Raises:
            PysmpiError: the program is not valid.
        """

    @abstractmethod
    def act_instead(self, words: list[str], ranks: int) -> bool:
        """Do what a command line asks for instead of a simulation, and return whether it does.

        Args:
            words: command line of `module`.
            ranks: number of ranks.

        Raises:
            PysmpiError: the program is not valid, or a file cannot be written.
        """

    @abstractmethod
    def files_in(self, text: str) -> list[str]:
        """Return the names of files that the text of a model refers to, as they are written."""
