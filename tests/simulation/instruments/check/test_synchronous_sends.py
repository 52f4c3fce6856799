"""Tests of programs that rely on buffers, with --all-sends-synchronous."""

import pathlib

import numpy as np
import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.errors import DeadlockError


def exchange(begin: str) -> None:
    """Let both ranks send first; `begin` is the send function."""
    world = MPI.COMM_WORLD
    other, sent, received = 1 - world.rank, np.full(10, world.rank), np.zeros(10, int)
    if begin == "send":
        world.Send(sent, other)
        world.Recv(received, other)
    elif begin == "isend":
        request = world.Isend(sent, other)
        request.Wait()
        world.Recv(received, other)
    elif begin == "persistent":
        started = world.Send_init(sent, other)
        started.Start()
        started.Wait()
        world.Recv(received, other)
    elif begin == "sendrecv":
        world.Sendrecv(sent, other, recvbuf=received, source=other)
    elif begin == "wait later":
        request = world.Isend(sent, other)
        world.Recv(received, other)
        request.Wait()
    elif begin == "buffered":
        MPI.Attach_buffer(bytearray(1000))
        world.Bsend(sent, other)
        world.Recv(received, other)
        MPI.Detach_buffer()
    elif begin == "collective":
        received[:] = world.allgather(world.rank)[other]
    assert received[0] == other


@pytest.mark.parametrize("begin", ["send", "isend", "persistent"])
def test_sends_that_rely_on_buffers(begin: str, platform_file: pathlib.Path) -> None:
    pysmpi.simulate(exchange, np=2, platform=platform_file, args=[begin])
    with pytest.raises(DeadlockError) as caught:
        pysmpi.simulate(exchange, np=2, platform=platform_file, args=[begin], cfg={"smpi/buffering": "zero"})
    text = str(caught.value)
    assert "wait-for cycle: rank 0 -> 1 -> 0 (2 ranks)" in text
    last = text.splitlines()[-1]
    assert last.startswith("2 ranks wait for a send that an MPI library may have buffered")
    assert "--all-sends-synchronous" in last
    assert "MPI_Sendrecv" in last


@pytest.mark.parametrize("begin", ["sendrecv", "wait later", "buffered", "collective"])
def test_programs_that_do_not(begin: str, platform_file: pathlib.Path) -> None:
    for buffering in ("infty", "zero"):
        pysmpi.simulate(exchange, np=2, platform=platform_file, args=[begin], cfg={"smpi/buffering": buffering})


def test_a_synchronous_send_is_not_the_options_doing(platform_file: pathlib.Path) -> None:
    def program() -> None:
        MPI.COMM_WORLD.Ssend(np.ones(1), 1 - MPI.COMM_WORLD.rank)

    with pytest.raises(DeadlockError) as caught:
        pysmpi.simulate(program, np=2, platform=platform_file, cfg={"smpi/buffering": "zero"})
    assert "buffered" not in str(caught.value)
