"""Random derived datatypes: a description from which MPI makes a type, and a plain model makes a type map.

As a program, it prints MPI's results for the types of a seed, for comparison with a real MPI.
"""

import ctypes
import json
import math
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

SIZES = {"BYTE": 1, "SHORT": 2, "INT": 4, "DOUBLE": 8, "FLOAT": 4}  # also their alignment in C
PAIRS = {"SHORT_INT": ("SHORT", "INT"), "DOUBLE_INT": ("DOUBLE", "INT"), "INT_INT": ("INT", "INT")}

Description = tuple[Any, ...]  # ("vector", count, length, stride, old) and so on; ("INT",) for a basic type
Place = tuple[int, str]  # offset in bytes and basic type


@dataclass
class TypeMap:
    """A datatype as MPI defines it: its basic items in order, and its bounds."""

    items: list[Place] = field(default_factory=list)
    lower: int = 0
    upper: int = 0
    explicit: bool = False  # whether some element has bounds from Create_resized
    alignment: int = 1

    @property
    def extent(self) -> int:
        return self.upper - self.lower

    @property
    def offsets(self) -> list[int]:
        """Return the offset of every byte."""
        return [offset + byte for offset, name in self.items for byte in range(SIZES[name])]


def composed(blocks: Sequence[tuple[int, int, TypeMap]], structure: bool = False) -> TypeMap:
    """Combine types at displacements in bytes, with the padding of C for a structure."""
    elements = [
        (place + i * old.extent, old) for count, place, old in blocks if old.items or old.explicit for i in range(count)
    ]
    if not elements:
        return TypeMap()
    explicit = any(old.explicit for _, old in elements)
    bounds = [(at + old.lower, at + old.upper) for at, old in elements if old.explicit == explicit]
    lower, upper = min(first for first, _ in bounds), max(last for _, last in bounds)
    alignment = max(old.alignment for _, old in elements)
    if structure and not explicit:
        upper += -(upper - lower) % alignment
    items = [(at + offset, name) for at, old in elements for offset, name in old.items]
    return TypeMap(items, lower, upper, explicit, alignment)


def model(description: Description) -> TypeMap:
    """Return the type map."""
    kind, *arguments = description
    if kind in SIZES:
        return TypeMap([(0, kind)], 0, SIZES[kind], alignment=SIZES[kind])
    if kind in PAIRS:
        value, index = PAIRS[kind]
        place = max(SIZES[value], SIZES[index])
        return composed([(1, 0, model((value,))), (1, place, model((index,)))], structure=True)
    if kind == "struct":
        return composed([(length, place, model(old)) for length, place, old in arguments[0]], structure=True)
    old = model(arguments[-1])
    if kind == "dup":
        return old
    if kind == "contiguous":
        return composed([(arguments[0], 0, old)])
    if kind in ("vector", "hvector"):
        count, length, stride, _ = arguments
        unit = old.extent if kind == "vector" else 1
        return composed([(length, i * stride * unit, old) for i in range(count)])
    if kind in ("indexed", "hindexed"):
        unit = old.extent if kind == "indexed" else 1
        return composed([(length, place * unit, old) for length, place in arguments[0]])
    if kind in ("indexed_block", "hindexed_block"):
        unit = old.extent if kind == "indexed_block" else 1
        return composed([(arguments[0], place * unit, old) for place in arguments[1]])
    if kind == "resized":
        return TypeMap(old.items, arguments[0], arguments[0] + arguments[1], True, old.alignment)
    assert kind == "subarray"
    sizes, subsizes, starts, fortran, _ = arguments
    strides = [math.prod(sizes[:i] if fortran else sizes[i + 1 :]) for i in range(len(sizes))]
    places = [0]
    dimensions = range(len(sizes))
    for i in reversed(dimensions) if fortran else dimensions:
        places = [p + (starts[i] + j) * strides[i] for p in places for j in range(subsizes[i])]
    part = composed([(1, place * old.extent, old) for place in places])
    return TypeMap(part.items, 0, math.prod(sizes) * old.extent, True, old.alignment)


def make(MPI: Any, description: Description) -> Any:
    """Return the datatype; the types it is made of are freed at once."""
    kind, *arguments = description
    if kind in SIZES or kind in PAIRS:
        return getattr(MPI, kind)
    if kind == "struct":
        used = [make(MPI, old) for *_, old in arguments[0]]
        lengths, places = [block[0] for block in arguments[0]], [block[1] for block in arguments[0]]
        made = MPI.Datatype.Create_struct(lengths, places, used)
    else:
        used = [make(MPI, arguments[-1])]
        values = list(arguments[:-1])
        if kind in ("indexed", "hindexed"):
            values = [[block[0] for block in values[0]], [block[1] for block in values[0]]]
        elif kind == "subarray":
            values[3] = MPI.ORDER_FORTRAN if values[3] else MPI.ORDER_C
        made = getattr(used[0], "Dup" if kind == "dup" else f"Create_{kind}")(*values)
    for old in used:
        if not old.is_predefined:
            old.Free()
    return made


def draw(random_: random.Random, depth: int, real: bool = False) -> Description:
    """Draw a description; `real`: only descriptions on which implementations agree."""
    number = random_.randint
    fewest = 1 if real else 0  # MPICH takes the bounds of empty types into account
    if depth == 0:
        return (random_.choice([*SIZES, *([] if real else PAIRS)]),)  # MPICH does not always align pairs

    def old() -> Description:
        return draw(random_, number(0, depth - 1), real)

    kinds = ["contiguous", "vector", "hvector", "indexed", "hindexed", "indexed_block", "hindexed_block", "subarray"]
    kind = random_.choice([*kinds, "resized", "struct", "dup"])
    if kind == "dup":
        return (kind, old())
    if kind == "contiguous":
        return (kind, number(fewest, 3), old())
    if kind in ("vector", "hvector"):
        return (
            kind,
            number(fewest, 4),
            number(fewest, 3),
            number(-5, 40) if kind == "hvector" else number(-3, 5),
            old(),
        )
    if kind in ("indexed", "hindexed"):
        return (kind, [(number(fewest, 3), number(-20, 40)) for _ in range(number(fewest, 4))], old())
    if kind in ("indexed_block", "hindexed_block"):
        return (kind, number(fewest, 3), [number(-20, 40) for _ in range(number(fewest, 4))], old())
    if kind == "resized":
        return (kind, number(-9, 9), number(0, 50), old())
    if kind == "struct":
        if real:  # MPICH pads only aligned structures, and also explicit bounds, next to which others count
            return (kind, [(number(1, 3), 8 * number(-9, 9), draw(random_, 0, real)) for _ in range(number(1, 4))])
        return (kind, [(number(0, 3), number(-9, 90), old()) for _ in range(number(0, 4))])
    sizes = [number(1, 4) for _ in range(number(1, 3))]
    subsizes = [number(1, size) for size in sizes]
    starts = [number(0, size - part) for size, part in zip(sizes, subsizes, strict=True)]
    return (kind, sizes, subsizes, starts, random_.choice([False, True]), old())


def _handle(MPI: Any, object_: Any) -> ctypes.c_int:
    return ctypes.c_int(ctypes.c_int32(MPI._handleof(object_) & 0xFFFFFFFF).value)


def packed(MPI: Any, datatype: Any, count: int, origin: ctypes.Array[Any], at: int) -> bytes:
    """Return the bytes of elements at this position of an array, as MPI_Pack gives them."""
    size = datatype.Get_size() * count
    out, position = (ctypes.c_ubyte * max(1, size))(), ctypes.c_int(0)
    address = ctypes.c_void_p(ctypes.addressof(origin) + at)
    datatype.Commit()
    ctypes.CDLL("libmpi.so.12").MPI_Pack(
        address, count, _handle(MPI, datatype), out, size, ctypes.byref(position), _handle(MPI, MPI.COMM_SELF)
    )
    assert position.value == size
    return bytes(out)[:size]


def unpacked(MPI: Any, datatype: Any, count: int, data: bytes, target: ctypes.Array[Any], at: int) -> None:
    position, address = ctypes.c_int(0), ctypes.c_void_p(ctypes.addressof(target) + at)
    ctypes.CDLL("libmpi.so.12").MPI_Unpack(
        data, len(data), ctypes.byref(position), address, count, _handle(MPI, datatype), _handle(MPI, MPI.COMM_SELF)
    )
    assert position.value == len(data)


def external(MPI: Any, datatype: Any, count: int, origin: ctypes.Array[Any], at: int) -> bytes:
    """Return the bytes of elements at this position of an array, in external32."""
    size = datatype.Pack_external_size("external32", count)
    out, position = (ctypes.c_ubyte * max(1, size))(), ctypes.c_long(0)
    address = ctypes.c_void_p(ctypes.addressof(origin) + at)
    datatype.Commit()
    ctypes.CDLL("libmpi.so.12").MPI_Pack_external(
        b"external32", address, count, _handle(MPI, datatype), out, ctypes.c_long(size), ctypes.byref(position)
    )
    assert position.value == size
    return bytes(out)[:size]


def unpacked_external(MPI: Any, datatype: Any, count: int, data: bytes, target: ctypes.Array[Any], at: int) -> None:
    position, address = ctypes.c_long(0), ctypes.c_void_p(ctypes.addressof(target) + at)
    ctypes.CDLL("libmpi.so.12").MPI_Unpack_external(
        b"external32", data, ctypes.c_long(len(data)), ctypes.byref(position), address, count, _handle(MPI, datatype)
    )
    assert position.value == len(data)


def facts(MPI: Any, description: Description) -> list[Any]:
    """Return MPI's results for a type: size, bounds, and the bytes of two elements."""
    datatype = make(MPI, description)
    said = [datatype.Get_size(), *datatype.Get_extent(), *datatype.Get_true_extent()]
    reach = 3 * max(map(abs, said)) + 1000
    memory = (ctypes.c_ubyte * (2 * reach))(*(i * 7 % 251 for i in range(2 * reach)))
    said.append(packed(MPI, datatype, 2, memory, reach).hex())
    if not datatype.is_predefined:
        datatype.Free()
    return said


def main() -> None:
    """Print facts about the types of the seeds from the command line, as JSON."""
    from mpi4py import MPI

    first, last = map(int, sys.argv[1:])
    print(json.dumps([facts(MPI, draw(random.Random(seed), 3, real=True)) for seed in range(first, last)]))


if __name__ == "__main__":
    main()
