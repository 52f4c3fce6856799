"""What the README shows is run: its programs, and its commands in their order."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[1]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
README = BLOCK.findall((ROOT / "README.md").read_text())
COMMANDS = [text for language, text in README if language == "sh"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with the README's programs, beside the clone's platforms and apps; pysmpirun and mpiexec on PATH."""
    path = tmp_path_factory.mktemp("readme")
    for name in ("platforms", "apps"):
        (path / name).symlink_to(ROOT / name)
    for language, text in README:
        if language == "python":
            (path / text.splitlines()[0].removeprefix("# ")).write_text(text)
    (path / "bin").mkdir()
    for name, module in (("pysmpirun", "run"), ("pysmpi", "main")):  # those under test, installed or a source tree
        command = path / "bin" / name
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m pysmpi.cli.{module} "$@"\n')
        command.chmod(0o755)
    return path


@pytest.mark.parametrize("commands", COMMANDS, ids=[text.splitlines()[0] for text in COMMANDS])
def test_commands(folder: pathlib.Path, commands: str) -> None:
    """Every command of the block succeeds."""
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
    """No snippet escapes: each block is a program, commands, or plain text."""
    assert {language for language, _ in README} <= {"python", "sh", "text"}
    assert COMMANDS


def test_every_make_target_exists() -> None:
    """The README names no target that the Makefile does not have."""
    targets = re.findall(r"`make (\w+)`", (ROOT / "README.md").read_text())
    makefile = (ROOT / "Makefile").read_text()
    assert targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
