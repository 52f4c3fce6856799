"""Wings: packages beside the simulator that add commands, modelling languages and instruments to it.

A wing is a package directly under `pysmpi` with a file `wing.py`, which defines `WING`. Wings are not listed anywhere:
`wings` searches the folders for these files. It executes only `wing.py`, not the package around it, so that listing
commands is fast; the functions in `wing.py` import the rest when they are called.
"""

import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pysmpi.util.model_language import ModelLanguage

__all__ = ["Wing", "language_of", "language_of_module", "language_of_program", "wings"]


@dataclass(frozen=True)
class Wing:
    """Additions of a wing (a package beside the simulator) to the simulator.

    Attributes:
        commands: purpose of each command of ``pysmpi``, for its help. The command NAME of the wing WING is the module
            ``pysmpi.WING.commands.NAME``; its function ``main(words)`` returns the exit status.
        languages: modelling languages for machines and programs.
        page_of: function that returns the text of the HTML page about a folder in which the wing has saved results, for
            ``pysmpi report``, or None if it has not saved this one.
        instruments: kinds of instruments of a run, each an ``InstrumentKind`` of the simulator.
    """

    commands: Mapping[str, str] = field(default_factory=dict)
    languages: tuple[ModelLanguage, ...] = ()
    page_of: Callable[[Path], str | None] | None = None
    instruments: tuple[Any, ...] = ()


@cache
def wings() -> dict[str, Wing]:
    """Return all wings (packages that add commands, model languages and instruments to the simulator), by package name
    in alphabetical order."""
    folders = reversed(sys.modules["pysmpi"].__path__)  # the first one that has a wing counts
    files = {file.parent.name: file for folder in folders for file in Path(folder).glob("*/wing.py")}
    return {name: _load(file) for name, file in sorted(files.items())}


def language_of(name: str) -> ModelLanguage | None:
    """Return the modelling language of a platform's name such as ``m.aspen:numNodes=4``, or None for other names."""
    return next((each for each in _languages() if each.divided(name) is not None), None)


def language_of_program(path: str) -> ModelLanguage | None:
    """Return the modelling language of a program by the suffix of its path, or None for other programs."""
    return next((each for each in _languages() if path.endswith(each.suffix)), None)


def language_of_module(name: str | None) -> ModelLanguage | None:
    """Return the modelling language whose programs are interpreted by the module of this name, or None."""
    return next((each for each in _languages() if each.module == name), None)


@cache
def _languages() -> tuple[ModelLanguage, ...]:
    return tuple(language for wing in wings().values() for language in wing.languages)


def _load(file: Path) -> Wing:
    name = f"pysmpi.{file.parent.name}.wing"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    wing: Wing = module.WING
    return wing
