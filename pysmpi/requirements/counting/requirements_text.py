"""Text of a run's requirements: a table for people, and a file of JSON."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from pysmpi.errors import LaunchError
from pysmpi.requirements.counting.requirements import Amounts, Requirements
from pysmpi.util.columns import aligned
from pysmpi.util.whole_file import write_whole

__all__ = ["requirements_lines", "write_requirements"]

_LEAST_UNSEEN = 0.001  # part of the ranks' time without counted operations above which a line is printed


def requirements_lines(requirements: Requirements) -> list[str]:
    """Return the lines of a table with a line for each kind of communication and metric."""
    head = ["requirement", "kind", "mean", "max", "sum"]
    rows = [*_rows("all", requirements)]
    for kind, amounts in requirements.kinds.items():
        rows += _rows(kind, amounts)
    noun = "rank" if requirements.ranks == 1 else "ranks"
    lines = [
        f"requirements of {requirements.ranks} {noun}",
        *(f"  {line}" for line in aligned([head, *rows], right={2, 3, 4})),
    ]
    if requirements.unseen > _LEAST_UNSEEN:
        lines.append(
            f"  {100 * requirements.unseen:.1f} % of the ranks' time was measured in code in which nothing was counted"
        )
    return lines


def write_requirements(requirements: Requirements, path: str | os.PathLike[str]) -> None:
    """Write all amounts to a file, as JSON.

    Raises:
        LaunchError: the file cannot be written.
    """
    try:
        write_whole(Path(path), f"{json.dumps(requirements.to_json())}\n".encode())
    except OSError as error:
        raise LaunchError(f"{path}: cannot write the requirements: {error.strerror}") from None


def _rows(kind: str, amounts: Amounts) -> Iterator[list[str]]:
    mean, largest, total = amounts.mean, amounts.max, amounts.sum
    for metric in amounts.by_rank:
        if total[metric] or kind == "all":
            yield [metric, kind, *(f"{each[metric]:,.10g}" for each in (mean, largest, total))]
