"""Virtual environments of the corpus: one for each file of pinned requirements, made once."""

import functools
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

from corpus import sources

import pysmpi

__all__ = ["prepare", "unpack"]


def _run(name: str, *command: str | pathlib.Path, log: pathlib.Path) -> None:
    with log.open("ab") as output:
        if subprocess.run(command, stdout=output, stderr=output, check=False).returncode != 0:
            lines = log.read_text(errors="replace").splitlines()
            last = [line for line in lines if "ERROR" in line or "Error:" in line]
            raise OSError(f"{name} failed: {last[-1] if last else 'no message'}; see {log}")


def _pip(python: pathlib.Path, *words: str, log: pathlib.Path) -> None:
    _run(f"pip {words[0]}", python, "-m", "pip", "--disable-pip-version-check", *words, log=log)


@functools.cache
def prepare(requirements: pathlib.Path | None, build: pathlib.Path) -> pathlib.Path:
    """Return the interpreter of an environment, which is made first unless it exists with these requirements.

    The script beside the file of requirements, if there is one, compiles further packages. The running pysmpi is copied
    into the environment. Without requirements, the result is the running interpreter. Raises OSError if pip or the
    script fails.
    """
    if requirements is None:
        return pathlib.Path(sys.executable)
    folder = build / requirements.stem
    python = folder / "bin" / "python"
    mark = folder / "requirements.sha256"
    files = sources(requirements)
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    if not mark.is_file() or mark.read_text() != digest:
        shutil.rmtree(folder, ignore_errors=True)
        build.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        log = build / f"{requirements.stem}.log"
        _pip(python, "install", "--no-deps", "--requirement", str(requirements), log=log)
        for script in files[1:]:
            _run(script.name, script, folder, log=log)
        mark.write_text(digest)
    (site,) = folder.glob("lib/python3.*/site-packages")
    shutil.rmtree(site / "pysmpi", ignore_errors=True)
    shutil.copytree(pathlib.Path(pysmpi.__file__).parent, site / "pysmpi", ignore=shutil.ignore_patterns("__pycache__"))
    return python


def unpack(source: str, build: pathlib.Path) -> pathlib.Path:
    """Return the folder of an unpacked source archive, fetched from the package index if missing.

    Args:
        source: requirement, such as "mpi4py-fft==2.0.6".
        build: folder to work in.

    Raises:
        OSError: the archive cannot be fetched.
    """
    folder = build / "sources" / source
    if not folder.is_dir():
        fresh = build / "sources" / f"{source}.part"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        name = source.partition("==")[0]  # what its build needs may be binary
        words = ["download", "--no-deps", "--no-binary", name, "--dest", str(fresh), source]
        _pip(pathlib.Path(sys.executable), *words, log=build / "sources" / "pip.log")
        (archive,) = fresh.glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(fresh, filter="data")
        archive.unlink()
        os.replace(next(path for path in fresh.iterdir() if path.is_dir()), folder)
        shutil.rmtree(fresh)
    return folder
