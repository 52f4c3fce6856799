"""Replays of time-independent traces against SMPI 3.32's (`replays/README.md` tells how its times were made)."""

import json
import os
import pathlib
from typing import Any

import pytest

import pysmpi
from pysmpi.errors import DeadlockError
from pysmpi.simulation.replay import ReplayError, read_program

HERE = pathlib.Path(__file__).parent
PLATFORMS = HERE.parents[1] / "parity" / "platforms"
CASES = [json.loads(line) for line in (HERE / "replays" / "cases.jsonl").read_text().splitlines()]


def written(directory: pathlib.Path, traces: list[list[str]]) -> pathlib.Path:
    """Write a list of traces with the files that it names."""
    for rank, lines in enumerate(traces):
        (directory / f"{rank}.txt").write_text("".join(f"{rank} {line}\n" for line in lines))
    index = directory / "index"
    index.write_text("".join(f"{rank}.txt\n" for rank in range(len(traces))))
    return index


def end_times(path: pathlib.Path, **settings: Any) -> list[float]:
    """Return the end of each rank on a cluster with one core per host."""
    return list(pysmpi.simulate_replay(path, platform="flat:8", **settings).end_times)


@pytest.mark.smpi
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_times_equal_those_of_smpi(case: dict[str, Any], tmp_path: pathlib.Path) -> None:
    platform = PLATFORMS / f"{case['platform']}.xml"
    result = pysmpi.simulate_replay(
        written(tmp_path, case["traces"]),
        platform=platform,
        hosts=platform.with_suffix(".hosts"),
        cfg=case["cfg"],
    )
    assert list(result.end_times) == pytest.approx(case["times"], rel=1e-9, abs=1e-12)


def test_every_action_is_among_the_cases() -> None:
    words = {line.split()[0] for case in CASES for trace in case["traces"] for line in trace}
    assert len(words) == 31


def test_ranks_may_share_a_file(tmp_path: pathlib.Path) -> None:
    """Lines of all ranks in one file, in any order, equal one file per rank."""
    traces = [["init", "send 1 0 5000", "compute 1e6"], ["init", "recv 0 0 5000"]]
    apart = end_times(written(tmp_path, traces))
    together = tmp_path / "shared"
    together.write_text("# a comment\n1 init\n0 init\n\n0 send 1 0 5000\n1 recv 0 0 5000\n0 compute 1e6\n")
    assert end_times(together) == apart
    (tmp_path / "list").write_text("shared\n")
    assert end_times(tmp_path / "list") == apart


def test_ranks_without_lines_end_at_once(tmp_path: pathlib.Path) -> None:
    (tmp_path / "one").write_text("0 init\n0 sleep 0.5\n0 finalize\n")
    assert end_times(tmp_path / "one", np=3) == [0.5, 0.0, 0.0]
    assert end_times(written(tmp_path, [["sleep 0.5"], []])) == [0.5, 0.0]


def test_computation_takes_no_time_without_simulate_computation(tmp_path: pathlib.Path) -> None:
    """Compute actions follow the setting; flops of reductions, and sleeps, do not, as in SMPI."""
    traces = [["compute 1e9", "sleep 0.25", "allreduce 0 1e9"]]
    platform = "flat:1:speed=1Gf"
    index = written(tmp_path, traces)
    (tmp_path / "index").write_text("0.txt\n")
    full = pysmpi.simulate_replay(index, platform=platform)
    less = pysmpi.simulate_replay(index, platform=platform, cfg=["smpi/simulate-computation:no"])
    assert full.simulated_time == pytest.approx(2.25)
    assert less.simulated_time == pytest.approx(1.25)


def test_datatypes_have_smpis_lengths(tmp_path: pathlib.Path) -> None:
    """Elements count by their datatype; `init` with a word makes MPI_DOUBLE the default, and -1 has no length."""

    def time_of(lines: list[str]) -> float:
        other = [line.replace("send 1", "recv 0") for line in lines]
        return end_times(written(tmp_path, [lines, other]))[1]

    assert time_of(["init", "send 1 0 8000"]) == time_of(["init 1", "send 1 0 1000"])
    assert time_of(["init", "send 1 0 1000 0"]) == time_of(["init", "send 1 0 8000 6"])
    assert time_of(["init", "send 1 0 1000 -1"]) == time_of(["init", "send 1 0 0"])


def test_any_source_and_tag(tmp_path: pathlib.Path) -> None:
    traces = [["send 1 7 100"], ["irecv -555 -444 100", "wait -555 1 -444"]]
    assert end_times(written(tmp_path, traces))[1] > 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("sned 1 0 8", r"1\.txt:2: unknown action 'sned'; did you mean 'send'\? \(valid: send, recv"),
        ("send 1 0", r"1\.txt:2: send: the size is missing"),
        ("send 2 0 8", r"1\.txt:2: send: the other rank is 2; valid: 0 to 1"),
        ("send 0 0 -8", r"1\.txt:2: send: the size is negative: -8"),
        ("send 0 x 8", r"1\.txt:2: send: the tag 'x' is not a whole number"),
        ("send 0 0 8 60", r"1\.txt:2: send: unknown datatype 60; valid: 0"),
        ("compute lots", r"1\.txt:2: compute: the flops are 'lots'; give a number"),
        ("gatherv 4 4", r"1\.txt:2: gatherv: a rank's size is missing"),
        ("send 0 0 8e18", r"1\.txt:2: send: the size is 8000000000000000000; the maximum is 9007199254740992"),
        ("alltoall 8 8e15", r"1\.txt:2: alltoall: the size received is 80+; the maximum is 4503599627370496"),
    ],
)
def test_a_malformed_line_is_named(line: str, message: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ReplayError, match=message):
        end_times(written(tmp_path, [["init"], ["init", line]]))


def test_pipes_are_refused(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ReplayError, match="pipe: not a regular file; pipes and devices are not supported"):
        read_program(tmp_path / "pipe")


def test_a_malformed_line_of_many_sizes(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "trace"
    path.write_text("".join(f"{rank} init\n" for rank in range(5000)) + "0 reducescatter x 1 -1\n")
    with pytest.raises(ReplayError, match=r"trace:5001: reducescatter: a rank's size 'x' is not a whole number"):
        read_program(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "999999999999 init\n",
            "trace:1: the rank 999999999999 at the start of the line is too large; the limit is 16777215",
        ),
        ("0 init\n2000000000 init\n", "trace:2: the rank 2000000000 at the start of the line is too large"),
        ("0 init\n" + "9" * 5000 + " init\n", "trace:2: the rank 9{80}… at the start of the line is too large"),
        ("a" * 5000 + "\n", "trace:1: file 'a{80}…' was not found, neither"),
    ],
    ids=["huge rank", "high rank", "rank of many digits", "long name"],
)
def test_files_that_are_no_traces(text: str, message: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "trace"
    path.write_text(text)
    with pytest.raises(ReplayError, match=message):
        read_program(path)


@pytest.mark.parametrize("ranks", [-1, 0, 20_000_000])
def test_numbers_of_ranks_that_there_are_not(ranks: int, tmp_path: pathlib.Path) -> None:
    (tmp_path / "trace").write_text("0 init\n")
    with pytest.raises(ReplayError, match=f"the number of ranks must be between 1 and 16777216, not {ranks}"):
        read_program(tmp_path / "trace", ranks)


def test_files_that_are_not_there(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ReplayError, match="nothing: cannot read the file: No such file"):
        end_times(tmp_path / "nothing")
    with pytest.raises(ReplayError, match=r"cannot read the file: .*embedded null"):
        read_program("a\0b")
    (tmp_path / "list").write_text("0.txt\n\n1.txt\n")
    (tmp_path / "0.txt").write_text("0 init\n")
    with pytest.raises(ReplayError, match=r"list:3: file '1\.txt' was not found"):
        end_times(tmp_path / "list")


def test_a_list_may_have_comments(tmp_path: pathlib.Path) -> None:
    index = written(tmp_path, [["init", "finalize"], ["init", "finalize"]])
    index.write_text("# two ranks\n0.txt\n\n  # and\n1.txt\n")
    assert read_program(index).ranks == 2


def test_of_a_directory_the_list_in_it_is_read(tmp_path: pathlib.Path) -> None:
    index = written(tmp_path, [["init", "finalize"]] * 3)
    with pytest.raises(ReplayError, match=r"the directory has no list of traces index\.txt"):
        read_program(tmp_path)
    index.rename(tmp_path / "index.txt")
    assert read_program(tmp_path).ranks == 3
    (tmp_path / "run.trace").write_text("")
    (tmp_path / "run.trace_files").mkdir()
    with pytest.raises(ReplayError, match=r"did you mean .*run\.trace"):
        read_program(tmp_path / "run.trace_files")


def test_a_line_of_another_rank_is_an_error(tmp_path: pathlib.Path) -> None:
    index = written(tmp_path, [["init"], ["init"]])
    (tmp_path / "1.txt").write_text("0 init\n")
    with pytest.raises(ReplayError, match=r"1\.txt:1: the line belongs to rank 0, but the file to rank 1"):
        end_times(index)


def test_a_deadlock_names_the_lines(tmp_path: pathlib.Path) -> None:
    traces = [["init", "recv 1 0 8"], ["init", "compute 1e6", "recv 0 5 8"]]
    with pytest.raises(DeadlockError) as caught:
        end_times(written(tmp_path, traces))
    text = str(caught.value)
    assert "rank 1 (node-1): recv on MPI_COMM_WORLD from rank 0, tag 5, up to 8 bytes" in text
    assert f"at {tmp_path}/1.txt:3" in text
    assert "wait-for cycle: rank 0 -> 1 -> 0" in text


def test_a_deadlock_names_messages_that_nearly_match(tmp_path: pathlib.Path) -> None:
    with pytest.raises(DeadlockError, match=r"unreceived: rank 0 -> 1, tag 4, 8 bytes on .*; rank 1 wanted tag 5"):
        end_times(written(tmp_path, [["init", "send 1 4 8"], ["init", "recv 0 5 8"]]))


def test_messages_that_do_not_fit_are_an_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ReplayError, match=r"1\.txt:1: rank 1: recv: a message is longer than the receive buffer"):
        end_times(written(tmp_path, [["send 1 0 9"], ["recv 0 0 8"]]))


def test_collectives_that_do_not_match_are_an_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ReplayError, match=r"1\.txt:1: rank 1: allreduce: .*barrier"):
        end_times(written(tmp_path, [["barrier"], ["allreduce 8 0"]]))


def test_a_simulation_follows_one_that_has_failed(tmp_path: pathlib.Path) -> None:
    with pytest.raises(DeadlockError):
        end_times(written(tmp_path, [["recv 1 0 8"], ["allreduce 8 0"]]))
    assert end_times(written(tmp_path, [["sleep 1"], ["sleep 2"]])) == [1.0, 2.0]
