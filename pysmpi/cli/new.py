"""Command ``pysmpi new``: write files to start from."""

import importlib.resources
import os
from pathlib import Path

from pysmpi.errors import LaunchError
from pysmpi.util.commands.parser import Parser

__all__ = ["KINDS", "main"]

# Templates for each kind of file; a new file gets the suffix of its template.
KINDS: dict[str, tuple[str, ...]] = {
    "study": ("study.toml", "app.py"),
    "platform": ("platform.xml",),
    "app": ("app.py",),
}


def main(words: list[str]) -> int:
    """Run ``pysmpi new`` and return the exit status."""
    parser = Parser(
        prog="pysmpi new",
        description="Write commented files to start from: a study with its program, a platform, or a program. They\n"
        "run as they are. Nothing is overwritten.",
    )
    parser.add_argument("kind", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("name", metavar="NAME", help="name of the files, without an ending")
    arguments = parser.parse_args(words)
    target = Path(arguments.name)
    if target.name in ("", ".."):
        raise LaunchError(f"{arguments.name!r} is not a valid file name; use a name such as {arguments.kind}s/first")
    files = {target.with_name(target.name + Path(each).suffix): each for each in KINDS[arguments.kind]}
    if not target.parent.is_dir():
        raise LaunchError(f"cannot write {target.name!r}: the folder {str(target.parent)!r} does not exist")
    for path in files:
        if os.path.lexists(path):
            raise LaunchError(f"{str(path)!r} already exists; choose another name")
    for path, template in files.items():
        text = (importlib.resources.files("pysmpi.cli") / "templates" / template).read_text(encoding="utf-8")
        try:
            with open(path, "x", encoding="utf-8") as file:
                file.write(text.replace("NAME", target.name))
        except OSError as error:
            raise LaunchError(f"cannot write {str(path)!r}: {error.strerror}") from None
        print(path)
    return 0
