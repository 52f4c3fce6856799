"""Python's dictionary of the thread: each rank has its own values, among them ctypes' copy of errno."""

import ctypes
from collections.abc import Callable
from types import ModuleType
from typing import Any

_address = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThreadState_GetDict", ctypes.pythonapi))


def _of_thread() -> dict[Any, Any]:
    found: dict[Any, Any] = ctypes.cast(_address(), ctypes.py_object).value
    return found


def test_errno_of_ctypes(run_ranks: Callable[..., list[Any]]) -> None:
    ctypes.set_errno(7)

    def program(MPI: ModuleType) -> list[int]:
        world, first = MPI.COMM_WORLD, ctypes.get_errno()
        if world.rank != 1:
            ctypes.set_errno(10 + world.rank)
        world.Barrier()
        return [first, ctypes.get_errno()]

    assert run_ranks(program, 3) == [[0, 10], [0, 0], [0, 12]]
    assert ctypes.get_errno() == 7


def test_values_of_extension_modules(
    run_ranks: Callable[..., list[Any]], installed: Callable[[str, str], None]
) -> None:
    """Values that are set outside ranks, or by a shared module while it is imported, are visible to all ranks."""
    source = """
    import ctypes
    address = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyThreadState_GetDict", ctypes.pythonapi))()
    ctypes.cast(address, ctypes.py_object).value["imported"] = "all"
    ctypes.set_errno(9)
    """
    installed("setsthread.py", source)
    _of_thread()["outside"] = "before"

    def program(MPI: ModuleType) -> list[Any]:
        world = MPI.COMM_WORLD
        import setsthread  # noqa: F401

        _of_thread()["own"] = world.rank
        if world.rank == 1:
            _of_thread()["imported"] = "one"
        world.Barrier()
        found = _of_thread()
        return [found["outside"], found["imported"], found["own"], ctypes.get_errno()]

    assert run_ranks(program, 3) == [["before", "all", 0, 0], ["before", "one", 1, 0], ["before", "all", 2, 0]]
    assert _of_thread().pop("outside") == "before"
    assert "own" not in _of_thread()
    _of_thread().pop("imported", None)
