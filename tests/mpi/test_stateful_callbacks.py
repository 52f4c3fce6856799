"""MPICH's functions for callbacks with an argument of the program's own."""

import ctypes
import pathlib
from array import array

import pysmpi
from pysmpi.native import _native

LIBRARY = pathlib.Path(_native.__file__).with_name("libmpi.so.12")
Operation = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_longlong, ctypes.c_int, ctypes.c_void_p)
Handler = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

destroyed: list[int] = []
handled: list[tuple[bool, int]] = []


@Operation
def add(first: int, second: int, count: int, _: int, state: int) -> None:
    own, result = (ctypes.cast(each, ctypes.POINTER(ctypes.c_int)) for each in (first, second))
    for i in range(count):
        result[i] += own[i] * (state // state)


@Handler
def note(comm: int, _: int, state: int) -> None:
    handled.append((comm == 0x44000000, state))


@Destructor
def destroy(state: int) -> None:
    destroyed.append(state)


def test_an_operation_lives_until_its_collective_ends() -> None:
    """The operation is freed while a collective uses it; its state is destroyed later, once for each rank."""

    def program() -> tuple[int, int]:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        handle = ctypes.c_int()
        create = ctypes.CDLL(str(LIBRARY)).MPIX_Op_create_x
        assert create(add, destroy, 1, ctypes.c_void_p(100 + world.rank), ctypes.byref(handle)) == 0
        operation = MPI.Op.fromhandle(handle.value & 0xFFFFFFFF)
        own, result = array("i", [world.rank + 1]), array("i", [0])  # mpi4py does not keep the arrays of reductions
        request = world.Iallreduce([own, MPI.INT], [result, MPI.INT], operation)
        operation.Free()
        request.Wait()
        return result[0], len(destroyed)

    destroyed.clear()
    assert pysmpi.simulate(program, np=3, platform="flat:3").values == [(6, 0)] * 3
    assert sorted(destroyed) == [100, 101, 102]


def test_an_error_handler_gets_its_state() -> None:
    """The handler gets the communicator's handle; its state is destroyed when nothing uses it any more."""

    def program() -> int:
        from mpi4py import MPI

        handle = ctypes.c_int()
        create = ctypes.CDLL(str(LIBRARY)).MPIX_Comm_create_errhandler_x
        assert create(note, destroy, ctypes.c_void_p(7), ctypes.byref(handle)) == 0
        handler = MPI.Errhandler.fromhandle(handle.value & 0xFFFFFFFF)
        MPI.COMM_WORLD.Set_errhandler(handler)
        handler.Free()
        before = len(destroyed)
        MPI.COMM_WORLD.Call_errhandler(MPI.ERR_OTHER)
        MPI.COMM_WORLD.Set_errhandler(MPI.ERRORS_RETURN)
        return len(destroyed) - before

    destroyed.clear()
    handled.clear()
    assert pysmpi.simulate(program, np=1, platform="flat:1").values == [1]
    assert handled == [(True, 7)]
