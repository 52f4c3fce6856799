"""Variables of C libraries that the user names: each rank has its own, as each process has."""

import _ctypes
import ctypes
import gc
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pysmpi
from pysmpi.errors import NativeCodeError

HERE = pathlib.Path(__file__).parent
HEADER = HERE.parents[2] / "pysmpi" / "native" / "mpi"
FIRST = 7 + 1 + 10  # sum() of a library that has just been loaded

Build = Callable[..., str]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Function that compiles library_variables.c into a new library, which no test has loaded yet."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")

    def compiled(name: str, *options: str) -> str:
        library = tmp_path_factory.mktemp("libraries") / f"lib{name}.so"
        source = HERE / "library_variables.c"
        subprocess.run([compiler, "-shared", "-fPIC", f"-I{HEADER}", "-o", library, source, *options], check=True)
        return str(library)

    return compiled


def simulate(program: Callable[..., Any], ranks: int, *names: str, arguments: tuple[Any, ...] = ()) -> list[Any]:
    """Return the values of ranks that have their own variables of the named libraries."""
    return pysmpi.simulate(program, np=ranks, platform=f"flat:{ranks}", args=arguments, private_libs=list(names)).values


@pytest.mark.parametrize("ranks", [1, 3, 80])
def test_each_rank_has_its_own(MPI: ModuleType, build: Build, ranks: int) -> None:
    """Data, zeros, a variable in a function, values that a constructor has set, and a pointer to the heap."""
    path = build("own")

    def program() -> list[int]:
        rank, world = MPI.COMM_WORLD.rank, MPI.COMM_WORLD
        if rank % 2 == 0:
            world.Barrier()
        library = ctypes.CDLL(path)  # all ranks with odd numbers have used it before those with even numbers
        values = [library.sum()]
        library.assign(rank)
        if rank % 2 == 1:
            world.Barrier()
        world.Barrier()
        return [*values, library.sum()]

    assert simulate(program, ranks, "own.so") == [[FIRST, 6 * rank] for rank in range(ranks)]


def test_a_library_that_is_loaded_before_the_ranks(MPI: ModuleType, build: Build) -> None:
    """Ranks begin with its values, which remain as they are. Another simulation begins with them again."""
    library = ctypes.CDLL(build("before"))
    initialised = ctypes.c_int.in_dll(library, "initialised")
    initialised.value = 100

    def program() -> list[int]:
        values = [library.sum()]
        library.assign(MPI.COMM_WORLD.rank)
        MPI.COMM_WORLD.Barrier()
        return [*values, library.sum()]

    for _ in range(2):
        assert simulate(program, 3, "before") == [[111, 6 * rank] for rank in range(3)]
        assert library.sum() == 111
    initialised.value = 0
    assert library.sum() == 11


def test_libraries_of_some_ranks(MPI: ModuleType, build: Build) -> None:
    """Two libraries, one of which only one rank loads and unloads, and one that is not named."""
    named, other, shared = build("named"), build("namedtoo"), build("unnamed")

    def program() -> list[int]:
        rank, world = MPI.COMM_WORLD.rank, MPI.COMM_WORLD
        libraries = [ctypes.CDLL(path) for path in (named, shared)]
        if rank == 1:
            libraries.append(ctypes.CDLL(other))
        world.Barrier()
        for library in libraries:
            library.assign(rank)
        world.Barrier()
        values = [library.sum() for library in libraries]
        if rank == 1:
            _ctypes.dlclose(libraries[2]._handle)
        world.Barrier()
        return values

    values = simulate(program, 3, "libnamed")
    assert [own[0] for own in values] == [0, 6, 12]
    assert len({own[1] for own in values}) == 1
    assert values[1][2] == 6


def test_messages_from_and_to_its_variables(MPI: ModuleType, build: Build) -> None:
    """While a rank waits, the addresses of its buffers, requests, statuses and counts lead to another rank's data."""
    path, size = build("passing"), 4

    def program() -> list[int]:
        library, rank = ctypes.CDLL(path), MPI.COMM_WORLD.rank
        found = [library.pass_again(rank, size) for _ in range(2)]
        return [library.pass_on(rank, size), *found, library.reduce(rank, size), library.gather(rank, size)]

    sums = sum(range(size))
    assert simulate(program, size, "passing") == [
        [(rank - 1) % size, 4, 4, size * sums, 2 * sums] for rank in range(size)
    ]


def test_functions_that_mpi_calls(MPI: ModuleType, build: Build) -> None:
    path = build("callbacks")

    def program() -> int:
        return int(ctypes.CDLL(path).attribute(MPI.COMM_WORLD.rank))

    assert simulate(program, 4, "callbacks") == [0, 1, 2, 3]


def test_functions_that_are_called_at_the_end(MPI: ModuleType, build: Build) -> None:
    """Each rank calls those that it has registered, with its own variables."""
    path, total = build("ending"), ctypes.c_int(0)

    def program() -> int:
        library = ctypes.CDLL(path)
        library.assign(10**MPI.COMM_WORLD.rank)
        library.add_at_end(ctypes.byref(total))
        MPI.COMM_WORLD.Barrier()
        return total.value

    assert simulate(program, 3, "ending")[0] == 0
    assert total.value == 111


def test_a_child_process(MPI: ModuleType, build: Build) -> None:
    """A child process of a rank has a copy of the rank's variables."""
    path = build("forked")

    def program() -> list[int]:
        library, rank = ctypes.CDLL(path), MPI.COMM_WORLD.rank
        library.assign(rank)
        child = os.fork()
        if child == 0:
            before = library.sum()
            library.assign(10 * rank)
            os._exit(before + library.sum())
        MPI.COMM_WORLD.Barrier()
        _, status = os.waitpid(child, 0)
        return [os.waitstatus_to_exitcode(status), library.sum()]

    assert simulate(program, 3, "forked") == [[66 * rank, 6 * rank] for rank in range(3)]


def test_libraries_that_call_such_a_library(
    MPI: ModuleType, build: Build, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Variables of such libraries may contain its handles."""
    called = pathlib.Path(build("called"))
    folder = called.parent
    path = build("calling", f"-L{folder}", f"-Wl,--no-as-needed,-rpath,{folder}", "-lcalled")

    def program() -> list[int]:
        rank, libraries = MPI.COMM_WORLD.rank, [ctypes.CDLL(path), ctypes.CDLL(str(called))]
        for library in libraries:
            library.assign(rank)
        MPI.COMM_WORLD.Barrier()
        return [library.sum() for library in libraries]

    assert simulate(program, 3, "called") == [[6 * rank] * 2 for rank in range(3)]


def test_a_known_library(MPI: ModuleType, build: Build) -> None:
    path = build("petsc_own")

    def program() -> int:
        library = ctypes.CDLL(path)
        library.assign(MPI.COMM_WORLD.rank)
        MPI.COMM_WORLD.Barrier()
        return int(library.sum())

    assert simulate(program, 3) == [0, 6, 12]


def test_a_library_with_a_thread(MPI: ModuleType, build: Build) -> None:
    path = build("threads", "-DTHREADS", "-pthread")

    def program() -> None:
        ctypes.CDLL(path)
        MPI.COMM_WORLD.Barrier()

    with pytest.raises(
        NativeCodeError, match=r"libthreads.so: ranks cannot have their own variables .* starts threads"
    ):
        simulate(program, 2, "threads")
    simulate(program, 2)


def test_a_library_whose_constructor_allocates_memory(MPI: ModuleType, build: Build) -> None:
    """All ranks would share the memory. Copies of the library have their own."""
    path = build("allocating", "-DHEAP")

    def program() -> list[int]:
        library, rank = ctypes.CDLL(path), MPI.COMM_WORLD.rank
        values = [library.add_to_made(rank)]
        library.assign(rank)
        MPI.COMM_WORLD.Barrier()
        return [*values, library.add_to_made(rank), library.sum()]

    with pytest.raises(
        NativeCodeError, match=r"liballocating.so: .* allocated .* --private-libs liballocating.so=copy"
    ):
        simulate(program, 2, "allocating")
    assert simulate(program, 3, "allocating=copy") == [[rank, 2 * rank, 6 * rank] for rank in range(3)]


def test_copies(MPI: ModuleType, build: Build) -> None:
    """Each rank loads a copy, and loads it once. Messages may lie in its variables."""
    path = build("copied", "-DTHREADS", "-pthread")

    def program() -> list[int]:
        rank = MPI.COMM_WORLD.rank
        libraries = [ctypes.CDLL(path), ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)]
        values = [libraries[0].sum()]
        libraries[0].assign(rank)
        MPI.COMM_WORLD.Barrier()
        return [*values, libraries[1].sum(), libraries[1].pass_on(rank, MPI.COMM_WORLD.size)]

    assert simulate(program, 3, "copied=copy") == [[FIRST, 6 * rank, (rank - 1) % 3] for rank in range(3)]


@pytest.fixture
def compiled(tmp_path: pathlib.Path) -> Build:
    """Function that compiles C or C++ code into a library."""

    def build(name: str, source: str, *options: str, language: str = "c") -> str:
        library = tmp_path / f"lib{name}.so"
        command = ["c++" if language == "c++" else "cc", "-x", language, "-shared", "-fPIC", "-O1", f"-I{HEADER}", "-"]
        subprocess.run([*command, "-o", library, *options], input=source, text=True, check=True)
        return str(library)

    return build


def test_a_datatype_that_leads_out_of_the_variables(MPI: ModuleType, compiled: Build) -> None:
    """The displacements would lead to another rank's variables."""
    path = compiled(
        "leading",
        """
        #include "mpi.h"
        #include <stdlib.h>
        static int header;
        int spread(void) {
          int lengths[] = {1, 1};
          MPI_Aint places[2];
          MPI_Datatype types[] = {MPI_INT, MPI_INT}, both;
          MPI_Request request;
          int* payload = calloc(1, sizeof(int));
          MPI_Get_address(&header, &places[0]);
          MPI_Get_address(payload, &places[1]);
          places[0] -= places[1];
          places[1] = 0;
          MPI_Type_create_struct(2, lengths, places, types, &both);
          MPI_Type_commit(&both);
          MPI_Ibcast(payload, 1, both, 0, MPI_COMM_WORLD, &request);
          return MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        """,
    )
    with pytest.raises(NativeCodeError, match=r"MPI_Ibcast, called by libleading.so: .* displacements from or to"):
        simulate(lambda: ctypes.CDLL(path).spread(), 2, "leading")


def test_collectives_in_place(MPI: ModuleType, build: Build) -> None:
    """Collectives with MPI_IN_PLACE have no datatype on one side, also while a library is loaded."""
    path = build("placed")

    def program() -> list[int]:
        world = MPI.COMM_WORLD
        ctypes.CDLL(path)
        values = np.arange(world.size) + 10 * world.rank
        ones, places = [1] * world.size, list(range(world.size))
        request = world.Alltoallv_init(MPI.IN_PLACE, [values, ones, places, MPI.LONG])
        request.Start()
        request.Wait()
        world.Iallreduce(MPI.IN_PLACE, values).Wait()
        if world.rank == 0:
            world.Scatter(values, MPI.IN_PLACE)
            return [int(values[0])]
        world.Scatter(None, values[:1])
        return [int(values[0])]

    assert simulate(program, 3, "placed") == [[sum(10 * other + rank for rank in range(3))] for other in range(3)]


def test_a_constructor_that_allocates_much_memory(MPI: ModuleType, compiled: Build) -> None:
    """The memory lies outside the heap that grows with sbrk."""
    path = compiled(
        "large",
        """
        #include <stdlib.h>
        static char* table;
        __attribute__((constructor)) static void begin(void) { table = calloc(1 << 20, 1); }
        int get(void) { return table[0]; }
        """,
    )

    def program() -> int:
        library = ctypes.CDLL(path)
        MPI.COMM_WORLD.Barrier()
        return int(library.get())

    with pytest.raises(NativeCodeError, match="addresses of memory that was allocated"):
        simulate(program, 2, "large")


def test_a_child_that_forks(MPI: ModuleType, build: Build) -> None:
    """The second child has the values of the first."""
    path = build("forking")

    def program() -> int:
        library, rank = ctypes.CDLL(path), MPI.COMM_WORLD.rank
        library.assign(rank)
        MPI.COMM_WORLD.Barrier()
        child = os.fork()
        if child == 0:
            library.assign(10 + rank)
            second = os.fork()
            if second == 0:
                os._exit(library.sum())
            os._exit(os.waitstatus_to_exitcode(os.waitpid(second, 0)[1]))
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert simulate(program, 2, "forking") == [60, 66]


@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")
def test_copies_of_a_library_with_a_variable_of_the_process(MPI: ModuleType, compiled: Build) -> None:
    """C++ has inline variables once in a process, whatever copies define them. Remapped, each rank has its own."""
    source = 'inline int value = 7; extern "C" int assign(int next) { int last = value; value = next; return last; }'
    path = compiled("inline", source, "-std=c++17", language="c++")

    def program() -> int:
        library = ctypes.CDLL(path)
        MPI.COMM_WORLD.Barrier()
        return int(library.assign(MPI.COMM_WORLD.rank))

    assert simulate(program, 2, "inline") == [7, 7]
    with pytest.raises(NativeCodeError, match=r"C\+\+ has its variable value once in a process; use .*=remap"):
        simulate(program, 2, "inline=copy")


def test_a_library_that_calls_a_copied_one(MPI: ModuleType, build: Build) -> None:
    folder = pathlib.Path(build("lent")).parent
    path = build("lender", f"-L{folder}", f"-Wl,--no-as-needed,-rpath,{folder}", "-llent")

    def program() -> int:
        library = ctypes.CDLL(path)
        MPI.COMM_WORLD.Barrier()
        return int(library.sum())

    with pytest.raises(NativeCodeError, match=r"liblender.so: .* it calls liblent.so, .* --private-libs lent=remap"):
        simulate(program, 2, "lent=copy")


@pytest.mark.parametrize(
    ("value", "problem"), [("=copy", "has no name"), ("solver=cope", "'cope'; did you mean 'copy'"), ("solver=", "''")]
)
def test_a_value_that_is_not_valid(pysmpirun: Any, value: str, problem: str) -> None:
    run = pysmpirun("-np", "1", "--private-libs", value, "program.py", source="")
    assert run.returncode != 0
    assert problem in run.stderr


def build_handles(folder: pathlib.Path, libraries: pathlib.Path, library: str) -> pathlib.Path:
    """Compile the extension module in library_handles.c, which calls a library; return its file."""
    module = folder / "_handles.so"
    include = sysconfig.get_path("include")
    options: list[Any] = [f"-I{include}", f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-o", module, f"-l{library}"]
    subprocess.run(["cc", "-shared", "-fPIC", HERE / "library_handles.c", *options], check=True)
    return module


@pytest.mark.parametrize("library", ["handled", "petsc_handled"], ids=["named", "known"])
def test_an_extension_module_that_calls_such_a_library(
    MPI: ModuleType, build: Build, installed: Callable[[str, str], None], library: str
) -> None:
    """Each rank has its own copy, with its own Python objects, and runs the other modules of the package."""
    folder = pathlib.Path(build(library)).parent
    installed("handles/__init__.py", "from handles import _handles\nmine = []\n_handles.keep(mine)\n")
    installed("handles/plain.py", "mine = []\n")
    module = build_handles(pathlib.Path(sys.path[0]) / "handles", folder, library)

    def program() -> list[Any]:
        handles: Any = importlib.import_module("handles")
        importlib.import_module("handles.plain")
        module, rank = handles._handles, MPI.COMM_WORLD.rank
        values = [module.get()]
        module.put(rank)
        handles.mine.append(rank)
        handles.plain.mine.append(rank)
        MPI.COMM_WORLD.Barrier()
        return [*values, module.get(), module.keep(None) is handles.mine, handles.plain.mine, module.__file__]

    for _ in range(2):
        assert simulate(program, 3, *([library] if library == "handled" else [])) == [
            [(-1, FIRST), (rank, 6 * rank), True, [rank], str(module)] for rank in range(3)
        ]


@pytest.mark.parametrize("end", ["", "import os; os._exit(0)"])
def test_a_module_that_a_package_loads_itself(build: Build, pysmpirun: Any, tmp_path: pathlib.Path, end: str) -> None:
    """Each rank has its own copy if the package finds it without the import system, as petsc4py does, and if the
    package's other modules are shared. Functions for the end of an interpreter, which takes 32, run in each rank."""
    package = tmp_path / "site-packages" / "loading"
    (package / "lib").mkdir(parents=True)
    (package / "__init__.py").write_text(
        """
import importlib.machinery
import importlib.util
import sys

def load():
    spec = importlib.machinery.PathFinder().find_spec("loading._handles", [__path__[0] + "/lib"])
    module = sys.modules["loading._handles"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    setattr(sys.modules["loading"], "_handles", module)
"""
    )
    library = "petsc_leaving" if end else "petsc_loading"
    build_handles(package / "lib", pathlib.Path(build(library)).parent, library)
    source = f"""
import sys
sys.path.insert(0, {str(tmp_path / "site-packages")!r})
import loading
from mpi4py import MPI
loading.load()
rank = MPI.COMM_WORLD.rank
loading._handles.put(rank)
MPI.COMM_WORLD.Barrier()
assert loading._handles.get() == (rank, 6 * rank)
{end}
"""
    run = pysmpirun("-np", "40", "--platform", "flat:40", "--quiet", "program.py", source=source)
    assert run.returncode == 0, run.stderr
    assert sorted(run.stderr.splitlines()) == ([] if end else sorted(f"left {rank}" for rank in range(40)))


@pytest.mark.parametrize("package", ["alone", "together"])
def test_a_shared_module_that_imports_a_copied_one(
    MPI: ModuleType, build: Build, installed: Callable[[str, str], None], package: str
) -> None:
    """The extension module would keep objects of one rank. If it is named, too, each rank loads a copy."""
    library = pathlib.Path(build(f"petsc_{package}"))
    installed(f"{package}/inner/__init__.py", "")
    installed(f"{package}/outer/__init__.py", "")
    folder = pathlib.Path(sys.path[0]) / package
    build_handles(folder / "inner", library.parent, f"petsc_{package}")
    (folder / "_keeper.c").write_text("""
#include <Python.h>
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_keeper", NULL, -1};
PyMODINIT_FUNC INIT(void) {
  static PyObject* handles;
  handles = PyImport_ImportModule(PACKAGE ".inner._handles");
  PyObject* module = handles ? PyModule_Create(&definition) : NULL;
  if (module) PyModule_AddObjectRef(module, "handles", handles);
  return module;
}
""")
    library = folder / "outer" / f"_{package}.so"
    options = [f"-I{sysconfig.get_path('include')}", f'-DPACKAGE="{package}"', f"-DINIT=PyInit__{package}"]
    subprocess.run(["cc", "-shared", "-fPIC", folder / "_keeper.c", *options, "-o", library], check=True)

    def program() -> list[int]:
        _keeper: Any = importlib.import_module(f"{package}.outer._{package}")
        _keeper.handles.put(MPI.COMM_WORLD.rank)
        MPI.COMM_WORLD.Barrier()
        return list(_keeper.handles.get())

    if package == "alone":
        with pytest.raises(NativeCodeError, match=r"import alone.outer._alone: .* --private-libs _alone"):
            simulate(program, 2)
        return
    for _ in range(3):
        assert simulate(program, 3, "_together") == [[rank, 6 * rank] for rank in range(3)]
        gc.collect()


def test_what_is_printed(build: Build, pysmpirun: Any) -> None:
    source = f"""
import ctypes
from mpi4py import MPI
library = ctypes.CDLL({build("printed")!r})
library.assign(MPI.COMM_WORLD.rank)
MPI.COMM_WORLD.Barrier()
print(library.sum())
"""
    run = pysmpirun(
        "-np", "3", "-v", "--private-libs", "printed", "--private-libs", "prinded", "program.py", source=source
    )
    assert run.returncode == 1
    assert sorted(run.stdout.split()) == ["0", "12", "6"]
    assert "pysmpirun: variables of libprinted.so (" in run.stderr
    assert "bytes): each rank's own, remapped when another rank runs (--private-libs)" in run.stderr
    assert "pysmpirun: --private-libs prinded: no loaded library has this name; did you mean 'printed'?" in run.stderr
