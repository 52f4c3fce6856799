"""Functions of Python that compute a study's points, instead of a program whose ranks are simulated."""

import ast
import importlib.util
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pysmpi.errors import PysmpiError, StudyError, unknown
from pysmpi.study.factor_levels import Value
from pysmpi.study.inputs import is_file
from pysmpi.util.traceback_text import summary_of

if TYPE_CHECKING:
    from pysmpi.simulation.instruments.outcome import Result
    from pysmpi.simulation.instruments.reports import Figure

__all__ = ["PointFunction", "call"]


@dataclass(frozen=True)
class PointFunction:
    """Python function that computes the points of a study. Its file is parsed here, but not executed.

    Attributes:
        path: the file.
        name: name of the function.
        required: names of the arguments without default values.
        optional: names of the arguments with default values.
    """

    path: Path
    name: str
    required: tuple[str, ...]
    optional: tuple[str, ...]

    @classmethod
    def find(cls, text: str, folder: Path) -> Self:
        """Return the function that a text of the form FILE.py:NAME names; the file is relative to the folder.

        Raises:
            StudyError: the text is malformed, the file cannot be read, or it has no function of this name.
        """
        file, _, name = text.rpartition(":")
        path = Path(folder, file)
        if not file.endswith(".py"):
            raise StudyError(f"{text!r} is not valid; write FILE.py:NAME, as in points.py:seconds")
        if not is_file(path):
            raise StudyError(f"file {str(path)!r} does not exist")
        try:
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError) as error:
            raise StudyError(f"cannot read {str(path)!r}: {error}") from None
        functions = {node.name: node.args for node in tree.body if isinstance(node, ast.FunctionDef)}
        if name not in functions:
            raise StudyError(f"{str(path)!r}: {unknown('function', name, functions)}")
        given = functions[name]
        names = [each.arg for each in given.args + given.kwonlyargs]
        defaults = [None] * (len(given.args) - len(given.defaults)) + given.defaults + given.kw_defaults
        required = [each for each, default in zip(names, defaults, strict=True) if default is None]
        return cls(path, name, tuple(required), tuple(each for each in names if each not in required))

    def check_name(self, parameter: str) -> None:
        """Check that a parameter of a study is an argument of the function, such as ``arguments.side``.

        Raises:
            StudyError: the function has no such argument; the message names the nearest one.
        """
        group, _, name = parameter.partition(".")
        if group != "arguments":
            raise StudyError(f"a function has no parameters but its arguments; write arguments.{parameter}")
        if name not in (valid := (*self.required, *self.optional)):
            raise StudyError(unknown("argument", name, valid))


def call(path: str, name: str, arguments: Mapping[str, Value]) -> "Result | dict[str, Figure]":
    """Call a study's function, and return what it returns: the result of a simulation, or numbers and texts by name.

    Entries of the dictionary that are None are left out.

    Args:
        path: the function's file, beside which it can import modules.
        name: name of the function.
        arguments: its arguments.

    Raises:
        StudyError: the function raises an exception, or returns neither a result nor such a dictionary.
    """
    from pysmpi.simulation.instruments.outcome import Result
    from pysmpi.simulation.instruments.reports import figure_of

    file = Path(path)
    sys.path.insert(0, str(file.parent))
    specification = importlib.util.spec_from_file_location(file.stem, file)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[file.stem] = module  # for modules beside it that import this one
    try:
        specification.loader.exec_module(module)
        returned = getattr(module, name)(**arguments)
    except (PysmpiError, SyntaxError, MemoryError):
        raise
    except Exception as error:
        frames = reversed(traceback.extract_tb(error.__traceback__))
        own = (f"{each.filename}:{each.lineno}" for each in frames if Path(each.filename).parent == file.parent)
        raise StudyError(f"{next(own, path)}: {summary_of(error)}") from error
    if isinstance(returned, Result):
        return returned
    try:
        return {key: figure_of(value) for key, value in returned.items() if value is not None}
    except (AttributeError, TypeError):
        raise StudyError(
            f"{path}: the function {name!r} returned {returned!r:.100}; return a dictionary of numbers and texts, or "
            "the result of pysmpi.simulate"
        ) from None
