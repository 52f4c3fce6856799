"""Folders that come with pysmpi beside its code: applications, platforms, Aspen models, notebooks and calibrations."""

from pathlib import Path

__all__ = ["SHIPPED", "shipped"]

SHIPPED = ("apps", "calibration", "models", "notebook", "platforms")
"""Names of the folders that come with pysmpi."""

_INSTALLED = {"models": "aspen/models"}  # folders that a wheel installs under another path in the package


def shipped(name: str) -> Path:
    """Return the path of a folder that comes with pysmpi.

    A wheel installs the folder inside the package; in the sources of pysmpi it lies beside the package.

    Args:
        name: one of `SHIPPED`.
    """
    package = Path(__file__).resolve().parents[1]
    inside = package / _INSTALLED.get(name, name)
    return inside if inside.is_dir() else package.parent / name
