"""Results of MPI_Reduce_local for each predefined operation and datatype, under a real library and under pysmpi."""

import dataclasses
import random
import string
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from mpi4py import MPI

OPERATIONS = (
    *("MAX", "MIN", "SUM", "PROD", "LAND", "BAND", "LOR", "BOR", "LXOR", "BXOR"),
    *("MINLOC", "MAXLOC", "REPLACE", "NO_OP"),
)
COUNTS = (1, 2, 3, 5, 8, 13, 64, 79, 171)
"""Numbers of elements. Vectors of up to 64 bytes are filled, and there are remainders of all lengths."""

KINDS = {
    "i": ("AINT BYTE CHAR CHARACTER COUNT INT INT16_T INT32_T INT64_T INT8_T INTEGER INTEGER1 INTEGER2 INTEGER4"
          " INTEGER8 INTEGER16 LONG LONG_LONG OFFSET PACKED SHORT SIGNED_CHAR UINT16_T UINT32_T UINT64_T UINT8_T"
        " UNSIGNED UNSIGNED_CHAR"
          " UNSIGNED_LONG UNSIGNED_LONG_LONG UNSIGNED_SHORT WCHAR"),
    "b": "C_BOOL CXX_BOOL LOGICAL LOGICAL1 LOGICAL2 LOGICAL4 LOGICAL8",
    "f": "FLOAT16_T REAL2 FLOAT REAL REAL4 DOUBLE DOUBLE_PRECISION REAL8 LONG_DOUBLE REAL16",
    "c": ("COMPLEX4 C_FLOAT_COMPLEX CXX_FLOAT_COMPLEX COMPLEX COMPLEX8 C_DOUBLE_COMPLEX CXX_DOUBLE_COMPLEX"
          " DOUBLE_COMPLEX COMPLEX16 C_LONG_DOUBLE_COMPLEX CXX_LONG_DOUBLE_COMPLEX COMPLEX32"),
    "p": "FLOAT_INT DOUBLE_INT LONG_INT TWOINT SHORT_INT LONG_DOUBLE_INT",
}  # fmt: skip
"""Names of datatypes in mpi4py: integers, truth values, floating point, complex, pairs of a value and an index."""


def datatypes() -> Iterator[tuple[str, str, Any]]:
    """Yield kind, name and handle of the datatypes that the library has."""
    for kind, names in KINDS.items():
        for name in names.split():
            datatype = getattr(MPI, name)
            if datatype == MPI.DATATYPE_NULL:
                datatype = _of_size(name)
            if _exists(datatype):
                yield kind, name, datatype


def _exists(datatype: Any) -> bool:
    try:
        return datatype != MPI.DATATYPE_NULL and datatype.Get_size() > 0
    except MPI.Exception:
        return False


def _of_size(name: str) -> Any:
    """Return a Fortran type such as REAL2, whose name mpi4py may lack, or MPI_DATATYPE_NULL."""
    classes = {"REAL": MPI.TYPECLASS_REAL, "INTEGER": MPI.TYPECLASS_INTEGER, "COMPLEX": MPI.TYPECLASS_COMPLEX}
    try:
        return MPI.Datatype.Match_size(classes[name.rstrip("0123456789")], int(name.lstrip(string.ascii_uppercase)))
    except (KeyError, MPI.Exception):
        return MPI.DATATYPE_NULL


def _quad(value: float) -> bytes:
    """Return a double as IEEE binary128."""
    bits = int.from_bytes(struct.pack("<d", value), "little")
    sign, exponent, fraction = bits >> 63, bits >> 52 & 0x7FF, bits & (1 << 52) - 1
    exponent = 0x7FFF if exponent == 0x7FF else exponent + 0x3C00 if exponent else 0
    return (sign << 127 | exponent << 112 | fraction << 60).to_bytes(16, "little")


def _floats(draw: random.Random, size: int, length: int) -> Any:
    """Return floating-point numbers of `size` bytes, many of them special, as bytes."""
    specials = [0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan")]
    values = [draw.choice(specials) if draw.random() < 0.5 else draw.gauss(0, 3) for _ in range(length)]
    return np.array(values, {2: "e", 4: "f", 8: "d", 16: "g"}[size])


def _contents(draw: random.Random, kind: str, name: str, datatype: Any) -> Any:
    """Return a buffer of the most elements."""
    count, size, extent = COUNTS[-1], datatype.Get_size(), datatype.Get_extent()[1]
    if kind == "i":
        return np.array([draw.choice((0, 1, 255, draw.randrange(256))) for _ in range(count * size)], "u1")
    if kind == "b":
        return np.array([draw.randrange(2) for _ in range(count)], f"u{size}").view("u1")
    if name in ("REAL16", "COMPLEX32"):
        length = count * size // 16
        return np.frombuffer(b"".join(map(_quad, _floats(draw, 8, length).tolist())), "u1").copy()
    if kind in "fc":
        part = size if kind == "f" else size // 2
        return _floats(draw, part, count * size // part).view("u1")
    value = size - 4
    pairs = np.zeros((count, extent), "u1")
    if name in ("FLOAT_INT", "DOUBLE_INT", "LONG_DOUBLE_INT"):
        pairs[:, :value] = _floats(draw, value, count).view("u1").reshape(count, value)
    else:
        pairs[:, 0] = [draw.randrange(4) for _ in range(count)]
    index = -(-value // 4) * 4
    pairs[:, index] = [draw.randrange(8) for _ in range(count)]
    return pairs.reshape(-1)


def _comparable(result: Any, kind: str, name: str, size: int, op: str) -> bytes:
    """Return a result as bytes, without padding. Sums and products have one NaN."""
    if kind in "fc" and name not in ("REAL16", "COMPLEX32"):
        part = size if kind == "f" else size // 2
        numbers = result.view({2: "e", 4: "f", 8: "d", 16: "g"}[part])
        if op in ("SUM", "PROD"):
            numbers[np.isnan(numbers)] = np.nan
        result = numbers.view("u1")
        if part == 16:
            result = result.reshape(-1, 16)[:, :10]
    if name == "LONG_DOUBLE_INT":
        result = np.delete(result.reshape(-1, 32), slice(10, 16), axis=1)[:, :14]
    return bytes(result.tobytes())


@dataclasses.dataclass(frozen=True)
class Operands:
    """A datatype with two buffers of it."""

    kind: str
    name: str
    datatype: Any
    buffers: tuple[Any, Any]

    def reduced(self, op: str) -> list[int] | str:
        """Return a checksum of the result for each of COUNTS, or the error class if MPI_Reduce_local fails."""
        size, extent = self.datatype.Get_size(), self.datatype.Get_extent()[1]
        checksums = []
        for count in COUNTS:
            one, two = (buffer[: count * extent].copy() for buffer in self.buffers)
            try:
                getattr(MPI, op).Reduce_local([one, count, self.datatype], [two, count, self.datatype])
            except MPI.Exception as error:
                return "ERR_OP" if error.Get_error_class() == MPI.ERR_OP else "another error"
            checksums.append(zlib.crc32(_comparable(two, self.kind, self.name, size, op)))
        return checksums


def all_results(
    carry_out: Callable[[Operands, str], list[int] | str | None] = Operands.reduced,
) -> dict[str, dict[str, list[int] | str | None]]:
    """Return what `carry_out` returns, by datatype and operation."""
    results = {}
    for kind, name, datatype in datatypes():
        draw = random.Random(name)
        buffers = (_contents(draw, kind, name, datatype), _contents(draw, kind, name, datatype))
        operands = Operands(kind, name, datatype, buffers)
        results[name] = {op: carry_out(operands, op) for op in OPERATIONS}
    return results
