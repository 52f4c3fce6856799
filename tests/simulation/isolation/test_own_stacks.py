"""Stacks of ranks' own: local variables of compiled code stay in place while other ranks run."""

import ctypes
import pathlib
import shutil
import subprocess
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import pysmpi
from pysmpi.errors import ConfigurationError, DeadlockError, RankError

HERE = pathlib.Path(__file__).parent
HEADER = HERE.parents[2] / "pysmpi" / "native" / "mpi"
CFG = {"smpi/simulate-computation": "no"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, MPI: ModuleType) -> dict[str, str]:
    """Return the libraries of own_stacks.c, and of a function without MPI that calls another one."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("libraries")
    (folder / "through.c").write_text("int through(int (*function)(void)) { return function(); }\n")
    found = {}
    for source in (HERE / "own_stacks.c", folder / "through.c"):
        found[source.stem] = str(folder / f"lib{source.stem}.so")
        command = [compiler, "-O1", "-shared", "-fPIC", f"-I{HEADER}", "-o", found[source.stem], source]
        subprocess.run(command, check=True)
    return found


def by_ctypes(files: dict[str, str], name: str) -> int:
    return int(getattr(ctypes.CDLL(files["own_stacks"]), name)())


def by_cffi(files: dict[str, str], name: str) -> int:
    import cffi

    ffi = cffi.FFI()
    ffi.cdef(f"int {name}(void);")
    return int(getattr(ffi.dlopen(files["own_stacks"]), name)())


def by_another_library(files: dict[str, str], name: str) -> int:
    """Call a function in such a way that pysmpi does not see that it calls MPI."""
    return int(ctypes.CDLL(files["through"]).through(getattr(ctypes.CDLL(files["own_stacks"]), name)))


WAYS = [(by_ctypes, False), (by_ctypes, True), (by_cffi, False), (by_another_library, True)]


def run(function: Callable[..., Any], np: int, *args: Any, **options: Any) -> list[Any]:
    return pysmpi.simulate(function, np=np, platform=f"flat:{np}", cfg=CFG, args=args, **options).values


@pytest.mark.parametrize("ranks", [1, 2, 5, 64])
@pytest.mark.parametrize("name", ["local_variables", "large_frame"])
@pytest.mark.parametrize(("way", "own_stacks"), WAYS)
def test_local_variables_stay(files: dict[str, str], way: Any, own_stacks: bool, name: str, ranks: int) -> None:
    assert run(way, ranks, files, name, own_stacks=own_stacks) == [0] * ranks


def test_local_variables_in_a_thread(files: dict[str, str]) -> None:
    def program(files: dict[str, str]) -> list[int]:
        import threading

        found: list[int] = []
        thread = threading.Thread(target=lambda: found.append(by_ctypes(files, "local_variables")))
        thread.start()
        thread.join()
        return found

    for own_stacks in (False, True):
        assert run(program, 3, files, own_stacks=own_stacks) == [[0]] * 3


def test_a_function_of_python_in_compiled_code(files: dict[str, str]) -> None:
    """The function runs on the own stack, too, and may call MPI and compiled code again."""

    def program(files: dict[str, str]) -> list[int]:
        from mpi4py import MPI

        inner: list[int] = []

        def function() -> None:
            inner.append(MPI.COMM_WORLD.allreduce(1))
            inner.append(by_ctypes(files, "local_variables"))

        callback = ctypes.CFUNCTYPE(None)(function)
        return [ctypes.CDLL(files["own_stacks"]).calls_back(callback), *inner]

    assert run(program, 4, files) == [[0, 4, 0]] * 4


@pytest.mark.parametrize("own_stacks", [False, True])
def test_compiled_code_that_ignores_errors_is_left(
    files: dict[str, str], own_stacks: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise it would go on without end when its rank is stopped; the clauses of the Python program run."""

    def program(files: dict[str, str]) -> None:
        from mpi4py import MPI

        try:
            by_ctypes(files, "waits_without_end")
            raise ValueError("rank 0 has returned")
        finally:
            print("the clause runs", MPI.COMM_WORLD.rank)

    with pytest.raises(RankError, match="rank 0 has returned"):
        run(program, 3, files, own_stacks=own_stacks)
    assert sorted(capsys.readouterr().out.splitlines()) == [f"the clause runs {rank}" for rank in range(3)]


@pytest.mark.parametrize("own_stacks", [False, True])
def test_a_deadlock_ends_compiled_code(files: dict[str, str], own_stacks: bool) -> None:
    def program(files: dict[str, str]) -> None:
        from mpi4py import MPI

        if MPI.COMM_WORLD.rank:
            by_ctypes(files, "local_variables")

    with pytest.raises(DeadlockError, match="rank 1"):
        run(program, 3, files, own_stacks=own_stacks)


@pytest.mark.parametrize("own_stacks", [False, True])
def test_greenlets_of_the_program(own_stacks: bool) -> None:
    """A rank's own greenlets call MPI, end, get exceptions, and are freed while they are suspended."""

    def program() -> list[Any]:
        import gc

        import greenlet
        from mpi4py import MPI

        world, ended = MPI.COMM_WORLD, []

        def body(value: int) -> int:
            try:
                for _ in range(3):
                    value = greenlet.getcurrent().parent.switch(world.allreduce(value))
                return value
            finally:
                ended.append(value)

        first = greenlet.greenlet(body)
        value = first.switch(1)
        while not first.dead:
            value = first.switch(value)
        second = greenlet.greenlet(body)
        second.switch(2)
        with pytest.raises(ValueError, match="thrown"):
            second.throw(ValueError("thrown"))
        third = greenlet.greenlet(body)
        third.switch(3)
        world.Barrier()
        del third
        gc.collect()
        world.Barrier()
        return [value, ended]

    assert run(program, 4, own_stacks=own_stacks) == [[64, [64, 2, 3]]] * 4


def test_an_overflow_is_named(files: dict[str, str], pysmpirun: Any) -> None:
    source = f"import ctypes\nprint(ctypes.CDLL({files['own_stacks']!r}).deep_recursion())\n"
    done = pysmpirun("-np", "2", "program.py", source=source)
    assert "crashed (its own stack overflowed; --cfg contexts/stack-size:KIB sets a larger one)" in done.stderr
    done = pysmpirun("-np", "2", "--cfg", "contexts/stack-size:65536", "program.py", source=source)
    assert done.stdout == "0\n0\n", done.stderr


def test_a_frame_larger_than_the_stack_is_named(files: dict[str, str], pysmpirun: Any) -> None:
    """The frame must not reach the stack of another rank, which lies below."""
    source = f"import ctypes\nprint(ctypes.CDLL({files['own_stacks']!r}).larger_than_the_stack())\n"
    done = pysmpirun("-np", "2", "--cfg", "contexts/stack-size:8192", "program.py", source=source)
    assert "its own stack overflowed" in done.stderr


def test_abort_does_not_return_to_compiled_code(files: dict[str, str], pysmpirun: Any) -> None:
    source = f"""
        import ctypes
        try:
            ctypes.CDLL({files["own_stacks"]!r}).aborts()
        finally:
            print("the clause runs")
    """
    done = pysmpirun("-np", "3", "program.py", source=source)
    assert done.returncode == 7
    assert done.stdout == "the clause runs\n" * 3
    assert "MPI_Abort(7)" in done.stderr


@pytest.mark.parametrize("options", [(), ("--own-stacks",)])
def test_compiled_code_that_calls_a_function_without_end(
    files: dict[str, str], options: tuple[str, ...], pysmpirun: Any
) -> None:
    """The function gets an exception each time, which ctypes ignores: the rank ends as if it were killed."""
    source = f"""
        import ctypes
        from mpi4py import MPI

        def function():
            MPI.COMM_WORLD.Barrier()
            return 0

        if MPI.COMM_WORLD.rank == 0:
            MPI.COMM_WORLD.Barrier()
            raise ValueError("rank 0 has ended")
        ctypes.CDLL({files["own_stacks"]!r}).repeats(ctypes.CFUNCTYPE(ctypes.c_int)(function))
    """
    done = pysmpirun("-np", "3", *options, "program.py", source=source)
    assert done.returncode == 1
    assert "ValueError: rank 0 has ended" in done.stderr


@pytest.mark.parametrize("own_stacks", [False, True])
def test_greenlets_whose_compiled_code_ends_in_any_order(files: dict[str, str], own_stacks: bool) -> None:
    def program(files: dict[str, str]) -> list[int]:
        import greenlet
        from mpi4py import MPI

        library, main, ended = ctypes.CDLL(files["own_stacks"]), greenlet.getcurrent(), []

        def body(number: int) -> None:
            assert library.calls_back(ctypes.CFUNCTYPE(None)(main.switch)) == 0
            ended.append(number)

        greenlets = [greenlet.greenlet(body) for _ in range(80)]
        for number, each in enumerate(greenlets):
            each.switch(number)
        for each in greenlets:
            each.switch()
        if MPI.COMM_WORLD.rank == 0:
            raise ValueError("rank 0 has ended")
        try:
            return by_ctypes(files, "local_variables")
        finally:
            print(ended == list(range(80)))

    with pytest.raises(RankError, match="rank 0 has ended"):
        run(program, 2, files, own_stacks=own_stacks)


def test_greenlets_of_another_thread(files: dict[str, str]) -> None:
    """Other threads switch theirs themselves, whatever stack a rank uses meanwhile."""
    import threading

    import greenlet

    # Lists, because a rank's events belong to the simulation.
    entered: list[bool] = []
    left: list[bool] = []

    def program(files: dict[str, str]) -> int:
        def function() -> None:
            entered.append(True)
            while not left:
                pass

        return int(ctypes.CDLL(files["own_stacks"]).calls_back(ctypes.CFUNCTYPE(None)(function)))

    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.extend(run(program, 1, files)))
    thread.start()
    while thread.is_alive() and not entered:
        pass
    assert [greenlet.greenlet(abs).switch(number) for number in range(3)] == [0, 1, 2]
    left.append(True)
    thread.join(50)
    assert found == [0]


def test_the_size_must_be_a_number() -> None:
    with pytest.raises(ConfigurationError, match="contexts/stack-size"):
        pysmpi.simulate(print, np=1, platform="flat:1", cfg={"contexts/stack-size": "much"})
