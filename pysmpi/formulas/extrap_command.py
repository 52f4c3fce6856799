"""Models found by Extra-P's own command, for comparison with those that pysmpi finds."""

import math
import shutil
import subprocess
from pathlib import Path

from pysmpi.errors import ModelError

__all__ = ["run_extrap"]

_SEPARATOR = "<|>"


def run_extrap(path: Path, metric: str | None = None) -> list[tuple[str, str, str, float]]:
    """Run ``extrap`` on measurements in its JSON format.

    Args:
        path: file of measurements.
        metric: the only metric to return, or None for all.

    Returns:
        Call path, metric, formula and relative error (SMAPE over all points) of each model.

    Raises:
        ModelError: Extra-P is not installed or does not succeed.
    """
    command = shutil.which("extrap")
    if command is None:
        raise ModelError("Extra-P's command 'extrap' is not installed; use --engine pysmpi, or pip install extrap")
    shown = _SEPARATOR.join(["", "{callpath}", "{metric}", "{model:python}", "{smape}"])
    done = subprocess.run(
        [command, "--json", str(path), "--print", shown], capture_output=True, text=True, check=False, timeout=600
    )
    if done.returncode != 0:
        reason = (done.stderr.strip() or done.stdout.strip()).splitlines() or ["no message"]
        raise ModelError(f"extrap failed with status {done.returncode}: {reason[-1]}")
    found = []
    for line in done.stdout.splitlines():
        _, *parts = line.split(_SEPARATOR)
        if len(parts) == 4 and metric in (None, parts[1]):
            found.append((parts[0], parts[1], parts[2].strip(), _share(parts[3])))
    if not found:
        raise ModelError("extrap has printed no models")
    return found


def _share(percentage: str) -> float:
    try:
        return float(percentage) / 100
    except ValueError:
        return math.inf
