"""Arguments that MPI does not allow: each gives MPICH's error class instead of a crash or a wrong result."""

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Runner = Callable[..., list[Any]]

IN_PLACE = "[MPI.IN_PLACE, 1, MPI.DOUBLE]"
UNCOMMITTED = "[a, 1, vector]"
SENDS = ["Send", "Ssend", "Rsend", "Bsend", "Isend", "Issend", "Irsend", "Ibsend", "Send_init", "Bsend_init"]
RECEIVES = ["Recv", "Irecv", "Recv_init"]


def class_of(MPI: Any, call: str, path: pathlib.Path | None = None) -> str:
    """Return the error class of a call in one rank, or "ok"."""
    names = {
        "MPI": MPI,
        "c": MPI.COMM_WORLD.Dup(),
        "a": np.zeros(16),
        "b": np.zeros(16),
        "vector": MPI.DOUBLE.Create_vector(2, 1, 3),
        "D": MPI.DOUBLE,
        "path": str(path),
        "me": MPI.COMM_WORLD.rank,
    }
    names["win"] = MPI.Win.Allocate(64, 8, comm=names["c"])
    try:
        eval(call, names)
    except MPI.Exception as error:
        classes = {getattr(MPI, name): name for name in dir(MPI) if name.startswith("ERR_")}
        return classes[error.Get_error_class()]
    return "ok"


@pytest.mark.parametrize("buffer, expected", [(IN_PLACE, "ERR_BUFFER"), (UNCOMMITTED, "ERR_TYPE")])
@pytest.mark.parametrize("call", [f"c.{name}({{}}, 0)" for name in (*SENDS, *RECEIVES)] + [
    "c.Sendrecv({}, 0, 0, b, 0, 0)", "c.Sendrecv(a, 0, 0, {}, 0, 0)", "c.Sendrecv_replace({}, 0)",
    "c.Isendrecv({}, 0, 0, b, 0, 0)", "c.Isendrecv_replace({}, 0)",
    "c.Psend_init({}, 1, 0)", "c.Precv_init({}, 1, 0, 0)",
    "[c.Isend(a, 0), c.Mprobe(0)][1].Recv({})", "[c.Isend(a, 0), c.Mprobe(0)][1].Irecv({})",
    "win.Lock(0) or win.Put({}, 0)", "win.Lock(0) or win.Get({}, 0)", "win.Lock(0) or win.Accumulate({}, 0)",
    "win.Lock(0) or win.Rput({}, 0)", "win.Lock(0) or win.Get_accumulate({}, b[:2], 0)",
    "MPI.File.Open(c, path, MPI.MODE_CREATE | MPI.MODE_RDWR).Write({})",
    "MPI.File.Open(c, path, MPI.MODE_CREATE | MPI.MODE_RDWR).Iread_at(0, {})",
])  # fmt: skip
def test_in_place_and_uncommitted_types(
    run_ranks: Runner, tmp_path: pathlib.Path, call: str, buffer: str, expected: str
) -> None:
    assert run_ranks(class_of, 1, call.format(buffer), tmp_path / "file") == [expected]


@pytest.mark.parametrize(
    "call",
    [
        "c.Bcast([a, 1, vector])",
        "c.Allgather([a, 1, vector], b)",
        "c.Alltoallw([a, [1], [0], [vector]], [b, [2], [0], [D]])",
        "c.Igather(a[:2], [b, 1, vector])",
        "c.Allreduce_init([a, 1, vector], [b, 1, vector])",
        "vector.Pack(a, bytearray(16), 0, c)",
        "vector.Unpack(bytearray(16), 0, a, c)",
        "win.Lock(0) or win.Put(a[:2], 0, [0, 1, vector])",
        "MPI.File.Open(c, path, MPI.MODE_CREATE | MPI.MODE_RDWR).Set_view(0, D, vector)",
        "MPI.File.Open(c, path, MPI.MODE_CREATE | MPI.MODE_RDWR).Get_type_extent(vector)",
        "c.Send([a, 1, vector.Dup()], 0)",
    ],
)
def test_uncommitted_types(run_ranks: Runner, tmp_path: pathlib.Path, call: str) -> None:
    assert run_ranks(class_of, 1, call, tmp_path / "file") == ["ERR_TYPE"]


def test_committed_types_stay_committed_in_copies(run_ranks: Runner) -> None:
    """A duplicate is committed if the original is; types made from a committed one are not."""

    def program(MPI: Any) -> list[str]:
        committed = MPI.DOUBLE.Create_vector(2, 1, 3).Commit()
        found = []
        for datatype in (committed.Dup(), committed.Create_contiguous(1), committed.Create_resized(0, 64)):
            try:
                MPI.COMM_SELF.Isend([np.zeros(9), 1, datatype], 0)
                found.append("ok")
            except MPI.Exception as error:
                found.append(str(error))
        return found

    ((first, *others),) = run_ranks(program, 1)
    assert first == "ok"
    assert all("has not been committed; call MPI_Type_commit" in other for other in others)


def test_displacements_after_bottom_are_addresses(run_ranks: Runner) -> None:
    """Only MPI_Alltoallw and its relatives have displacements in bytes; others refuse the null pointer."""

    def program(MPI: Any) -> float:
        ring = MPI.COMM_WORLD.Create_cart([1], [True])
        a, b, types = np.array([1.0, 2.0]), np.zeros(2), [MPI.DOUBLE] * 2
        places = [[MPI.Get_address(array[i:]) for i in range(2)] for array in (a, b)]
        ring.Neighbor_alltoallw(
            [MPI.BOTTOM, [1, 1], places[0], types],
            [MPI.BOTTOM, [1, 1], places[1], types],
        )
        return float(b.sum())

    assert run_ranks(program, 1) == [3.0]
    assert run_ranks(class_of, 1, "c.Allgatherv(a[:1], [MPI.BOTTOM, [1], [0], D])") == ["ERR_BUFFER"]


ALIASED = [
    ("c.Gather(b[me:me + 1], b[:2])", "0"),
    ("c.Gatherv(b[me:me + 1], [b, [1, 1], [0, 1], D])", "0"),
    ("c.Allgather(b[me:me + 1], b[:2])", "01"),
    ("c.Allgatherv(b[me:me + 1], [b, [1, 1], [0, 1], D])", "01"),
    ("c.Alltoall(b[:2], b[:2])", "01"),
    ("c.Alltoallv([b, [1, 1], [0, 1], D], [b, [1, 1], [0, 1], D])", "01"),
    ("c.Alltoallw([b, [1, 1], [0, 8], [D] * 2], [b, [1, 1], [0, 8], [D] * 2])", "01"),
    ("c.Iallreduce(b[:2], b[:2])", "01"),
    ("c.Allgather_init(b[me:me + 1], b[:2])", "01"),
]


@pytest.mark.parametrize("call, ranks", ALIASED)
def test_aliased_buffers(run_ranks: Runner, call: str, ranks: str) -> None:
    """Ranks whose own block lies at the same address on both sides get an error; the others do not notice."""
    expected = ["ERR_BUFFER" if str(rank) in ranks else "ok" for rank in range(2)]
    assert run_ranks(class_of, 2, call) == expected


@pytest.mark.parametrize("call", ["c.Scatter(b[:1], b[:1])", "c.Scatterv([b, [1], [3], D], b[3:4])"])
def test_aliased_buffers_of_a_root(run_ranks: Runner, call: str) -> None:
    assert run_ranks(class_of, 1, call) == ["ERR_BUFFER"]


@pytest.mark.parametrize(
    "call",
    [
        "c.Alltoallv([b, [1, 1], [0, 1], D], [b, [1, 1], [2, 3], D])",
        "c.Allgather([b, 1, D.Create_resized(0, 16).Commit()], [a, 1, D])",
        "c.Allgather(b[:0], b[:0])",
        "c.Alltoallv([b, [0, 0], [0, 0], D], [b, [0, 0], [0, 0], D])",
        "c.Gather(MPI.IN_PLACE if me == 0 else b[1:2], b[:2] if me == 0 else None)",
    ],
)
def test_buffers_that_do_not_overlap(run_ranks: Runner, call: str) -> None:
    assert run_ranks(class_of, 2, call) == ["ok", "ok"]


@pytest.mark.parametrize("call", ["c.Bsend({}, MPI.PROC_NULL)", "c.Bsend({}, 0)", "c.Ibsend({}, 0)"])
@pytest.mark.parametrize("room, expected", [(None, "ERR_BUFFER"), (7, "ERR_BUFFER"), (8, "ok")])
def test_buffered_sends_need_room(run_ranks: Runner, call: str, room: int | None, expected: str) -> None:
    """The message and MPI_BSEND_OVERHEAD must fit into the attached buffer."""
    attach = "" if room is None else f"MPI.Attach_buffer(bytearray({room} + MPI.BSEND_OVERHEAD)) or "
    expected = "ok" if "PROC_NULL" in call else expected
    assert run_ranks(class_of, 1, attach + call.format("a[:1]")) == [expected]


def test_a_persistent_buffered_send_needs_room_when_it_starts(run_ranks: Runner) -> None:
    assert run_ranks(class_of, 1, "c.Bsend_init(a, 0)") == ["ok"]
    assert run_ranks(class_of, 1, "c.Bsend_init(a, 0).Start()") == ["ERR_BUFFER"]


def test_buffers_of_other_communicators_do_not_help(run_ranks: Runner) -> None:
    assert run_ranks(class_of, 1, "MPI.COMM_SELF.Attach_buffer(bytearray(500)) or c.Bsend(a, 0)") == ["ERR_BUFFER"]
    assert run_ranks(class_of, 1, "c.Attach_buffer(bytearray(500)) or c.Bsend(a, 0)") == ["ok"]


@pytest.mark.parametrize("wait", ["Waitall", "Waitsome", "Testall", "Testsome"])
def test_several_requests_fail_with_one_class(run_ranks: Runner, wait: str) -> None:
    """With or without statuses; the text contains the first error."""

    def program(MPI: Any, with_statuses: bool) -> tuple[bool, str]:
        c = MPI.COMM_SELF
        requests = [c.Isend(np.zeros(4), 0), c.Irecv(np.zeros(2), 0)]
        try:
            for _ in range(100):
                getattr(MPI.Request, wait)(requests, [] if with_statuses else None)
        except MPI.Exception as error:
            return error.Get_error_class() == MPI.ERR_IN_STATUS, str(error)
        return False, ""

    for with_statuses in (False, True):
        ((right, text),) = run_ranks(program, 1, with_statuses)
        assert right
        assert "message of 32 bytes" in text
        assert text.endswith("(MPI_ERR_IN_STATUS)")
