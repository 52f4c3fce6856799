"""Packing: positions, errors, and numbers with a different size in external32."""

import struct
from types import ModuleType

import numpy as np
import pytest


def packed(MPI: ModuleType, name: str, values: np.ndarray) -> bytes:
    """Return the values in external32."""
    datatype = getattr(MPI, name)
    out = bytearray(datatype.Pack_external_size("external32", values.nbytes // datatype.Get_extent()[1]))
    assert datatype.Pack_external("external32", values, out, 0) == len(out)
    return bytes(out)


def test_positions_follow_each_other(MPI: ModuleType) -> None:
    buffer = bytearray(100)
    position = MPI.INT.Pack(np.arange(3, dtype="i"), buffer, 0, MPI.COMM_SELF)
    position = MPI.DOUBLE.Pack(np.array([0.5]), buffer, position, MPI.COMM_SELF)
    assert position == 20
    integers, real = np.zeros(3, "i"), np.zeros(1)
    position = MPI.INT.Unpack(buffer, 0, integers, MPI.COMM_SELF)
    position = MPI.DOUBLE.Unpack(buffer, position, real, MPI.COMM_SELF)
    assert (position, integers.tolist(), real[0]) == (20, [0, 1, 2], 0.5)


def test_too_little_room(MPI: ModuleType) -> None:
    with pytest.raises(MPI.Exception, match="3 elements of 4 bytes at position 4 do not fit in a buffer of 15 bytes"):
        MPI.INT.Pack(np.arange(3, dtype="i"), bytearray(15), 4, MPI.COMM_SELF)
    with pytest.raises(MPI.Exception, match="invalid data representation"):
        MPI.INT.Pack_external_size("internal", 1)


@pytest.mark.parametrize(
    ("name", "dtype", "form"),
    [
        ("SHORT", "i2", ">h"),
        ("INT", "i4", ">i"),
        ("LONG", "i8", ">i"),
        ("UNSIGNED_LONG", "u8", ">I"),
        ("LONG_LONG", "i8", ">q"),
        ("UINT16_T", "u2", ">H"),
        ("FLOAT", "f4", ">f"),
        ("DOUBLE", "f8", ">d"),
        ("BYTE", "u1", ">B"),
    ],
)
def test_numbers_in_external32(MPI: ModuleType, name: str, dtype: str, form: str) -> None:
    """Numbers are big-endian in the standard's sizes; unpacking restores them."""
    values = np.array([0, 1, 77, 100], dtype)
    if np.dtype(dtype).kind != "u":
        values[1] = -3
    data = packed(MPI, name, values)
    assert data == b"".join(struct.pack(form, value) for value in values.tolist())
    again = np.zeros_like(values)
    getattr(MPI, name).Unpack_external("external32", data, 0, again)
    assert (again == values).all()


def test_long_doubles_in_external32(MPI: ModuleType) -> None:
    """Long doubles are binary128: 1 has a biased exponent of 16383 and no fraction."""
    values = np.array([1, -2.5, 1 / np.longdouble(3)], np.longdouble)
    data = packed(MPI, "LONG_DOUBLE", values)
    assert data[:16].hex() == "3fff" + 28 * "0"
    assert data[16:32].hex() == "c0004" + 27 * "0"
    again = np.zeros_like(values)
    MPI.LONG_DOUBLE.Unpack_external("external32", data, 0, again)
    assert (again == values).all()


def test_complex_numbers_and_pairs_in_external32(MPI: ModuleType) -> None:
    """Each part is converted separately, without padding."""
    assert packed(MPI, "C_DOUBLE_COMPLEX", np.array([1 - 2j])) == struct.pack(">dd", 1, -2)
    pair = np.array([(7.5, 3)], np.dtype([("value", "f8"), ("index", "i4")], align=True))
    assert packed(MPI, "DOUBLE_INT", pair.view("u1")[:16]) == struct.pack(">di", 7.5, 3)


def test_numbers_that_external32_cannot_hold(MPI: ModuleType) -> None:
    """MPI_LONG has four bytes there."""
    with pytest.raises(MPI.Exception, match="MPI_ERR_CONVERSION"):
        packed(MPI, "LONG", np.array([2**31]))
    assert packed(MPI, "LONG", np.array([-(2**31)])) == b"\x80\0\0\0"
