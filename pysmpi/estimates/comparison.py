"""Comparison of a traced run with an untraced one: both must print the same and leave the same arrays."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pysmpi.estimates.errors import EstimateError
from pysmpi.estimates.running import Run, execute

__all__ = ["differences", "untraced"]


def untraced(program: Path, arguments: Sequence[str]) -> tuple[str, dict[str, Any], float]:
    """Run a program without recording how its values depend on each other.

    Returns:
        The text that it printed, its global variables, and the seconds that it took.
    """
    namespace: dict[str, Any] = {}
    begun = time.perf_counter()
    output = execute(program, arguments, namespace, None)
    return output, namespace, time.perf_counter() - begun


def differences(program: Path, arguments: Sequence[str], run: Run) -> list[str]:
    """Run a program without tracing, and return how its results differ from those of a traced run.

    Args:
        program: path of the program.
        arguments: its command-line arguments.
        run: the traced run.

    Returns:
        A sentence for each difference; an empty list if both print the same and leave the same arrays, to the bit.

    Raises:
        EstimateError: the program fails without tracing, or the traced program lacks one of its variables.
    """
    output, namespace, _ = untraced(program, arguments)
    found = []
    if output != run.output:
        lines = zip(output.splitlines(), run.output.splitlines(), strict=False)
        number, pair = next(((i, each) for i, each in enumerate(lines, 1) if each[0] != each[1]), (0, ("", "")))
        found.append(
            f"the traced program prints something else in line {number}: {pair[1]!r} instead of {pair[0]!r}"
            if number
            else "the traced program prints another number of lines, or other line ends"
        )
    for name, value in namespace.items():
        if isinstance(value, np.ndarray | np.generic):
            if name not in run.data:
                raise EstimateError(
                    f"{program}: variable {name!r} exists after a run without tracing, but not after the traced run, "
                    "so the runs cannot be compared"
                )
            other = np.asarray(run.data[name])
            if other.dtype != value.dtype or other.shape != value.shape or other.tobytes() != value.tobytes():
                found.append(f"variable {name!r} differs")
    return found
