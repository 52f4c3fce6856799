"""Draw the pictures of docs/ that are not stored: python tools/site_pictures.py FOLDER [PAGE …].

A page says in a paragraph which picture belongs there, which command draws it, and what it shows:

    *Picture `roof.svg`, drawn by `pysmpi aspen roofline … -o roof.svg`: two roofs with ceilings, and two kernels.*

Commands run in a folder that has the repository's folders and the page's programs. Pictures go to FOLDER/PAGE/NAME,
from where tools/site_pages.py takes them. Without PAGE, such as ``profile``, those of all pages are drawn.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
CAPTION = re.compile(r"^\*Picture `([^`]+)`, drawn by\s+`([^`]+)`:\s+([^*]+)\*$", re.MULTILINE)
"""Name of a picture, its command, and what it shows."""
PROGRAM = re.compile(r"^```python\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FOLDERS = ("apps", "models", "platforms", "tools", "validation")


def draw(page: pathlib.Path, folder: pathlib.Path) -> None:
    """Draw the pictures of a page into a folder; end if a command fails."""
    text = page.read_text()
    names: dict[str, list[str]] = {}
    for name, command, _ in CAPTION.findall(text):
        names.setdefault(" ".join(command.split()), []).append(name)
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        for each in FOLDERS:
            (place / each).symlink_to(ROOT / each)
        for name, program in PROGRAM.findall(text):
            (place / name).write_text(program)
        for command, drawn in names.items():
            print(f"{page.name}: {command}", flush=True)
            run(command, place)
            for name in drawn:
                target = folder / page.stem / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(place / name, target)


def run(command: str, place: pathlib.Path) -> None:
    """Run a command in a folder, with the commands of this environment on PATH; end if it fails."""
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(
        ["bash", "-c", command], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"site_pictures.py: {command}: status {done.returncode}\n{done.stdout}{done.stderr}")


def main() -> None:
    """Draw the pictures of the pages that the command line names."""
    if len(sys.argv) == 1:
        sys.exit("site_pictures.py: FOLDER is required: where the pictures go, such as build/pictures")
    folder, pages = pathlib.Path(sys.argv[1]), sys.argv[2:]
    for page in sorted((ROOT / "docs").glob("*.md")):
        if not pages or page.stem in pages:
            draw(page, folder)


if __name__ == "__main__":
    main()
