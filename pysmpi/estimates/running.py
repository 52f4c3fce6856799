"""Run of a sequential program, which records from which values each value is computed."""

import ast
import contextlib
import ctypes
import io
import itertools
import linecache
import random
import re
import sys
import time
import traceback
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from pysmpi.estimates import dispatch  # noqa: F401  (it adds methods to traced arrays)
from pysmpi.estimates.creation import program_view
from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.recorder import Recorder
from pysmpi.estimates.traced import TracedArray, entering, leaves, plain

__all__ = ["Run", "run_program"]

_MEMORY_ATTRIBUTES = {"__array_interface__", "__array_struct__", "__cuda_array_interface__", "__dlpack__"}


@dataclass
class Run:
    """Recorded run of a program.

    Attributes:
        recorder: record of its values and of the statements that compute them.
        names: global variables of the program, by the number of the first element position of their array.
        data: arrays and numbers that the program left in its global variables.
        output: text that it printed.
        seconds: duration of the traced run in seconds.
    """

    recorder: Recorder
    names: dict[int, str]
    data: dict[str, Any]
    output: str
    seconds: float


def run_program(
    program: Path,
    arguments: Sequence[str],
    memory: float = float("inf"),
    probe: Collection[str] = (),
    echo: TextIO | None = None,
    *,
    allow_nothing: bool = False,
) -> Run:
    """Run a program with traced arrays, and return its record.

    Args:
        program: path of a Python file.
        arguments: its command-line arguments.
        memory: largest size of the record in bytes.
        probe: names of functions without a rule whose dependences are found by calls with NaN.
        echo: stream for the text that the program prints, or None for none.
        allow_nothing: whether a program that computes nothing with arrays is valid.

    Raises:
        EstimateError: the program cannot be read or followed, or ends with an exception.
    """
    recorder = Recorder(program, memory, probe)
    namespace: dict[str, Any] = {}
    begun = time.perf_counter()
    entering(recorder)
    try:
        with program_view():
            output = execute(program, arguments, namespace, echo)
        seconds = time.perf_counter() - begun
        names = {
            int(each.loc.reshape(-1)[0]): name
            for name, each in namespace.items()
            if type(each) is TracedArray and each.size
        }
        data = {name: plain(each) for name, each in namespace.items() if not name.startswith("__")}
    finally:
        entering(None)
    if not recorder.source and not allow_nothing:
        raise EstimateError(f"{program}: nothing was traced; the program computes nothing with NumPy arrays")
    return Run(recorder, names, data, output, seconds)


def execute(program: Path, arguments: Sequence[str], namespace: dict[str, Any], echo: TextIO | None) -> str:
    """Run a program as ``__main__`` in this process, and return the text that it printed.

    Args:
        program: path of a Python file.
        arguments: its command-line arguments.
        namespace: mapping that becomes the global variables of the program.
        echo: stream to which the printed text is copied after the run, or None.

    Raises:
        EstimateError: the program cannot be read, or ends with an exception or an exit status other than 0.
    """
    try:
        code = compile(program.read_bytes(), str(program), "exec")
    except OSError as error:
        raise EstimateError(f"{program}: cannot read the program: {error.strerror}") from None
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise EstimateError(f"{program}:{line}: not a Python program: {error}") from None
    namespace.update(__name__="__main__", __file__=str(program), __builtins__=__builtins__)
    before = sys.argv, list(sys.path), set(sys.modules)
    sys.argv = [str(program), *map(str, arguments)]
    sys.path.insert(0, str(program.resolve().parent))
    text = io.StringIO()
    try:
        with contextlib.redirect_stdout(text), _same_random_numbers():
            exec(code, namespace)
    except SystemExit as leave:
        if leave.code not in (None, 0):
            raise EstimateError(f"{_place(program, leave)}the program ended with exit status {leave.code}") from None
    except EstimateError:
        raise
    except Exception as error:
        inside = _cause(error)
        if inside is not None:
            raise inside from None
        if _asked_for_memory(error):
            raise leaves(_called(program, error), _place(program, error)) from None
        raise EstimateError(f"{_place(program, error)}the program failed: {type(error).__name__}: {error}") from error
    finally:
        sys.argv, sys.path[:] = before[0], before[1]
        own = str(program.resolve().parent)
        for name in set(sys.modules) - before[2]:  # modules of the program hold the traced view of NumPy
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(own):
                del sys.modules[name]
        if echo is not None:
            echo.write(text.getvalue())
    return text.getvalue()


@contextlib.contextmanager
def _same_random_numbers() -> Iterator[None]:
    """Let a program that sets no seed draw the same random numbers in each run."""
    states = np.random.get_state(), random.getstate()
    np.random.seed(0)
    random.seed(0)
    default_rng, seeds = np.random.default_rng, itertools.count()
    np.random.default_rng = lambda seed=None: default_rng(next(seeds) if seed is None else seed)
    try:
        yield
    finally:
        np.random.default_rng = default_rng
        np.random.set_state(states[0])
        random.setstate(states[1])


def _cause(error: BaseException | None) -> EstimateError | None:
    """Return the exception itself, or the first in its chain of causes, that is an EstimateError; None without one."""
    while error is not None:
        if isinstance(error, EstimateError):
            return error
        error = error.__cause__ or error.__context__
    return None


def _asked_for_memory(error: Exception) -> bool:
    """Return whether an error says that compiled code needed the memory of an array, but got a traced array."""
    if isinstance(error, AttributeError):
        return error.name in _MEMORY_ATTRIBUTES and isinstance(error.obj, TracedArray)
    text = str(error)
    refused = TracedArray.__name__ in text and not re.search("operand|not supported between|not (iter|call)able", text)
    return refused or isinstance(error, ctypes.ArgumentError)


def _called(program: Path, error: Exception) -> str:
    """Return the function that the program called when an error was raised, or the name of the error."""
    directory = str(program.resolve().parent)
    frames = [each for each in traceback.extract_tb(error.__traceback__) if _is_below(each.filename, directory)]
    if frames and frames[-1].line and frames[-1].colno is not None and frames[-1].lineno == frames[-1].end_lineno:
        line = linecache.getline(frames[-1].filename, frames[-1].lineno or 0).encode()
        try:
            found = ast.parse(line[frames[-1].colno : frames[-1].end_colno].decode(), mode="eval").body
        except SyntaxError:
            return type(error).__name__
        return ast.unparse(found.func if isinstance(found, ast.Call) else found)
    return type(error).__name__


def _is_below(file: str, directory: str) -> bool:
    return str(Path(file).resolve()).startswith(directory)


def _place(program: Path, error: BaseException) -> str:
    place = f"{program}: "
    trace = error.__traceback__
    directory = str(program.resolve().parent)
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if _is_below(file, directory):
            place = f"{file}:{trace.tb_lineno}: "
        trace = trace.tb_next
    return place
