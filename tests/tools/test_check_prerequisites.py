"""Tests of tools/check-prerequisites.sh, which names missing programs and the Debian packages that contain them."""

import os
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).parents[2] / "tools" / "check-prerequisites.sh"


def check(python: str = sys.executable, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script for this interpreter, with the given environment variables in addition."""
    return subprocess.run(
        ["/bin/sh", str(SCRIPT), python], capture_output=True, text=True, env={**os.environ, **environment}
    )


def fake_python(folder: pathlib.Path, body: str) -> str:
    """Create an executable that runs the shell lines `body` for `-c CODE`; CODE is in $2."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def test_passes_where_all_is_there() -> None:
    result = check()
    assert (result.returncode, result.stderr) == (0, "")


def test_no_compiler_names_the_package() -> None:
    result = check(CXX="no-such-compiler")
    assert result.returncode == 1
    assert "missing: a C++20 compiler (looked for: no-such-compiler)" in result.stderr
    assert "apt-get install g++" in result.stderr


def test_old_compiler_is_refused() -> None:
    result = check(CXX="false")
    assert result.returncode == 1
    assert "false does not" in result.stderr


def test_missing_headers_name_the_package(tmp_path: pathlib.Path) -> None:
    answers = f"case $2 in *version_info*) echo 3.12;; *include*) echo {tmp_path};; *) exit 0;; esac"
    result = check(fake_python(tmp_path, answers))
    assert result.returncode == 1
    assert f"Python's headers ({tmp_path}/Python.h)" in result.stderr
    assert "apt-get install python3.12-dev" in result.stderr


def test_missing_venv_names_the_package(tmp_path: pathlib.Path) -> None:
    (tmp_path / "Python.h").touch()
    answers = f"case $2 in *version_info*) echo 3.13;; *include*) echo {tmp_path};; *) exit 1;; esac"
    result = check(fake_python(tmp_path, answers))
    assert result.returncode == 1
    assert "apt-get install python3.13-venv" in result.stderr


def test_unsupported_interpreter_is_refused(tmp_path: pathlib.Path) -> None:
    """An interpreter other than 3.11 to 3.14 is refused with a remedy."""
    result = check(fake_python(tmp_path, "echo 3.9"))
    assert result.returncode == 1
    assert "is Python 3.9; CPython 3.11, 3.12, 3.13 and 3.14 are supported" in result.stderr


def test_absent_interpreter(tmp_path: pathlib.Path) -> None:
    result = check(str(tmp_path / "python3.99"))
    assert result.returncode == 1
    assert "python3.99" in result.stderr
