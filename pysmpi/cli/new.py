"""pysmpi new: files to begin with."""

import importlib.resources
import os
from pathlib import Path

from pysmpi.cli.parser import Parser
from pysmpi.errors import LaunchError

__all__ = ["KINDS", "main"]

# By kind, the templates with the endings that they are written with.
KINDS: dict[str, tuple[str, ...]] = {
    "study": ("study.toml", "app.py"),
    "platform": ("platform.xml",),
    "app": ("app.py",),
}


def main(words: list[str]) -> int:
    """Runs ``pysmpi new`` and returns the exit status."""
    parser = Parser(
        prog="pysmpi new",
        description="Write commented files to begin with: a study with its program, a platform, or a program. They\n"
        "run as they are. Nothing is overwritten.",
    )
    parser.add_argument("kind", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("name", metavar="NAME", help="of the files, without an ending")
    arguments = parser.parse_args(words)
    target = Path(arguments.name)
    if target.name in ("", ".."):
        raise LaunchError(f"{arguments.name!r} is no name of files; valid is one such as {arguments.kind}s/first")
    files = {target.with_name(target.name + Path(each).suffix): each for each in KINDS[arguments.kind]}
    if not target.parent.is_dir():
        raise LaunchError(f"there is no folder {str(target.parent)!r} to write {target.name!r} to")
    for path in files:
        if os.path.lexists(path):
            raise LaunchError(f"{str(path)!r} is there already; choose another name")
    for path, template in files.items():
        text = (importlib.resources.files("pysmpi.cli") / "templates" / template).read_text(encoding="utf-8")
        try:
            with open(path, "x", encoding="utf-8") as file:
                file.write(text.replace("NAME", target.name))
        except OSError as error:
            raise LaunchError(f"cannot write {str(path)!r}: {error.strerror}") from None
        print(path)
    return 0
