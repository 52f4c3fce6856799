"""Names of models in the language Aspen, as users give them for platforms and programs."""

import re
from collections.abc import Sequence

__all__ = ["file_of_model", "is_application", "is_machine", "model_words"]

_MACHINE = re.compile(r"(.*?\.aspen)(:.*)?", re.DOTALL)


def is_machine(platform: str) -> bool:
    """Return whether the name of a platform is that of an Aspen machine, such as ``m.aspen:numNodes=4``."""
    return _MACHINE.fullmatch(platform) is not None


def file_of_model(name: str) -> str:
    """Return the file of an Aspen model, without the values behind it."""
    match = _MACHINE.fullmatch(name)
    return name if match is None else match[1]


def is_application(program: str) -> bool:
    """Return whether the name of a program is that of an Aspen application."""
    return program.endswith(".aspen")


def model_words(application: str, arguments: Sequence[str], platform: str | None) -> list[str]:
    """Return the command line of ``python -m pysmpi.aspen`` for an Aspen application.

    Args:
        application: file of the application.
        arguments: words behind it.
        platform: name of the platform, which is the machine of the application if it is an Aspen machine and the
            arguments name none; or None.
    """
    words = [application, *arguments]
    is_named = any(word.partition("=")[0] == "--machine" for word in arguments)
    return words if is_named or platform is None or not is_machine(platform) else [*words, "--machine", platform]
