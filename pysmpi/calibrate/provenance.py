"""Provenance of measurements: machine, libraries, versions, date and options."""

import datetime
import importlib.metadata
import os
import platform
import socket
from pathlib import Path

from pysmpi.native import lib
from pysmpi.util.quantities import counted

__all__ = ["LOAD", "machine_text", "provenance"]

LOAD = "load when it began"
"""Key of the load averages of the last 1, 5 and 15 minutes before the measurements."""

_PACKAGES = ("pysmpi", "numpy", "scipy", "mpi4py")


def machine_text() -> str:
    """Return a text with the processor's name and the number of cores available to this process."""
    return f"{_processor()}, {counted(len(os.sched_getaffinity(0)), 'core')}"


def provenance(part: str, options: str, **more: str) -> dict[str, str]:
    """Return the provenance that a table of measurements starts with.

    Args:
        part: name of the kind of measurement, such as blas or network.
        options: options that determine the measurements.
        more: further facts, such as the measured library.
    """
    return {
        "part": part,
        "host": socket.gethostname(),
        "machine": machine_text(),
        "system": platform.platform(),
        "date": datetime.date.today().isoformat(),
        "versions": ", ".join(
            [f"Python {platform.python_version()}", *(f"{name} {_version(name)}" for name in _PACKAGES)]
        ),
        "options": options,
        # The load of this machine does not change measurements in a simulation.
        **({} if lib.pysmpi_running_rank() >= 0 else {LOAD: " ".join(f"{load:.2f}" for load in os.getloadavg())}),
        **more,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        key, _, value = line.partition(":")
        if key.strip() in {"model name", "Model", "cpu model"} and value.strip():
            return value.strip()
    return platform.processor() or platform.machine()


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
