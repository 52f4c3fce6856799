"""Requests of several messages, generalized requests, and queries that do not complete requests."""

import pickle
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

Runner = Callable[..., list[Any]]


@pytest.mark.parametrize("items", [0, 1, 100_000])
def test_isendrecv_around_a_ring(run_ranks: Runner, items: int) -> None:
    """The status is the receive's; the request completes with both messages, at eager and rendezvous sizes."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        left, right = (world.rank - 1) % world.size, (world.rank + 1) % world.size
        out, into, status = np.full(items, world.rank), np.full(items + 1, -1), MPI.Status()
        world.Isendrecv(out, right, world.rank, into, left, MPI.ANY_TAG).Wait(status)
        said = (status.Get_source(), status.Get_tag(), status.Get_count(MPI.LONG))
        return (into[:items] == left).all() and into[items] == -1 and said == (left, left, items)

    assert run_ranks(program, 3) == [True] * 3


@pytest.mark.parametrize("items", [1, 100_000])
def test_isendrecv_replace(run_ranks: Runner, items: int) -> None:
    """The buffer's contents at the call are sent, also for a datatype with gaps."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        other, buffer = 1 - world.rank, np.arange(3 * items) + 1000 * world.rank
        expected = np.where(np.arange(3 * items) % 3 == 0, np.arange(3 * items) + 1000 * other, buffer)
        column = MPI.LONG.Create_vector(items, 1, 3).Commit()
        request = world.Isendrecv_replace([buffer, 1, column], other, 5, other, 5)
        column.Free()
        request.Wait()
        return (buffer == expected).all()

    assert run_ranks(program, 2) == [True, True]


def test_isendrecv_beside_other_receives(run_ranks: Runner) -> None:
    """The messages are ordinary ones, which the other end may send and receive one by one."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        into = np.zeros(1)
        if world.rank == 0:
            request = world.Isendrecv(np.array([7.0]), 1, 3, into, 1, 4)
            early = request.Test()
            world.Barrier()
            request.Wait()
            return early, into[0]
        world.Recv(into, 0, 3)
        world.Barrier()
        world.Send(into + 1, 0, 4)
        return None

    assert run_ranks(program, 2)[0] == (False, 8.0)


def test_a_truncated_isendrecv(run_ranks: Runner) -> None:
    """MPI_Wait fails and reports the length of the message."""

    def program(MPI: Any) -> str:
        world = MPI.COMM_WORLD
        request = world.Isendrecv(np.zeros(4), 1 - world.rank, 0, np.zeros(2), 1 - world.rank, 0)
        try:
            request.Wait()
        except MPI.Exception as error:
            return error.Get_error_string()
        return "no error"

    for text in run_ranks(program, 2):
        assert "message of 32 bytes" in text
        assert "the receive buffer has 16 bytes" in text


def test_looking_at_requests_leaves_them(run_ranks: Runner) -> None:
    """MPI_Request_get_status_all, _any and _some give the same results as a later MPI_Waitall."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        if world.rank == 1:
            world.Send(np.zeros(3), 0, 1)
            world.Barrier()
            world.Barrier()
            world.Send(np.zeros(5), 0, 0)
            return None
        requests = [world.Irecv(np.zeros(9), 1, tag) for tag in (0, 1)] + [MPI.REQUEST_NULL]
        world.Barrier()
        statuses: list[Any] = [MPI.Status() for _ in requests]
        some = MPI.Request.Get_status_some(requests, statuses)
        found = statuses[0].Get_count(MPI.DOUBLE)
        status = MPI.Status()
        which = MPI.Request.Get_status_any(requests, status)
        before = MPI.Request.Get_status_all(requests)
        world.Barrier()
        while not MPI.Request.Get_status_all(requests, statuses):
            pass
        counts = [each.Get_count(MPI.DOUBLE) for each in statuses]
        sources = [each.Get_source() for each in statuses]
        MPI.Request.Waitall(requests, statuses)
        again = [each.Get_count(MPI.DOUBLE) for each in statuses]
        return some, found, which, status.Get_tag(), before, counts, again, sources == [1, 1, MPI.ANY_SOURCE]

    assert run_ranks(program, 2)[0] == ([1], 3, (1, True), 1, False, [5, 3, 0], [5, 3, 0], True)


def test_generalized_requests(run_ranks: Runner) -> None:
    """A thread completes it; the program's functions are called in order, in its rank."""

    def program(MPI: Any) -> Any:
        calls: list[Any] = []

        def query(status: Any, name: str) -> None:
            calls.append(("query", name))
            status.Set_source(3)
            status.Set_elements(MPI.INT, 4)

        request = MPI.Grequest.Start(
            query,
            lambda name: calls.append(("free", name)),
            lambda complete, name: calls.append(("cancel", complete)),
            args=(f"of {MPI.COMM_WORLD.rank}",),
        )
        request.Cancel()
        thread = threading.Thread(target=lambda: (MPI.COMM_WORLD.Barrier(), request.Complete()))
        thread.start()
        status = MPI.Status()
        MPI.Request.Waitall([request], [status])
        thread.join()
        return calls, status.Get_source(), status.Get_count(MPI.INT)

    for rank, (calls, source, count) in enumerate(run_ranks(program, 2)):
        name = f"of {rank}"
        assert calls[0] == ("cancel", False)
        assert calls[-2:] == [("query", name), ("free", name)]
        assert (source, count) == (3, 4)


def test_a_generalized_request_that_was_freed(MPI: ModuleType) -> None:
    """The free function is called when it completes."""
    calls: list[str] = []
    request = MPI.Grequest.Start(None, lambda: calls.append("free"), None)
    alias = MPI.Grequest.fromhandle(request.handle)
    request.Free()
    assert calls == []
    alias.Complete()
    assert calls == ["free"]


def test_ranks_pickle_with_functions_of_their_own(run_ranks: Runner) -> None:
    """MPI.pickle is private to ranks, also for messages that mpi4py pickles."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        used = []
        if world.rank == 1:

            def dumps(obj: Any) -> bytes:
                used.append(obj)
                return pickle.dumps(obj)

            MPI.pickle.__init__(dumps, pickle.loads)
        world.Barrier()
        got = world.sendrecv(world.rank, 1 - world.rank, source=1 - world.rank)
        return got, used, MPI.pickle.loads(MPI.pickle.dumps([1])), MPI.pickle.PROTOCOL is None

    assert run_ranks(program, 2) == [(1, [], [1], False), (0, [1, [1]], [1], True)]
    assert run_ranks(lambda MPI: MPI.pickle.PROTOCOL, 1) == [pickle.HIGHEST_PROTOCOL]


def test_which_thread_is_the_main_one(run_ranks: Runner) -> None:
    """The function is MPI_Is_thread_main."""

    def program(MPI: Any) -> list[bool]:
        said = [MPI.Is_thread_main()]
        thread = threading.Thread(target=lambda: said.append(MPI.Is_thread_main()))
        thread.start()
        thread.join()
        return said

    assert run_ranks(program, 2) == [[True, False]] * 2


def test_two_threads_in_a_pickled_collective_on_one_communicator(run_ranks: Runner) -> None:
    """mpi4py's lock of the communicator blocks the second thread; other threads continue."""

    def program(MPI: Any) -> list[int]:
        world, got = MPI.COMM_WORLD, []
        threads = [threading.Thread(target=lambda: got.append(world.bcast(world.rank + 1, root=0))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return got

    assert run_ranks(program, 3) == [[1, 1, 1]] * 3


def test_added_error_classes_and_codes_can_be_removed(MPI: ModuleType) -> None:
    """Codes are removed before their class, texts before both; then the numbers are free again."""
    class_ = MPI.Add_error_class()
    code = MPI.Add_error_code(class_)
    MPI.Add_error_string(code, "broken")
    for remove in (lambda: MPI.Remove_error_class(class_), lambda: MPI.Remove_error_code(code)):
        with pytest.raises(MPI.Exception):
            remove()
    MPI.Remove_error_string(code)
    MPI.Remove_error_code(code)
    MPI.Remove_error_class(class_)
    with pytest.raises(MPI.Exception):
        MPI.Remove_error_class(class_)
    assert MPI.Get_error_class(code) == MPI.ERR_UNKNOWN
    last = MPI.COMM_WORLD.Get_attr(MPI.LASTUSEDCODE)
    assert {MPI.Add_error_class(), MPI.Add_error_class()} == {class_, code}
    assert MPI.COMM_WORLD.Get_attr(MPI.LASTUSEDCODE) == last
    assert MPI.Add_error_class() == last + 1
