"""User-defined reduction operations and error handlers in many ranks at once."""

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.both_modes

Runner = Callable[..., list[Any]]


def test_hundred_ranks_with_five_operations_and_an_error_handler_each(run_ranks: Runner) -> None:
    """Buffers and pickled objects are reduced by each rank's own functions, in that rank."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        rank, size = world.rank, world.size
        callers: set[int] = set()

        def scaled_sum(factor: int) -> Callable[..., Any]:
            def function(first: Any, second: Any, datatype: Any) -> Any:
                callers.add(world.rank)
                if datatype is None:
                    return first + second
                assert datatype == MPI.INT64_T
                target = np.frombuffer(second, np.int64)
                target += np.frombuffer(first, np.int64)
                return None

            return function

        operations = [MPI.Op.Create(scaled_sum(number), commute=True) for number in range(5)]
        sums = []
        for number, operation in enumerate(operations):
            result = np.zeros(3, np.int64)
            world.Allreduce([np.full(3, rank + number, np.int64), MPI.INT64_T], [result, MPI.INT64_T], operation)
            sums.append((result.tolist(), world.allreduce(rank * number, operation)))
        errors: list[int] = []
        world.Set_errhandler(MPI.Comm.Create_errhandler(lambda comm, code: errors.append(code)))
        for wrong in range(rank % 3):
            try:
                world.send(None, dest=size + wrong)
            except MPI.Exception as error:
                assert error.Get_error_code() == errors[-1]
        for operation in operations:
            operation.Free()
        return sums, len(errors), callers <= {rank}

    for rank, (sums, errors, own) in enumerate(run_ranks(program, 100)):
        total = sum(range(100))
        assert sums == [([total + 100 * number] * 3, total * number) for number in range(5)]
        assert errors == rank % 3
        assert own


def test_a_non_commutative_operation_keeps_the_order_of_ranks(run_ranks: Runner) -> None:
    """The operation multiplies 2 by 2 matrices, as bytes and as objects."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD

        def multiply(first: Any, second: Any, datatype: Any) -> Any:
            left = np.frombuffer(first, np.int64).reshape(2, 2)
            right = np.frombuffer(second, np.int64).reshape(2, 2)
            right[:] = left @ right

        operation = MPI.Op.Create(multiply, commute=False)
        mine = np.array([[1, world.rank + 1], [0, 1]], np.int64) @ np.array([[1, 0], [world.rank % 3, 1]], np.int64)
        result = np.zeros((2, 2), np.int64)
        world.Allreduce(mine, result, operation)
        return mine, result

    for ranks in (1, 2, 5, 6):
        results = run_ranks(program, ranks)
        product = np.eye(2, dtype=np.int64)
        for mine, _ in results:
            product = product @ mine
        assert all((result == product).all() for _, result in results)


def test_error_handler_of_a_rank_is_its_own(run_ranks: Runner) -> None:
    """A rank gets exceptions by default, whatever another rank has set on the same communicator."""

    def program(MPI: Any) -> Any:
        comm = MPI.COMM_WORLD.Dup()
        seen: list[int] = []
        if comm.rank == 0:
            comm.Set_errhandler(MPI.Comm.Create_errhandler(lambda c, code: seen.append(code)))
        comm.barrier()
        with contextlib.suppress(MPI.Exception):
            comm.send(None, dest=99)
        return len(seen)

    assert run_ranks(program, 3) == [1, 0, 0]


def test_a_function_that_sends_messages_of_its_own(run_ranks: Runner) -> None:
    """A callback of an attribute may communicate."""

    def program(MPI: Any) -> Any:
        world = MPI.COMM_WORLD
        key = MPI.Comm.Create_keyval(copy_fn=lambda comm, _, value: world.allreduce(value))
        comm = world.Dup()
        comm.Set_attr(key, comm.rank)
        return comm.Dup().Get_attr(key)

    assert run_ranks(program, 4) == [6] * 4


def test_pairs_leave_the_padding_alone(MPI):
    """The padding behind the last index may lie outside the buffer, so nothing is written there."""
    pairs = np.zeros(3, dtype=np.dtype([("value", "f8"), ("index", "i4")], align=True))
    theirs, mine = pairs.copy(), pairs.copy()
    theirs["value"], theirs["index"] = (5.0, 1.0, 2.0), (7, 8, 9)
    mine["value"], mine["index"] = (1.0, 4.0, 2.0), (1, 2, 3)
    mine.view("i4")[3::4] = 77  # the padding
    MPI.MAXLOC.Reduce_local([theirs, 3, MPI.DOUBLE_INT], [mine, 3, MPI.DOUBLE_INT])
    assert mine["value"].tolist() == [5.0, 4.0, 2.0]
    assert mine["index"].tolist() == [7, 2, 3]
    assert mine.view("i4")[3::4].tolist() == [77, 77, 77]
