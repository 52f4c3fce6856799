"""Partitioned communication: parts of a message are sent when they become ready."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Runner = Callable[..., list[Any]]
QUICK = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUICK
@given(st.permutations(range(6)), st.sampled_from([1, 2, 3, 4, 6, 12]), st.booleans(), st.booleans())
def test_both_sides_divide_as_they_like(
    run_ranks: Runner, order: list[int], parts: int, gaps: bool, late: bool
) -> None:
    """Orders of parts, the receiver's partitions and datatype, and the first side vary."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        if world.rank == 0:
            data = np.zeros(24)
            if late:
                world.Barrier()
            request = world.Psend_init([data, 4, MPI.DOUBLE], 6, 1, 9)
            for use in range(2):
                data[:] = np.arange(24) + 100 * use
                request.Start()
                for part in order:
                    request.Pready(part)
                request.Wait()
            request.Free()
            return True
        step = 3 if gaps else 1
        element = MPI.DOUBLE.Create_vector(24 // parts, 1, step).Create_resized(0, 24 // parts * step * 8).Commit()
        into = np.full(24 * step, -1.0)
        request = world.Precv_init([into, 1, element], parts, 0, 9)
        if late:
            request.Start()
            world.Barrier()
        good = []
        for use in range(2):
            if use or not late:
                request.Start()
            for part in range(parts):
                while not request.Parrived(part):
                    pass
            status = MPI.Status()
            request.Wait(status)
            good.append((into[::step] == np.arange(24) + 100 * use).all())
            good.append((status.Get_source(), status.Get_tag(), status.Get_count(MPI.DOUBLE)) == (0, 9, 24))
        good.append(not gaps or (into[1::3] == -1).all())
        request.Free()
        return all(good)

    assert run_ranks(program, 2) == [True, True]


def test_a_part_arrives_before_others_are_ready(run_ranks: Runner) -> None:
    """MPI_Parrived reports each part; the request completes with the last one."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        buffer = np.full(40_000, world.rank + 1.0)
        if world.rank == 0:
            request = world.Psend_init([buffer, 20_000, MPI.DOUBLE], 2, 1, 5)
            request.Start()
            request.Pready(1)
            world.Barrier()
            request.Pready(0)
            request.Wait()
            return None
        request = world.Precv_init([buffer, 20_000, MPI.DOUBLE], 2, 0, 5)
        request.Start()
        while not request.Parrived(1):
            pass
        first = request.Parrived(0), request.Test(), buffer[0], buffer[-1]
        world.Barrier()
        request.Wait()
        return first, request.Parrived(0), buffer[0]

    assert run_ranks(program, 2)[1] == ((False, False, 2.0, 1.0), True, 1.0)


def test_requests_pair_in_the_order_of_their_making(run_ranks: Runner) -> None:
    """Two sends with one tag match the two receives in order, though the second is ready first."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        buffers = [np.full(2, 10.0 * i) for i in range(2)]
        if world.rank == 0:
            requests = [world.Psend_init([buffer, 1, MPI.DOUBLE], 2, 1, 5) for buffer in buffers]
            MPI.Prequest.Startall(requests)
            for request in reversed(requests):
                request.Pready_range(0, 1)
        else:
            requests = [world.Precv_init([buffer, 1, MPI.DOUBLE], 2, 0, 5) for buffer in buffers]
            MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        return [buffer.tolist() for buffer in buffers]

    assert run_ranks(program, 2)[1] == [[0, 0], [10, 10]]


def test_wrong_uses(run_ranks: Runner) -> None:
    def program(MPI: Any) -> None:
        request = MPI.COMM_WORLD.Psend_init(np.zeros(4), 2, MPI.PROC_NULL)
        with pytest.raises(MPI.Exception, match="has not been started"):
            request.Pready(0)
        request.Start()
        with pytest.raises(MPI.Exception, match="invalid partition 2; valid: 0 to 1"):
            request.Pready(2)
        request.Pready_list([1, 0])
        with pytest.raises(MPI.Exception, match="partition 1 is already marked ready"):
            request.Pready(1)
        request.Wait()

    run_ranks(program, 1)
