"""tools/check-prerequisites.sh names what is missing and the Debian package that brings it."""

import os
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).parents[2] / "tools" / "check-prerequisites.sh"


def check(python: str = sys.executable, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script for this interpreter, with the given environment variables on top."""
    return subprocess.run(
        ["/bin/sh", str(SCRIPT), python], capture_output=True, text=True, env={**os.environ, **environment}
    )


def fake_python(folder: pathlib.Path, body: str) -> str:
    """An executable that answers `-c CODE` as the shell lines in `body` say; CODE is in $2."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return str(path)


def test_passes_where_all_is_there() -> None:
    """The machine that runs the tests has built pysmpi, so nothing is missing and nothing is said."""
    result = check()
    assert (result.returncode, result.stderr) == (0, "")


def test_no_compiler_names_the_package() -> None:
    """Without a C++ compiler the script fails and names Debian's g++."""
    result = check(CXX="no-such-compiler")
    assert result.returncode == 1
    assert "missing: a C++20 compiler (looked for: no-such-compiler)" in result.stderr
    assert "apt-get install g++" in result.stderr


def test_old_compiler_is_refused() -> None:
    """A compiler that rejects C++20 is as good as none."""
    result = check(CXX="false")
    assert result.returncode == 1
    assert "false does not" in result.stderr


def test_missing_headers_name_the_package(tmp_path: pathlib.Path) -> None:
    """Without Python.h the script names the interpreter's own -dev package."""
    answers = f"case $2 in *version_info*) echo 3.12;; *include*) echo {tmp_path};; *) exit 0;; esac"
    result = check(fake_python(tmp_path, answers))
    assert result.returncode == 1
    assert f"Python's headers ({tmp_path}/Python.h)" in result.stderr
    assert "apt-get install python3.12-dev" in result.stderr


def test_missing_venv_names_the_package(tmp_path: pathlib.Path) -> None:
    """Debian splits venv off the interpreter."""
    (tmp_path / "Python.h").touch()
    answers = f"case $2 in *version_info*) echo 3.13;; *include*) echo {tmp_path};; *) exit 1;; esac"
    result = check(fake_python(tmp_path, answers))
    assert result.returncode == 1
    assert "apt-get install python3.13-venv" in result.stderr


def test_unsupported_interpreter_is_refused(tmp_path: pathlib.Path) -> None:
    """An interpreter outside 3.11 to 3.14 is refused with a way out."""
    result = check(fake_python(tmp_path, "echo 3.9"))
    assert result.returncode == 1
    assert "is Python 3.9; CPython 3.11, 3.12, 3.13 and 3.14 are supported" in result.stderr


def test_absent_interpreter(tmp_path: pathlib.Path) -> None:
    """An interpreter that is not there is named."""
    result = check(str(tmp_path / "python3.99"))
    assert result.returncode == 1
    assert "python3.99" in result.stderr
