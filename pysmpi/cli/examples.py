"""Command ``pysmpi examples``: write the examples that come with pysmpi."""

import shutil

from pysmpi.errors import LaunchError
from pysmpi.util.commands.parser import Parser

__all__ = ["main"]

_ABOUT = {
    "notebook": "first steps, and a capacity study of Linpack; open one with 'jupyter lab'",
    "apps": "programs for mpi4py: Linpack, Jacobi, matrix product, STREAM, transpositions and halos of weather models",
    "platforms": "machines to simulate, also known by name: pysmpirun --platform fattree",
    "models": "Aspen models of applications and machines, for pysmpi aspen",
    "calibration": "calibrations of two machines, which the notebooks use",
}
_LEFT_OUT = ("__pycache__", "*.pyc", ".ipynb_checkpoints")


def main(words: list[str]) -> int:
    """Run ``pysmpi examples`` and return the exit status."""
    parser = Parser(
        prog="pysmpi examples",
        description="Write the notebooks, applications, platforms, models and calibrations that come with pysmpi into\n"
        "a new folder. They run there as they are. Nothing is overwritten.",
    )
    parser.add_argument("folder", metavar="DIR", help="the folder, which must not exist or must be empty")
    arguments = parser.parse_args(words)
    from pysmpi.util.new_directory import NewDirectory
    from pysmpi.util.shipped import shipped

    target = NewDirectory(arguments.folder, "pysmpi examples")
    try:
        for name in _ABOUT:
            shutil.copytree(shipped(name), target.partial / name, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        target.keep()
    except OSError as error:
        raise LaunchError(f"pysmpi examples {arguments.folder}: cannot write: {error}") from None
    finally:
        target.discard()
    width = max(map(len, _ABOUT)) + 2
    print(
        "\n".join(
            f"{target.target / name!s:{len(str(target.target)) + width}} {about}" for name, about in _ABOUT.items()
        )
    )
    return 0
