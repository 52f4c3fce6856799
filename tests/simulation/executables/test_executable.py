"""Files that cannot run in ranks are refused by name, with what to do instead."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pysmpi.errors import LaunchError
from pysmpi.simulation.executables.executable import Copies, Executable

Compile = Callable[..., Path]
Execute = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["-no-pie"], "it is not position-independent"),
        (["-c"], "it is an object file; link it to an executable"),
        (["-DALONE", "-static"], "it is linked statically"),
        (["-DALONE"], "it is linked with no MPI library: neither MPICH's"),
        (["-DTHREADED"], "it has thread-local variables (4 bytes"),
        (["-DLIBRARY", "-shared", "-fPIC"], "it is a library without a function main"),
    ],
)
def test_kinds_of_files(compiled: Compile, options: list[str], text: str) -> None:
    path = compiled("kinds.c", *options, command="cc" if "-DALONE" in options else None)
    with pytest.raises(LaunchError) as caught:
        Executable.read(path)
    assert f"cannot run {str(path)!r}: {text}" in str(caught.value)


def test_shared_library_with_main_and_thread_local_variables(compiled: Compile, execute: Execute) -> None:
    run = execute("-np", 3, compiled("kinds.c", "-DTHREADED", "-shared", "-fPIC"))
    assert sorted(run.stdout.splitlines()) == ["0 0", "1 1", "2 2"]


def test_missing_library(compiled: Compile, execute: Execute, tmp_path: Path) -> None:
    library = compiled("counter.c", "-shared", "-fPIC", output="libcounter.so")
    program = compiled("counting.c", f"-L{tmp_path}", "-lcounter")
    library.unlink()
    run = execute("-np", 1, program)
    assert run.stderr == (
        f"pysmpirun: error: cannot run {str(program)!r}: the library libcounter.so, which counting needs, is missing\n"
    )
    assert run.returncode == 2


def test_files_of_other_machines(tmp_path: Path, compiled: Compile) -> None:
    path = compiled("kinds.c")
    content = bytearray(path.read_bytes())
    content[18:20] = b"\x15\x00"
    path.write_bytes(content)
    with pytest.raises(LaunchError, match="it is for another kind of machine, PowerPC64"):
        Executable.read(path)
    path.write_bytes(b"MZ" + bytes(100))
    with pytest.raises(LaunchError, match="it is no executable of Linux"):
        Executable.read(path)


def test_text_file_with_zero_bytes(tmp_path: Path, execute: Execute) -> None:
    (tmp_path / "data").write_bytes(b"abc\0def")
    run = execute("-np", 1, "data")
    assert "cannot run 'data': it is neither a Python program nor an executable" in run.stderr


def test_undefined_function(compiled: Compile, execute: Execute, tmp_path: Path) -> None:
    compiled("counter.c", "-shared", "-fPIC", output="libcounter.so")
    program = compiled("counting.c", f"-L{tmp_path}", "-lcounter", f"-Wl,-rpath,{tmp_path}")
    compiled("counter.c", "-shared", "-fPIC", "-Dcount=renamed", output="libcounter.so")
    run = execute("-np", 2, program)
    assert run.stderr.startswith(f"pysmpirun: rank 0: cannot load {program}: undefined symbol: count")
    assert run.returncode == 1


def test_copies_of_simultaneous_simulations_are_apart(compiled: Compile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 100000)  # in ranks these are the same in each simulation
    monkeypatch.setattr(os, "urandom", bytes)
    executable = Executable.read(compiled("ends.c"))
    with Copies(executable).made() as first, Copies(executable).made() as second:
        assert not {path for path, _ in first} & {path for path, _ in second}
