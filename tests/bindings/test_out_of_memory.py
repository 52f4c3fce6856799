"""The end of a run when memory runs out in native code."""

import subprocess
from collections.abc import Callable

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.memory
def test_an_error_that_says_what_holds_the_memory(pysmpirun: Command) -> None:
    """Receives that the program forgets fill the memory; no exception passes through C code."""
    source = """
        import resource
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), resource.RLIM_INFINITY))
        buffer = bytearray(1)
        while True:
            world.Irecv(buffer, 1 - world.rank)
    """
    run = pysmpirun("-np", "2", "program.py", source=source)
    assert run.returncode == 1
    assert "error: memory ran out at simulated time" in run.stderr
    assert "with 2 ranks and room for" in run.stderr
    assert "folded arrays" in run.stderr
    assert "Traceback" not in run.stderr
    assert "terminate" not in run.stderr
