"""Contents of an installed pysmpi: native libraries that find each other, and no native sources."""

import importlib.metadata
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import pysmpi.native

FOLDER = pathlib.Path(pysmpi.native.__file__).parent
LIBRARIES = [r"libpysmpi_engine\.so", r"libmpi\.so\.12", r"_native\..*\.so"]


@pytest.mark.parametrize("pattern", LIBRARIES)
def test_libraries_lie_beside_each_other(pattern: str) -> None:
    """Each native library is in pysmpi/native, and looks for the others in its own folder."""
    (library,) = [path for path in FOLDER.iterdir() if re.fullmatch(pattern, path.name)]
    readelf = shutil.which("readelf")
    if readelf is None:
        pytest.skip("no readelf here")
    dynamic = subprocess.run([readelf, "-d", str(library)], capture_output=True, text=True, check=True).stdout
    assert re.search(r"\((RUNPATH|RPATH)\).*\[\$ORIGIN\]", dynamic)
    if pattern != LIBRARIES[0]:
        assert re.search(r"\(NEEDED\).*\[libpysmpi_engine\.so\]", dynamic)


def test_wheel_carries_no_native_sources() -> None:
    """The installed package has the libraries and the commands, but nothing that only a compiler needs."""
    try:
        distribution = importlib.metadata.distribution("pysmpi")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("run from a source tree")
    names = [str(path) for path in distribution.files or []]
    for pattern in LIBRARIES:
        assert any(re.fullmatch(f"pysmpi/native/{pattern}", name) for name in names)
    sources = [name for name in names if name.endswith((".cpp", ".hpp", ".h"))]
    assert [name for name in sources if not name.startswith("pysmpi/include/")] == []
    assert "pysmpi/include/mpi.h" in sources  # for pysmpicc
    assert not [name for name in names if re.match(r"pysmpi/native/.+/.+\.(py|json)$", name)]
    for name in ("apps/hpl/hpl.py", "notebook/first_steps.ipynb", "platforms/fattree.xml"):
        assert f"pysmpi/{name}" in names
    assert {"pysmpi", "pysmpi-calibrate", "pysmpirun"} <= {entry.name for entry in distribution.entry_points}


@pytest.mark.parametrize(
    "words", [["-c", "import pysmpi.native; print(pysmpi.native.__file__)"], ["-m", "pysmpi.cli.main", "--version"]]
)
def test_a_source_tree_gives_way_to_the_installation(tmp_path: pathlib.Path, words: list[str]) -> None:
    """Python that is started in a source tree imports the installed package."""
    try:
        importlib.metadata.distribution("pysmpi")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("pysmpi is not installed")
    source = FOLDER.parent
    (tmp_path / "pysmpi").mkdir()
    for name in ("__init__.py", "source_tree.py"):
        shutil.copy(source / name, tmp_path / "pysmpi" / name)
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(("pysmpi ", str(FOLDER)))


def test_a_source_tree_without_installation_is_named(tmp_path: pathlib.Path) -> None:
    (tmp_path / "pysmpi").mkdir()
    for name in ("__init__.py", "source_tree.py"):
        shutil.copy(FOLDER.parent / name, tmp_path / "pysmpi" / name)
    done = subprocess.run([sys.executable, "-S", "-c", "import pysmpi"], cwd=tmp_path, capture_output=True, text=True,
                          check=False, env={})  # fmt: skip
    assert "pysmpi is the source tree of pysmpi, which has no native libraries; install it" in done.stderr


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake here")
@pytest.mark.parametrize(
    ("variable", "message"),
    [
        (
            "CMAKE_SYSTEM_NAME=Darwin",
            "pysmpi runs on Linux, and this is Darwin: use WSL on Windows, and a container or",
        ),
        ("CMAKE_SYSTEM_PROCESSOR=riscv64", "pysmpi runs on x86-64 and aarch64, and this processor is riscv64"),
    ],
)
def test_unsupported_platforms(variable: str, message: str, tmp_path: pathlib.Path) -> None:
    """Configuration ends with a message that names the platform and the page on installation."""
    root = pathlib.Path(__file__).resolve().parents[1]
    variables = ["-DCMAKE_SYSTEM_NAME=Linux", f"-D{variable}"]
    run = subprocess.run(
        ["cmake", "-S", str(root), "-B", str(tmp_path), *variables], capture_output=True, text=True, check=False
    )
    assert run.returncode != 0
    said = " ".join(run.stderr.split())
    assert message in said
    assert "docs/installation.md" in said
