"""Interface of modelling languages, whose files describe machines and programs for the simulator."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

__all__ = ["ModelLanguage"]


class ModelLanguage(ABC):
    """Modelling language, such as Aspen.

    A model of a machine serves as a platform, and a model of an application as a program that ranks run.

    Attributes:
        name: name of the language.
        suffix: end of the names of its files, such as ``.aspen``.
        module: module that ranks run to interpret a program, as with ``python -m``.
        options: names of the options that may follow a program on the command line, without dashes.
    """

    name: ClassVar[str]
    suffix: ClassVar[str]
    module: ClassVar[str]
    options: ClassVar[tuple[str, ...]]

    def divided(self, name: str) -> tuple[str, str] | None:
        """Split a machine's name such as ``m.aspen:numNodes=4`` into the file and the values of parameters.

        Return None for names that are not of this language.
        """
        match = re.fullmatch(rf"(.*?{re.escape(self.suffix)})(:.*)?", name, re.DOTALL)
        return None if match is None else (match[1], match[2] or "")

    @abstractmethod
    def platform(self, name: str) -> Any:
        """Return the platform (`pysmpi.platform.Platform`) for a machine's name such as ``m.aspen:numNodes=4``.

        Raises:
            PysmpiError: the model is not valid.
        """

    @abstractmethod
    def words(self, path: str, arguments: Sequence[str], platform: str | None) -> list[str]:
        """Return the command line with which ranks run `module` for a program.

        Args:
            path: file of the program.
            arguments: command-line arguments that follow the file.
            platform: name of the platform as given by ``--platform``, or None.
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
        """Carry out options of a program that replace the simulation; return whether there are any.

        Args:
            words: command line of `module`.
            ranks: number of ranks.

        Raises:
            PysmpiError: the program is not valid, or a file cannot be written.
        """

    @abstractmethod
    def files_in(self, text: str) -> list[str]:
        """Return the names of files that the text of a model refers to, as they are written."""
