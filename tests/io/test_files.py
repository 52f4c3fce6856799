"""Opening, filling, sharing and closing files: modes, sizes, pointers and errors."""

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.both_modes

Runner = Callable[..., list[Any]]


def failure(MPI: Any, function: Callable[..., Any], *arguments: Any) -> int:
    """Return the error class of a failing call."""
    with pytest.raises(MPI.Exception) as caught:
        function(*arguments)
    return int(caught.value.Get_error_class())


def test_opening_fails(MPI: ModuleType, tmp_path: Path) -> None:
    """Each reason has its error class, and the text names the file."""
    (tmp_path / "there").write_bytes(b"12345")
    new, there, folder = tmp_path / "new", tmp_path / "there", tmp_path / "folder"
    folder.mkdir()
    read, write, both, create, exclusive = (
        MPI.MODE_RDONLY, MPI.MODE_WRONLY, MPI.MODE_RDWR, MPI.MODE_CREATE, MPI.MODE_EXCL
    )  # fmt: skip
    for path, amode, expected in (
        (new, read, MPI.ERR_NO_SUCH_FILE),
        (new, both, MPI.ERR_NO_SUCH_FILE),
        (there, both | create | exclusive, MPI.ERR_FILE_EXISTS),
        (folder, write, MPI.ERR_BAD_FILE),
        (there / "below", read, MPI.ERR_BAD_FILE),
        (tmp_path / ("n" * 300), read, MPI.ERR_BAD_FILE),
        (there, 0, MPI.ERR_AMODE),
        (there, read | write, MPI.ERR_AMODE),
        (there, read | create, MPI.ERR_AMODE),
        (there, read | exclusive, MPI.ERR_AMODE),
        (there, both | MPI.MODE_SEQUENTIAL, MPI.ERR_AMODE),
        (there, read | 1 << 20, MPI.ERR_AMODE),
    ):
        assert failure(MPI, MPI.File.Open, MPI.COMM_SELF, path, amode) == expected, (path, amode)
    assert failure(MPI, MPI.File.Open, MPI.Intracomm(), there, read) == MPI.ERR_COMM
    assert failure(MPI, MPI.File.Delete, new) == MPI.ERR_NO_SUCH_FILE
    assert failure(MPI, MPI.FILE_NULL.Get_size) == MPI.ERR_FILE
    assert not new.exists()


def test_accesses_fail(MPI: ModuleType, tmp_path: Path) -> None:
    """Accesses violate the mode, have bad arguments, or conflict with split calls."""
    path = tmp_path / "data"
    buffer = np.zeros(4, "i")
    file = MPI.File.Open(MPI.COMM_SELF, path, MPI.MODE_WRONLY | MPI.MODE_CREATE)
    assert failure(MPI, file.Read, buffer) == MPI.ERR_ACCESS
    assert failure(MPI, file.Write_at, -1, buffer) == MPI.ERR_ARG
    assert failure(MPI, file.Write, [buffer, 4, MPI.DATATYPE_NULL]) == MPI.ERR_TYPE
    assert failure(MPI, file.Seek, -1) == MPI.ERR_ARG
    assert failure(MPI, file.Seek, 0, 77) == MPI.ERR_ARG
    assert failure(MPI, file.Set_size, -1) == MPI.ERR_ARG
    assert failure(MPI, file.Get_byte_offset, -1) == MPI.ERR_ARG
    file.Set_view(0, MPI.DOUBLE)
    assert failure(MPI, file.Write, [buffer, 3, MPI.INT]) == MPI.ERR_IO  # 12 bytes, with etypes of 8
    assert failure(MPI, file.Write_all_end, buffer) == MPI.ERR_OTHER
    file.Write_all_begin(buffer)
    assert failure(MPI, file.Write_all_begin, buffer) == MPI.ERR_OTHER
    assert failure(MPI, file.Write_ordered_end, buffer) == MPI.ERR_OTHER
    assert failure(MPI, file.Close) == MPI.ERR_OTHER
    file.Write_all_end(buffer, status := MPI.Status())
    assert status.Get_count(MPI.INT) == 4
    handle = MPI.File.f2py(file.py2f())
    file.Close()
    assert failure(MPI, handle.Get_size) == MPI.ERR_FILE
    file = MPI.File.Open(MPI.COMM_SELF, path, MPI.MODE_RDONLY)
    assert failure(MPI, file.Write, buffer) == MPI.ERR_READ_ONLY
    assert failure(MPI, file.Preallocate, 100) == MPI.ERR_READ_ONLY
    with pytest.raises(MPI.Exception, match=rf"MPI_File_write_all(_c)?: {path} was opened with MPI_MODE_RDONLY"):
        file.Write_all(buffer)
    file.Close()


def test_sequential_files(MPI: ModuleType, tmp_path: Path) -> None:
    """Sequential files have only a shared pointer, and views start at its position."""
    mode = MPI.MODE_WRONLY | MPI.MODE_SEQUENTIAL | MPI.MODE_CREATE
    file = MPI.File.Open(MPI.COMM_SELF, tmp_path / "data", mode)
    assert failure(MPI, file.Write, b"a") == MPI.ERR_UNSUPPORTED_OPERATION
    assert failure(MPI, file.Write_at, 0, b"a") == MPI.ERR_UNSUPPORTED_OPERATION
    assert failure(MPI, file.Get_position) == MPI.ERR_UNSUPPORTED_OPERATION
    file.Write_shared(b"abc")
    file.Set_view(MPI.DISPLACEMENT_CURRENT, MPI.BYTE)
    assert file.Get_view()[0] == 3
    file.Write_ordered(b"de")
    file.Close()
    assert (tmp_path / "data").read_bytes() == b"abcde"


def test_modes(MPI: ModuleType, tmp_path: Path) -> None:
    """Appending starts at the end, and MPI_MODE_DELETE_ON_CLOSE deletes the file."""
    path = tmp_path / "data"
    path.write_bytes(b"abc")
    file = MPI.File.Open(MPI.COMM_SELF, path, MPI.MODE_WRONLY | MPI.MODE_APPEND)
    assert (file.Get_position(), file.Get_position_shared()) == (3, 3)
    file.Write(b"d")
    file.Write_shared(b"D")
    file.Close()
    assert path.read_bytes() == b"abcD"
    file = MPI.File.Open(MPI.COMM_SELF, path, MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE)
    file.Preallocate(2)
    assert file.Get_size() == 4
    file.Set_size(2)
    assert path.read_bytes() == b"ab"
    file.Close()
    assert not path.exists()


def test_64_ranks_write_together(run_ranks: Runner, tmp_path: Path) -> None:
    """Blocks are written by offset, in rank order, and interleaved by views; each rank reads its neighbour's."""

    def program(MPI: Any, folder: Path) -> tuple[bool, int]:
        comm = MPI.COMM_WORLD
        mine = np.full(7, comm.rank, "i")
        file = MPI.File.Open(comm, folder / "blocks", MPI.MODE_RDWR | MPI.MODE_CREATE)
        file.Set_view(0, MPI.INT)
        file.Write_at_all(7 * comm.rank, mine)
        file.Seek_shared(0, MPI.SEEK_END)
        file.Write_ordered(mine[: comm.rank % 3])
        end = file.Get_position_shared()
        file.Sync()
        comm.Barrier()
        back = np.empty(7, "i")
        file.Iread_at_all((comm.rank + 1) % comm.size * 7, back).Wait()
        file.Close()
        every = MPI.INT.Create_vector(7, 1, comm.size).Commit()
        file = MPI.File.Open(comm, folder / "interleaved", MPI.MODE_WRONLY | MPI.MODE_CREATE)
        file.Set_view(4 * comm.rank, MPI.INT, every)
        every.Free()
        file.Write_all_begin(mine)
        file.Write_all_end(mine)
        file.Close()
        return bool((back == (comm.rank + 1) % comm.size).all()), end

    assert run_ranks(program, 64, tmp_path) == [(True, 64 * 7 + 63)] * 64
    ordered = [rank for rank in range(64) for _ in range(rank % 3)]
    blocks = np.concatenate([np.repeat(np.arange(64), 7), ordered])
    assert np.array_equal(np.fromfile(tmp_path / "blocks", "i"), blocks)
    assert np.array_equal(np.fromfile(tmp_path / "interleaved", "i"), np.tile(np.arange(64), 7))


def test_the_shared_pointer(run_ranks: Runner, tmp_path: Path) -> None:
    """Each rank's record appears once, in any order."""

    def program(MPI: Any, folder: Path) -> None:
        file = MPI.File.Open(MPI.COMM_WORLD, folder / "log", MPI.MODE_WRONLY | MPI.MODE_CREATE)
        for step in range(3):
            record = np.array([MPI.COMM_WORLD.rank, step], "i")
            if step == 1:
                file.Iwrite_shared(record).Wait()
            else:
                file.Write_shared(record)
        file.Close()

    run_ranks(program, 5, tmp_path)
    records = np.fromfile(tmp_path / "log", "i").reshape(-1, 2)
    assert sorted(map(tuple, records.tolist())) == [(rank, step) for rank in range(5) for step in range(3)]


def test_all_ranks_must_agree(run_ranks: Runner, tmp_path: Path) -> None:
    """Different modes, names, sizes and representations are errors of all ranks; no rank hangs."""

    def program(MPI: Any, folder: Path) -> list[int]:
        comm, rank = MPI.COMM_WORLD, MPI.COMM_WORLD.rank
        mode = MPI.MODE_RDWR | MPI.MODE_CREATE
        found = [failure(MPI, MPI.File.Open, comm, folder / "a", mode | (MPI.MODE_EXCL if rank else 0))]
        found.append(failure(MPI, MPI.File.Open, comm, folder / f"{rank}", mode))
        found.append(failure(MPI, MPI.File.Open, comm, folder / "a", MPI.MODE_RDONLY))
        file = MPI.File.Open(comm, folder / "a", mode)
        found.append(failure(MPI, file.Set_size, rank))
        found.append(failure(MPI, file.Seek_shared, rank))
        found.append(failure(MPI, file.Set_view, 0, MPI.INT, MPI.INT, "internal" if rank else "native"))
        found.append(failure(MPI, file.Set_view, 0, MPI.INT if rank else MPI.DOUBLE))
        file.Close()
        return found

    for found in run_ranks(program, 3, tmp_path):
        assert found == [35, 35, 37, 35, 35, 35, 35]  # MPI_ERR_NOT_SAME, and MPI_ERR_NO_SUCH_FILE
    assert os.listdir(tmp_path) == ["a"]


def test_names_are_relative_to_each_ranks_directory(run_ranks: Runner, tmp_path: Path) -> None:
    """Ranks in different directories use different files with the same name."""

    def program(MPI: Any, folder: Path) -> None:
        own = folder / str(MPI.COMM_WORLD.rank)
        own.mkdir()
        os.chdir(own)
        MPI.COMM_WORLD.Barrier()
        file = MPI.File.Open(MPI.COMM_SELF, "name", MPI.MODE_WRONLY | MPI.MODE_CREATE)
        file.Write(str(own).encode())
        file.Close()

    run_ranks(program, 3, tmp_path)
    for rank in range(3):
        assert (tmp_path / str(rank) / "name").read_text() == str(tmp_path / str(rank))


def test_error_handlers(run_ranks: Runner, tmp_path: Path) -> None:
    """The default is MPI_ERRORS_RETURN; without a file, MPI_FILE_NULL's handler is called; each rank has its own."""

    def program(MPI: Any, folder: Path) -> tuple[bool, bool]:
        seen: list[Any] = []
        default = MPI.FILE_NULL.Get_errhandler() == MPI.ERRORS_RETURN
        handler = MPI.File.Create_errhandler(lambda file, error: seen.append((file.py2f(), MPI.Get_error_class(error))))
        file = MPI.File.Open(MPI.COMM_WORLD, folder / "data", MPI.MODE_RDWR | MPI.MODE_CREATE)
        if MPI.COMM_WORLD.rank == 1:
            MPI.FILE_NULL.Set_errhandler(handler)
            file.Set_errhandler(handler)
        failure(MPI, file.Iwrite_at, -1, b"")
        failure(MPI, MPI.File.Open, MPI.COMM_SELF, folder / "none", MPI.MODE_RDONLY)
        expected = [(file.py2f(), MPI.ERR_ARG), (MPI.FILE_NULL.py2f(), MPI.ERR_NO_SUCH_FILE)]
        right = seen == (expected if MPI.COMM_WORLD.rank == 1 else [])
        MPI.FILE_NULL.Set_errhandler(MPI.ERRORS_RETURN)
        file.Close()
        handler.Free()
        return default, right

    assert run_ranks(program, 2, tmp_path) == [(True, True), (True, True)]


def test_files_left_open_are_closed(run_ranks: Runner, tmp_path: Path) -> None:
    """Files of ranks that end without closing them are closed with the simulation, so descriptors do not accumulate."""
    before = len(os.listdir("/proc/self/fd"))

    def program(MPI: Any, folder: Path) -> None:
        for name in range(4):
            MPI.File.Open(MPI.COMM_SELF, folder / f"{MPI.COMM_WORLD.rank}-{name}", MPI.MODE_WRONLY | MPI.MODE_CREATE)

    run_ranks(program, 100, tmp_path)
    assert len(os.listdir("/proc/self/fd")) <= before


def test_data_representations(MPI: ModuleType, mode: str) -> None:
    mine = f"mine with {mode}"  # representations last as long as the process
    for name, again in ((mine, False), (mine, True), ("native", True), ("external32", True)):
        arguments = (name, None, None, lambda datatype: datatype.extent)
        if again:
            assert failure(MPI, MPI.Register_datarep, *arguments) == MPI.ERR_DUP_DATAREP
        else:
            MPI.Register_datarep(*arguments)
