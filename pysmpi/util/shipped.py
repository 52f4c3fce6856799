"""Folders that come with pysmpi beside its code: applications, platforms, Aspen models, notebooks and calibrations."""

from pathlib import Path

__all__ = ["SHIPPED", "shipped"]

SHIPPED = ("apps", "calibration", "models", "notebook", "platforms")
"""Names of the folders."""

_INSTALLED = {"models": "aspen/models"}  # places in a wheel that have other names, because packages have these names


def shipped(name: str) -> Path:
    """Return the path of a folder that comes with pysmpi.

    A wheel installs the folder inside the package; in the sources of pysmpi it lies beside the package.

    Args:
        name: one of `SHIPPED`.
    """
    package = Path(__file__).resolve().parents[1]
    inside = package / _INSTALLED.get(name, name)
    return inside if inside.is_dir() else package.parent / name
