"""Functions that mpi4py does not call with every argument, called as a C program would."""

import ctypes
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def library(MPI: ModuleType) -> ctypes.CDLL:
    """Return libmpi.so.12, which mpi4py is bound to."""
    return ctypes.CDLL("libmpi.so.12")


@pytest.mark.parametrize(("room", "value"), [(0, b"????"), (1, b""), (3, b"ab"), (6, b"abcde"), (9, b"abcde")])
def test_texts_cut_to_a_buffer(MPI: ModuleType, library: ctypes.CDLL, room: int, value: bytes) -> None:
    """MPI_Info_get_string accepts a length of 0, terminates its output, and returns the length that it needs."""
    info = MPI.Info.Create({"key": "abcde"})
    out, length, flag = ctypes.create_string_buffer(b"????", 16), ctypes.c_int(room), ctypes.c_int(7)
    assert library.MPI_Info_get_string(info.handle, b"key", ctypes.byref(length), out, ctypes.byref(flag)) == 0
    assert (out.value, length.value, flag.value) == (value, 6, 1)
    assert library.MPI_Info_get_string(info.handle, b"none", ctypes.byref(length), out, ctypes.byref(flag)) == 0
    assert (length.value, flag.value) == (6, 0)
    info.Free()


def test_attributes_under_their_deprecated_names(MPI: ModuleType, library: ctypes.CDLL) -> None:
    """MPI_Attr_put, _get and _delete are the functions of communicators."""
    deleted = []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    def delete(comm: int, key: int, value: Any, extra: Any) -> int:
        deleted.append((value, extra))
        return 0

    comm, key, value, flag = MPI.COMM_SELF.handle, ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int()
    assert library.MPI_Keyval_create(None, delete, ctypes.byref(key), ctypes.c_void_p(5)) == 0
    assert library.MPI_Attr_put(comm, key, ctypes.c_void_p(42)) == 0
    assert library.MPI_Attr_get(comm, key, ctypes.byref(value), ctypes.byref(flag)) == 0
    assert (value.value, flag.value) == (42, 1)
    assert library.MPI_Attr_delete(comm, key) == 0
    assert deleted == [(42, 5)]
    assert library.MPI_Attr_get(comm, key, ctypes.byref(value), ctypes.byref(flag)) == 0
    assert flag.value == 0
    assert library.MPI_Keyval_free(ctypes.byref(key)) == 0


def test_statuses_of_fortran_2008(library: ctypes.CDLL) -> None:
    kind = ctypes.c_int * 5
    first, second, third, last = kind(12, 0, 3, 4, 5), kind(), kind(), kind()
    assert library.MPI_Status_c2f08(first, second) == 0
    assert library.MPI_Status_f082f(second, third) == 0
    assert library.MPI_Status_f2f08(third, second) == 0
    assert library.MPI_Status_f082c(second, last) == 0
    assert list(last) == list(first)


def test_functions_of_mpi_1(MPI: ModuleType, library: ctypes.CDLL) -> None:
    """MPI 3.0 has removed them, but libraries call them."""
    address, place = ctypes.c_ssize_t(), ctypes.c_int(5)
    assert library.MPI_Address(ctypes.byref(place), ctypes.byref(address)) == 0
    assert address.value == ctypes.addressof(place)

    handler, found = ctypes.c_int(), ctypes.c_int()
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda comm, code: None)
    world = MPI.COMM_SELF.handle
    assert library.MPI_Errhandler_get(world, ctypes.byref(found)) == 0
    before = found.value
    assert library.MPI_Errhandler_create(function, ctypes.byref(handler)) == 0
    assert library.MPI_Errhandler_set(world, handler) == 0
    assert library.MPI_Errhandler_get(world, ctypes.byref(found)) == 0
    assert found.value == handler.value
    assert library.MPI_Errhandler_set(world, before) == 0


def bounds(library: ctypes.CDLL, datatype: ctypes.c_int) -> tuple[int, int, int]:
    """Return lower bound, upper bound and extent, by three functions of MPI 1."""
    found = [ctypes.c_ssize_t() for _ in range(3)]
    for name, value in zip(("lb", "ub", "extent"), found, strict=True):
        assert getattr(library, f"MPI_Type_{name}")(datatype, ctypes.byref(value)) == 0
    low, high, extent = (value.value for value in found)
    return low, high, extent


@pytest.mark.parametrize(
    ("markers", "expected"),
    [
        ({}, (0, 16, 16)),
        ({0x4C000010: -8}, (-8, 16, 24)),
        ({0x4C000011: 40}, (0, 40, 40)),
        ({0x4C000010: 4, 0x4C000011: 12}, (4, 12, 8)),
    ],
)
def test_datatypes_of_mpi_1(
    MPI: ModuleType, library: ctypes.CDLL, markers: dict[int, int], expected: tuple[int, int, int]
) -> None:
    """MPI_LB and MPI_UB set the bounds of a structure of an int and a double."""
    types = [MPI.INT.handle, MPI.DOUBLE.handle, *markers]
    places, lengths = [0, 8, *markers.values()], [1] * len(types)
    made, count = ctypes.c_int(), len(types)
    arrays = (ctypes.c_int * count)(*lengths), (ctypes.c_ssize_t * count)(*places), (ctypes.c_int * count)(*types)
    assert library.MPI_Type_struct(count, *arrays, ctypes.byref(made)) == 0
    assert bounds(library, made) == expected
    assert library.MPI_Type_free(ctypes.byref(made)) == 0
    step = ctypes.c_ssize_t(32)
    assert library.MPI_Type_hvector(3, 2, step, MPI.INT.handle, ctypes.byref(made)) == 0
    assert bounds(library, made) == (0, 72, 72)
    assert library.MPI_Type_free(ctypes.byref(made)) == 0
    assert library.MPI_Type_hindexed(2, arrays[0], arrays[1], MPI.INT.handle, ctypes.byref(made)) == 0
    assert bounds(library, made) == (0, 12, 12)
    assert library.MPI_Type_free(ctypes.byref(made)) == 0
