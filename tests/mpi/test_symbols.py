"""The library's symbols are those that mpi4py's MPICH module binds to."""

import importlib.util
import pathlib
import re
import subprocess

import pysmpi.native

LIBRARY = pathlib.Path(pysmpi.native.__file__).parent / "libmpi.so.12"
SYMBOL = re.compile(r"^\S*\s+(\w) (\w+)(?:@.*)?$", re.M)


def symbols(path: pathlib.Path, which: str) -> list[tuple[str, str]]:
    """Return kind and name of the dynamic symbols of a library."""
    text = subprocess.check_output(["nm", "-D", which, str(path)], text=True)
    return SYMBOL.findall(text)


def mpi4py_extension() -> pathlib.Path:
    """Return mpi4py's extension for MPICH's ABI."""
    spec = importlib.util.find_spec("mpi4py")
    assert spec is not None
    assert spec.origin is not None
    return next(pathlib.Path(spec.origin).parent.glob("MPI.mpich.*.so"))


def test_every_strong_symbol_exists() -> None:
    """A missing strong symbol would make the import fail."""
    needed = {name for kind, name in symbols(mpi4py_extension(), "--undefined-only") if kind == "U" and "MPI_" in name}
    defined = {name for _, name in symbols(LIBRARY, "--defined-only")}
    assert len(needed) == 339
    assert needed - defined == set()


def test_only_mpi_names_are_exported() -> None:
    """Other symbols could clash with those of other libraries in the process.

    MPICH's mpi.h names MPIR_Dup_fn, and SMPI's smpi.h smpi_…. Our libraries with other ABIs call pysmpi_MPI_….
    """
    expected = re.compile("(P|pysmpi_)?MPIX?_|MPIR_Dup_fn$|smpi_")
    foreign = [name for _, name in symbols(LIBRARY, "--defined-only") if not expected.match(name)]
    assert foreign == []


def test_large_count_forms_are_not_for_nothing() -> None:
    """mpi4py prefers large-count forms; each must be implemented and have an exported plain form."""
    defined = {name for _, name in symbols(LIBRARY, "--defined-only")}
    assert {name for name in defined if name.endswith("_c") and name.removesuffix("_c") not in defined} == set()


def test_every_function_has_its_second_name() -> None:
    """A profiling library defines MPI_Send and calls PMPI_Send."""
    text = subprocess.check_output(["nm", "-D", "--defined-only", str(LIBRARY)], text=True)
    address = {line.split()[2].partition("@")[0]: line.split()[0] for line in text.splitlines()}
    functions = {name for kind, name in symbols(LIBRARY, "--defined-only") if kind in "TW" and name.startswith("MPI_")}
    assert len(functions) > 600
    assert {name for name in functions if address.get(f"P{name}") != address[name]} == set()
