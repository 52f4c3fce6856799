"""Standard streams of ranks: whole lines, labels, and reading of the input."""

import io
import os
import pathlib
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pysmpi.simulation.isolation import streams
from pysmpi.simulation.isolation.streams import RankOutput

Command = Callable[..., subprocess.CompletedProcess[str]]
FLUSH = object()


def shown(writes: list[tuple[int, Any]], **settings: Any) -> str:
    """Return the output after these ranks have written, or flushed, these texts or bytes in turn."""
    with pytest.MonkeyPatch.context() as patch:
        target = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True, newline="")
        output = RankOutput(target, **settings)
        for rank, what in writes:
            patch.setattr(streams, "running_rank", lambda rank=rank: rank)
            if what is FLUSH:
                output.flush()
            elif isinstance(what, bytes):
                assert output.buffer.write(what) == len(what)
            else:
                assert output.write(what) == len(what)
        for rank in sorted({rank for rank, _ in writes}):
            output.end_rank(rank)
        output.flush()
        return target.buffer.getvalue().decode(errors="surrogateescape")  # type: ignore[attr-defined]


@pytest.fixture(params=[True, False])
def hold(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Return whether incomplete lines are held when they are flushed."""
    yield request.param


def test_a_label_stands_at_the_beginning_of_a_line(hold: bool) -> None:
    writes = [(0, "test"), (0, FLUSH), (0, " ..."), (0, FLUSH), (0, " ok\nnext\n\nlast"), (0, FLUSH), (0, "\n")]
    assert shown(writes, label=True, hold=hold) == "[0] test ... ok\n[0] next\n[0] \n[0] last\n"
    assert shown(writes, hold=hold) == "test ... ok\nnext\n\nlast\n"


def test_pieces_of_two_ranks(hold: bool) -> None:
    """The first flushed one of two incomplete lines is shown; the other follows when complete."""
    writes = [(0, "a"), (0, FLUSH), (1, "b"), (1, FLUSH), (0, "A\n"), (1, "B\n")]
    assert shown(writes, label=True, hold=hold) == "[0] aA\n[1] bB\n"


def test_a_line_that_another_rank_interrupts() -> None:
    """The shown part of an incomplete line becomes a line, and so does its rest."""
    writes = [(0, "wait"), (0, FLUSH), (1, "hello\n"), (0, "ed\n")]
    assert shown(writes, label=True, hold=False) == "[0] wait\n[1] hello\n[0] ed\n"
    assert shown(writes, label=True, hold=True) == "[1] hello\n[0] waited\n"


def test_progress_bars(hold: bool) -> None:
    """A carriage return restarts the line with its label, except directly before the end of a line."""
    writes = [(1, "\r 1%"), (1, FLUSH), (1, "\r 2%"), (1, FLUSH), (1, "\ndone\r\n")]
    assert shown(writes, label=True, hold=hold) == "\r[1]  1%\r[1]  2%\n[1] done\r\n"


def test_characters_that_arrive_in_pieces(hold: bool) -> None:
    """Bytes of one character may arrive one by one, with other ranks' bytes in between."""
    euro = "€\n".encode()
    writes = [entry for byte in euro for entry in ((0, bytes([byte])), (1, "x"))]
    assert sorted(shown(writes, hold=hold).splitlines()) == ["xxxx", "€"]


def test_bytes_that_are_no_text(hold: bool) -> None:
    """Other bytes are written unchanged after the rank's earlier output."""
    assert shown([(0, "size 4:"), (0, b"\xff\xfe\n\x00")], label=False, hold=hold) == "size 4:\udcff\udcfe\n\0"


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.one_of(st.just(FLUSH), st.text(alphabet="abc\n", max_size=4))), max_size=20
    ),
    st.booleans(),
)
def test_no_text_is_lost_or_mixed(writes: list[tuple[int, Any]], hold: bool) -> None:
    """Apart from line ends added at interruptions, lines with a rank's label equal its output."""
    lines = shown(writes, label=True, hold=hold).splitlines()
    for rank in range(4):
        text = "".join(what for writer, what in writes if writer == rank and what is not FLUSH)
        mine = [line.removeprefix(f"[{rank}] ") for line in lines if line.startswith(f"[{rank}] ")]
        assert "".join(mine) == text.replace("\n", "")
        if hold:
            assert mine == text.splitlines()


def test_a_wrapper_around_the_bytes(pysmpirun: Command) -> None:
    """Programs that choose an encoding wrap sys.stdout.buffer, and may discard the wrapper."""
    source = """
        import io, sys
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", line_buffering=True)
        print("rank", comm.rank)
        sys.stdout = sys.__stdout__
        comm.Barrier()
        sys.stdout.buffer.write(b"still\\n")
    """
    run = pysmpirun("-np", "2", "--quiet", "program.py", source=source)
    assert (run.returncode, run.stderr) == (0, "")
    assert sorted(run.stdout.splitlines()) == ["rank 0", "rank 1", "still", "still"]


def test_the_first_rank_reads_the_input(pysmpirun: Command) -> None:
    source = """
        import sys
        from mpi4py import MPI
        if MPI.COMM_WORLD.rank == 0:
            print(input("name? "), next(sys.stdin).strip(), len(sys.stdin.read(3)), len(sys.stdin.buffer.read()) > 1000)
        else:
            try:
                input("other? ")
            except EOFError:
                print(list(sys.stdin), sys.stdin.read(), sys.stdin.readline(), sys.stdin.buffer.read())
    """
    settings = ("--quiet", "--cfg=smpi/simulate-computation:no")
    run = pysmpirun("-np", "2", *settings, "program.py", source=source, stdin="Ann\nsecond\n" + "x" * 1_000_000)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines() == ["name? Ann second 3 True", "other? []   b''"]


def test_prompts_at_a_terminal(platform_file: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """A prompt is shown before input is awaited, which takes no time; other ranks' lines do not follow it directly."""
    script = tmp_path / "program.py"
    script.write_text(
        "from mpi4py import MPI\n"
        "import time\n"
        "comm = MPI.COMM_WORLD\n"
        "if comm.rank == 0:\n"
        "    print('name', end='? ')\n"
        "    name = input()\n"
        "    print('hello', name, MPI.Wtime() < 0.2)\n"
        "comm.Barrier()\n"
        "print('end')\n"
    )
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "pysmpi.cli.run", "--platform", str(platform_file), "-np", "2", "--quiet"]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [*command, "--label", str(script)], stdin=terminal, stdout=terminal, stderr=terminal, env=variables
    ) as process:
        os.close(terminal)
        text = b""
        while b"? " not in text:
            text += os.read(controller, 1000)
        os.write(controller, b"Ann\n")
        try:
            while more := os.read(controller, 1000):
                text += more
        except OSError:  # the other end has been closed
            pass
    os.close(controller)
    assert process.returncode == 0
    assert text.decode().split("\r\n") == ["[0] name? Ann", "[0] hello Ann True", "[0] end", "[1] end", ""]
