"""Tests of docs/functions.md, generated from the sources."""

import pathlib
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

import pysmpi.native

ROOT = pathlib.Path(__file__).parents[2]
TOOL = ROOT / "tools" / "mpi_functions.py"
LIBRARY = pathlib.Path(pysmpi.native.__file__).parent / "libmpi.so.12"


@pytest.fixture(scope="module")
def tool(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    """Return the tool as a module."""
    return load_tool("mpi_functions")


def test_the_page_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)


def test_what_it_says_of_each_function(tool: ModuleType) -> None:
    """Functions defined by the built library are native; those registered behind a weak definition are Python.

    If only one of a function and its large-count form is native, it calls the other or is called by it.
    """
    listed = subprocess.check_output(["nm", "-D", "--defined-only", str(LIBRARY)], text=True)
    symbols = {line.split()[2].partition("@")[0]: line.split()[1] for line in listed.splitlines()}
    places = tool.definitions()
    for name in tool.prototypes():
        if name.endswith("_c") and name.removesuffix("_c") in places:
            continue  # told with the other
        place = places.get(name, "unsupported")
        kinds = {symbols[f"MPI_{name}"], symbols.get(f"MPI_{name}_c", symbols[f"MPI_{name}"])}
        python = "pysmpi/simulation/mpi/"
        expected = {"T": "pysmpi/native/mpi/", "W": (python, "unsupported"), "TW": ("pysmpi/native/mpi/", python)}
        assert place.startswith(expected["".join(sorted(kinds))]), name


def test_every_function_has_a_row(tool: ModuleType) -> None:
    rows = [line.split()[1].strip(",") for line in tool.page().splitlines() if line.startswith("| MPI_")]
    names = {f"MPI_{name}" for name in tool.prototypes()}
    assert len(rows) == len(set(rows))
    assert set(rows) == {
        name for name in names if name.removesuffix("_c") == name or name.removesuffix("_c") not in names
    }
    assert {"MPI_Send", "MPI_Comm_spawn", "MPI_File_write_all_begin", "MPI_Rget_accumulate", "MPI_Pcontrol"} <= set(
        rows
    )
