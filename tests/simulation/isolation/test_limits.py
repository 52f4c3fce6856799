"""Limits and defaults that exist once in a process are each rank's own."""

from collections.abc import Callable

Lines = Callable[..., dict[int, list[str]]]


def test_file_mode_mask(lines_of: Lines) -> None:
    """Files that a rank creates after others have run have the rank's own mode."""
    lines = lines_of(
        """
        import os
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        if world.rank:
            os.umask(0o77 if world.rank == 1 else 0o27)
        world.Barrier()
        name = f"file.{world.rank}"
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o666))
        print(oct(os.stat(name).st_mode & 0o777) if world.rank else "", oct(os.umask(0o22)) if world.rank else "")
        os.unlink(name)
        """
    )
    assert (lines[1], lines[2]) == (["0o600 0o77"], ["0o640 0o27"])


def test_recursion_limit(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import sys
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        before = sys.getrecursionlimit()

        def depth():
            try:
                return 1 + depth()
            except RecursionError:
                return 0

        if world.rank:
            sys.setrecursionlimit(300 * world.rank)
        world.Barrier()
        print(sys.getrecursionlimit() == (300 * world.rank or before), depth() < (300 * world.rank or before))
        """
    )
    assert lines == {rank: ["True True"] for rank in range(3)}


def test_default_timeout_of_sockets(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import socket
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        if world.rank:
            socket.setdefaulttimeout(world.rank)
        try:
            socket.setdefaulttimeout(-1)
        except ValueError:
            pass
        world.Barrier()
        with socket.socket() as end:
            print(socket.getdefaulttimeout(), end.gettimeout())
        """
    )
    assert lines == {0: ["None None"], 1: ["1.0 1.0"], 2: ["2.0 2.0"]}


def test_standard_output_that_ranks_redirect_into_pipes(pysmpirun) -> None:
    """A thread of each rank reads the pipe; one rank ends while its output is redirected."""
    source = """
        import os, threading
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        found = []
        def read(pipe):
            while text := os.read(pipe, 100):
                found.append(text)
        os.write(1, b"before\\n")
        reader, writer = os.pipe()
        kept = os.dup(1)
        if world.rank < 2:
            os.dup2(writer, 1)
        os.close(writer)
        thread = threading.Thread(target=read, args=(reader,))
        thread.start()
        world.Barrier()
        os.write(1, b"%d\\n" % world.rank)
        world.Barrier()
        if world.rank == 0:
            os.dup2(kept, 1)
            thread.join()
        world.Barrier()
        os.write(1, b"after %d\\n" % world.rank)
        if world.rank == 1:
            os.dup2(reader, 1)
            thread.join()
        os.write(kept, b"found %s in %d\\n" % (b" ".join(b"".join(found).split()), world.rank))
        """
    run = pysmpirun("-np", "3", "--quiet", "program.py", source=source)
    expected = ["before"] * 3 + ["2", "after 0", "after 2", "found 0 in 0", "found 1 after 1 in 1", "found  in 2"]
    assert sorted(run.stdout.splitlines()) == sorted(expected), run.stderr
