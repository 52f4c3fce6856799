"""The ABI with which mpi4py is bound."""

import subprocess
from collections.abc import Callable

import pytest

Pysmpirun = Callable[..., subprocess.CompletedProcess[str]]

PROGRAM = """
from array import array
from mpi4py import MPI
import pysmpi

world = MPI.COMM_WORLD
parent = MPI.Comm.Get_parent()
if parent == MPI.COMM_NULL:
    child = MPI.COMM_SELF.Spawn("program.py", maxprocs=1)
    child.send(world.rank, 0)
    assert child.recv(source=0) == 10 * world.rank
    child.Disconnect()
    assert child == MPI.COMM_NULL
    assert MPI.Comm.Get_parent() == MPI.COMM_NULL

    status = MPI.Status()
    request = world.isend([world.rank], (world.rank + 1) % world.size, 5)
    got = world.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
    request.wait()
    assert request == MPI.REQUEST_NULL
    assert got == [status.source] and status.tag == 5

    last = MPI.Op.Create(lambda a, b, datatype: memoryview(b).cast("i").__setitem__(0, datatype == MPI.INT))
    out = array("i", [0])
    world.Allreduce([array("i", [7]), MPI.INT], [out, MPI.INT], last)
    assert out[0] == 1 or world.size == 1
    last.Free()

    keyval = MPI.Comm.Create_keyval(copy_fn=lambda comm, key, value: value + 1)
    world.Set_attr(keyval, 3)
    twin = world.Dup()
    assert twin.Get_attr(keyval) == 4
    twin.Free()

    data, room = bytearray([world.rank]), bytearray(1)
    ring = pysmpi.Schedule(world)
    ring.send(data, (world.rank + 1) % world.size)
    ring.receive(room, MPI.ANY_SOURCE)
    ring.receive(room, MPI.PROC_NULL)
    ring.run()
    assert room[0] == (world.rank - 1) % world.size
    try:
        world.Send(array("i", [1]), dest=world.size)
    except MPI.Exception as error:
        assert error.Get_error_class() == MPI.ERR_RANK
        assert "MPI_ERR_RANK" in str(error)
    print(MPI.ANY_SOURCE, MPI.PROC_NULL, MPI.Get_library_version().partition(";")[2])
else:
    parent.send(10 * parent.recv(source=0), 0)
    parent.Disconnect()
"""


@pytest.mark.parametrize(
    ("abi", "printed"),
    [(None, "-2 -1  MPICH ABI)"), ("mpich", "-2 -1  MPICH ABI)"), ("openmpi", "-1 -2  ABI of Open MPI)")],
)
def test_mpi4py_has_the_selected_abi(pysmpirun: Pysmpirun, abi: str | None, printed: str) -> None:
    environment = {} if abi is None else {"MPI4PY_MPIABI": abi}
    run = pysmpirun("-np", "3", "program.py", source=PROGRAM, environment=environment)
    assert [line.strip("\0 ") for line in run.stdout.splitlines()] == [printed] * 3, run.stderr


def test_an_abi_for_which_mpi4py_is_not_built(pysmpirun: Pysmpirun) -> None:
    run = pysmpirun("-np", "1", "program.py", source="from mpi4py import MPI", environment={"MPI4PY_MPIABI": "lam"})
    assert run.returncode != 0
    assert "mpi4py is not built for MPI4PY_MPIABI='lam'; valid: mpich, openmpi" in run.stderr
