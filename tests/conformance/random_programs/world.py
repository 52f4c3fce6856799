"""Steps with files, spawned processes and sessions."""

import pathlib
import sys

import numpy as np
from mpi4py import MPI
from state import State

__all__ = ["RARE", "STEPS"]

CHILD = pathlib.Path(__file__).with_name("child.py")


def files(s: State) -> None:
    """Write a file in one of many ways, and read it in another."""
    length = s.draw.of((1, 40, 3000))
    name = str(s.folder / s.name)
    mode = MPI.MODE_CREATE | MPI.MODE_RDWR
    file = MPI.File.Open(s.comm, name, mode)
    sent, received = s.data(length), np.zeros(length, "i8")
    way = s.draw.of(("at", "at_all", "iat", "view", "ordered", "iat_all", "split", "seek"))
    at = 8 * length * s.rank
    if way == "at":
        file.Write_at(at, sent)
    elif way == "at_all":
        file.Write_at_all(at, sent)
    elif way == "iat":
        file.Iwrite_at(at, sent).Wait()
    elif way == "iat_all":
        file.Iwrite_at_all(at, sent).Wait()
    elif way == "split":
        file.Write_at_all_begin(at, sent)
        file.Write_at_all_end(sent)
    elif way == "ordered":
        file.Write_ordered(sent)
    elif way == "seek":
        file.Seek(at)
        file.Write(sent)
    else:  # element after element of all ranks in turn
        turns = MPI.LONG.Create_vector(length, 1, s.size).Commit()
        file.Set_view(8 * s.rank, MPI.LONG, turns)
        file.Write_all(sent)
        file.Set_view(0, MPI.BYTE)
        turns.Free()
    file.Sync()
    s.comm.Barrier()
    s.take(file.Get_size())
    back = s.draw.of(("at", "at_all", "ordered", "iread", "typed", "shared"))
    other = 8 * length * ((s.rank + 1) % s.size)
    if back == "at":
        file.Read_at(other, received)
    elif back == "at_all":
        file.Read_at_all(other, received)
    elif back == "iread":
        file.Iread_at(other, received).Wait()
    elif back == "ordered":
        file.Seek_shared(0)
        file.Read_ordered(received)
    elif back == "shared":
        file.Seek_shared(0)
        if s.rank == 0:
            file.Read_shared(received)
    else:
        pair = MPI.LONG.Create_vector(length, 1, 2).Commit()
        wide = np.zeros(2 * length, "i8")
        file.Read_at(other, [wide, 1, pair])
        pair.Free()
        received = wide
    s.take(received)
    file.Close()
    s.comm.Barrier()
    if s.rank == 0:
        MPI.File.Delete(name)


def sessions(s: State) -> None:
    session = MPI.Session.Init()
    group = session.Create_group("mpi://WORLD")
    comm = MPI.Intracomm.Create_from_group(group, f"random-{s.name}")
    s.take(comm.allreduce(s.rank), comm.size)
    comm.Free()
    group.Free()
    session.Finalize()


def spawn(s: State) -> None:
    children = s.draw.between(1, 3)
    inter = s.comm.Spawn(sys.executable, [str(CHILD)], children, root=s.draw.below(s.size))
    s.take(inter.remote_size, inter.allreduce(s.rank), inter.bcast(None, 0))
    inter.Disconnect()


STEPS = (files, files, files, sessions)
RARE = (spawn,)
