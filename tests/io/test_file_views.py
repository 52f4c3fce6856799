"""File contents after accesses through views, compared with a plain model of bytes."""

import dataclasses
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@dataclasses.dataclass(frozen=True)
class Filetype:
    """Pieces of an etype: (displacement, length) in etypes, and the extent in etypes."""

    etype: int
    pieces: tuple[tuple[int, int], ...]
    extent: int
    displacement: int

    def offset(self, byte: int) -> int:
        """Return the byte in the file of a byte of the view's data, counted one by one."""
        data = [d * self.etype + i for d, n in self.pieces for i in range(n * self.etype)]
        copy, within = divmod(byte, len(data))
        return self.displacement + copy * self.extent * self.etype + data[within]


@st.composite
def filetypes(draw: st.DrawFn) -> Filetype:
    """Draw ascending pieces with gaps, and perhaps a gap at the end."""
    pieces, at = [], 0
    for _ in range(draw(st.integers(1, 4))):
        at += draw(st.integers(0, 3))
        length = draw(st.integers(1, 3))
        pieces.append((at, length))
        at += length
    extent = at + draw(st.integers(0, 3))
    return Filetype(draw(st.sampled_from([1, 2, 4, 8])), tuple(pieces), extent, draw(st.integers(0, 9)))


def set_view(MPI: Any, file: Any, view: Filetype, representation: str = "native") -> None:
    """Set the view of a file; its datatypes are freed at once."""
    etype = {1: MPI.BYTE, 2: MPI.SHORT, 4: MPI.INT, 8: MPI.DOUBLE}[view.etype]
    indexed = etype.Create_indexed([n for _, n in view.pieces], [d for d, _ in view.pieces])
    filetype = indexed.Create_resized(0, view.extent * view.etype).Commit()
    file.Set_view(view.displacement, etype, filetype, representation)
    indexed.Free()
    filetype.Free()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    filetypes(),
    st.lists(st.tuples(st.sampled_from("wrWR"), st.integers(0, 20), st.integers(0, 12)), max_size=8),
    st.integers(1, 3),
)
def test_any_view(
    MPI: ModuleType, tmp_path: Path, view: Filetype, steps: list[tuple[str, int, int]], stride: int
) -> None:
    """Accesses at offsets (w, r) and by the pointer (W, R), of memory with gaps, transfer the right bytes."""
    path = tmp_path / "data"
    path.unlink(missing_ok=True)
    file = MPI.File.Open(MPI.COMM_SELF, path, MPI.MODE_RDWR | MPI.MODE_CREATE)
    set_view(MPI, file, view)
    model, position, number = bytearray(), 0, 1
    for step, offset, etypes in steps:
        size = etypes * view.etype
        memory = MPI.BYTE.Create_vector(size, 1, stride).Commit()
        begin = (position if step.isupper() else offset) * view.etype
        places = [view.offset(begin + i) for i in range(size)]
        status = MPI.Status()
        buffer = np.zeros(max(size * stride, 1), "B")
        if step in "wW":
            data = [(number + i) % 255 + 1 for i in range(size)]
            number += size
            buffer[: size * stride : stride] = data
            if step == "W":
                file.Write([buffer, 1, memory], status)
            else:
                file.Write_at(offset, [buffer, 1, memory], status)
            for place, value in zip(places, data, strict=True):
                model.extend(bytes(max(0, place + 1 - len(model))))
                model[place] = value
            moved = size
        else:
            if step == "R":
                file.Read([buffer, 1, memory], status)
            else:
                file.Read_at(offset, [buffer, 1, memory], status)
            moved = sum(place < len(model) for place in places)
            assert list(buffer[: moved * stride : stride]) == [model[place] for place in places[:moved]]
            assert not buffer[moved * stride :].any()
        assert status.Get_count(MPI.BYTE) == moved
        assert file.Get_byte_offset(offset) == view.offset(offset * view.etype)
        if step.isupper():
            position += etypes  # also past the end of the file, as in Open MPI
        assert file.Get_position() == position
        memory.Free()
    file.Seek(0, MPI.SEEK_END)
    before_end = sum(view.offset(byte) < len(model) for byte in range(2 * len(model) + 1))
    assert file.Get_position() == -(-before_end // view.etype)
    file.Close()
    assert path.read_bytes() == bytes(model)


def test_external32(MPI: ModuleType, tmp_path: Path) -> None:
    """Numbers are big-endian in the file; a C long has four bytes there, which some numbers exceed."""
    file = MPI.File.Open(MPI.COMM_SELF, tmp_path / "data", MPI.MODE_RDWR | MPI.MODE_CREATE)
    set_view(MPI, file, Filetype(4, ((0, 1), (2, 1)), 3, 1), "external32")
    numbers = np.array([1, 2, 3], "i")
    file.Write(numbers)
    assert (tmp_path / "data").read_bytes() == b"\0" + b"\0\0\0\1" + b"\0" * 4 + b"\0\0\0\2" + b"\0\0\0\3"
    back = np.zeros(4, "i")
    file.Read_at(0, [back, 4, MPI.INT], status := MPI.Status())
    assert list(back) == [1, 2, 3, 0]
    assert status.Get_count(MPI.INT) == 3
    file.Set_size(0)
    file.Set_view(0, MPI.LONG, MPI.LONG, "external32")
    assert file.Get_type_extent(MPI.LONG) == 4
    file.Write(np.array([-5, 6], "l"))
    assert (tmp_path / "data").read_bytes() == b"\xff\xff\xff\xfb\0\0\0\6"
    assert file.Get_position() == 2
    long = np.zeros(1, "l")
    file.Read_at(1, long)
    assert long[0] == 6
    with pytest.raises(MPI.Exception) as caught:
        file.Write(np.array([2**40], "l"))
    assert caught.value.Get_error_class() == MPI.ERR_CONVERSION
    holes = MPI.LONG.Create_vector(2, 1, 2).Commit()
    with pytest.raises(MPI.Exception, match="external32") as caught:
        file.Set_view(0, MPI.LONG, holes, "external32")
    assert caught.value.Get_error_class() == MPI.ERR_UNSUPPORTED_DATAREP
    holes.Free()
    file.Close()


def test_views_that_cannot_be(MPI: ModuleType, tmp_path: Path) -> None:
    """Filetypes are not made of etypes, descend, or overlap in writable files; representations are unknown."""
    file = MPI.File.Open(MPI.COMM_SELF, tmp_path / "data", MPI.MODE_RDWR | MPI.MODE_CREATE)
    types = {
        "back": MPI.INT.Create_indexed([1, 1], [3, 0]).Commit(),
        "before the beginning": MPI.INT.Create_indexed([1], [-1]).Commit(),
        "overlapping": MPI.INT.Create_indexed([2, 2], [0, 1]).Commit(),
        "overlapping the next": MPI.INT.Create_contiguous(2).Create_resized(0, 4).Commit(),
        "of three bytes": MPI.BYTE.Create_contiguous(3).Commit(),
    }
    for filetype in types.values():
        with pytest.raises(MPI.Exception) as caught:
            file.Set_view(0, MPI.INT, filetype)
        assert caught.value.Get_error_class() == MPI.ERR_ARG
    with pytest.raises(MPI.Exception, match="'odd' is unknown; valid: native, internal, external32") as caught:
        file.Set_view(0, MPI.INT, MPI.INT, "odd")
    assert caught.value.Get_error_class() == MPI.ERR_UNSUPPORTED_DATAREP
    for displacement in (-1, MPI.DISPLACEMENT_CURRENT):
        with pytest.raises(MPI.Exception) as caught:
            file.Set_view(displacement, MPI.INT)
        assert caught.value.Get_error_class() == MPI.ERR_ARG
    file.Close()
    file = MPI.File.Open(MPI.COMM_SELF, tmp_path / "data", MPI.MODE_RDONLY)
    file.Set_view(0, MPI.INT, types["overlapping"])  # allowed, because the file is read-only
    file.Close()
    for filetype in types.values():
        filetype.Free()


def test_get_view_gives_types_to_free(MPI: ModuleType, tmp_path: Path) -> None:
    """The view can still be queried after the program has freed its handles."""
    file = MPI.File.Open(MPI.COMM_SELF, tmp_path / "data", MPI.MODE_RDWR | MPI.MODE_CREATE)
    set_view(MPI, file, Filetype(4, ((1, 2),), 5, 3))
    displacement, etype, filetype, representation = file.Get_view()
    assert (displacement, etype, filetype.size, filetype.extent, representation) == (3, MPI.INT, 8, 20, "native")
    filetype.Free()
    file.Set_view(0)
    assert file.Get_view()[:3] == (0, MPI.BYTE, MPI.BYTE)
    file.Close()
