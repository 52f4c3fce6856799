"""Run the programs and commands that the README and docs/ show, in their order."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[1]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = {page.name: BLOCK.findall(page.read_text()) for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]}
COMMANDS = [(page, text) for page, blocks in PAGES.items() for language, text in blocks if language == "sh"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pathlib.Path]:
    """By page, a folder with its programs, beside what the clone has; our commands and mpiexec on PATH."""
    return {page: _folder(tmp_path_factory.mktemp("page"), blocks) for page, blocks in PAGES.items()}


def _folder(path: pathlib.Path, blocks: list[tuple[str, str]]) -> pathlib.Path:
    for name in ("platforms", "apps", "benchmarks", "calibration", "models", "validation"):
        (path / name).symlink_to(ROOT / name)
    for language, text in blocks:
        if language in ("python", "c"):  # the first line names the file: "# pi.py", "/* ring.c */"
            (path / re.sub(r"^# |^/\* | \*/$", "", text.splitlines()[0])).write_text(text)
    (path / "bin").mkdir()
    # Those under test, installed or a source tree.
    # Tests run on busy machines, where a calibration is refused without --force.
    for name, module, more in (
        ("pysmpirun", "cli.run", ""),
        ("pysmpi", "cli.main", ""),
        ("pysmpi-calibrate", "calibrate.commands.main", " --force"),
    ):
        command = path / "bin" / name
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m pysmpi.{module} "$@"{more}\n')
        command.chmod(0o755)
    return path


@pytest.mark.parametrize(("page", "commands"), COMMANDS, ids=[text.splitlines()[0] for _, text in COMMANDS])
def test_commands(folders: dict[str, pathlib.Path], page: str, commands: str) -> None:
    """Every command of the block succeeds."""
    if "-m cProfile" in commands and sys.version_info >= (3, 12):
        pytest.skip("one cProfile a process since Python 3.12, as the page says")
    folder = folders[page]
    path = f"{folder}/bin:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    result = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_block_has_a_language() -> None:
    for page, blocks in PAGES.items():
        assert {language for language, _ in blocks} <= {"python", "c", "sh", "text"}, page
        assert all(text.startswith(("# ", "/* ")) for language, text in blocks if language in ("python", "c")), page
    assert COMMANDS


def test_every_make_target_exists() -> None:
    """The README names no target that the Makefile does not have."""
    targets = re.findall(r"`make (\w+)`", (ROOT / "README.md").read_text())
    makefile = (ROOT / "Makefile").read_text()
    assert targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
