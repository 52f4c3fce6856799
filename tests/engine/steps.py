"""The program of `reference/steps.c` in Python."""

from collections.abc import Sequence

import pysmpi


def run_steps(lines: Sequence[str]) -> list[float]:
    """Execute this rank's steps, and return the time of each."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    times = []
    for line in lines:
        who, step, *arguments = line.split()
        if int(who) != world.rank:
            continue
        numbers = [float(argument) for argument in arguments]
        count = int(numbers[-1]) if step not in ("flops", "sleep") else 0
        out, into = bytearray(count * world.size), bytearray(count * world.size)
        one = [out, count, MPI.BYTE]
        other = [into, count, MPI.BYTE]
        peer = int(numbers[0])
        if step == "flops":
            pysmpi.execute_flops(numbers[0])
        elif step == "sleep":
            pysmpi.sleep(1e-6 * numbers[0])
        elif step == "send":
            world.Send(one, dest=peer)
        elif step == "recv":
            world.Recv(other, source=peer)
        elif step == "swap":
            world.Sendrecv(one, dest=peer, recvbuf=other, source=peer)
        elif step == "alltoall":
            world.Alltoall(one, other)
        elif step == "bcast":
            world.Bcast(one, root=0)
        elif step == "pstate":
            pysmpi.set_pstate(peer)
        times.append(MPI.Wtime())
    return times
