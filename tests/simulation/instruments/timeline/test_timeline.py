"""Tests of the content of timelines in each format."""

import csv
import json
import math
import pathlib
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pysmpi
from pysmpi.errors import LaunchError
from pysmpi.platform import Cluster
from pysmpi.simulation.instruments.timeline.timeline import FORMATS

sys.path.insert(0, str(Path(__file__).parent))
import perfetto_file as perfetto

sys.path.pop(0)

Command = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).parents[4]
EXACT = {"smpi/simulate-computation": "no", "smpi/wtime": 0}
Row = dict[str, str]


def rows(path: Path) -> list[Row]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def exchange() -> None:
    """Compute in a phase, pass a message to the next rank, and wait for all."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    with pysmpi.phase("work"):
        pysmpi.execute(1.0 + world.rank)
    if world.rank == 0:
        world.send("word", dest=1, tag=7)
    elif world.rank == 1:
        world.recv(source=0, tag=7)
    world.Barrier()


@pytest.mark.smpi
@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_perfetto(tmp_path: Path, ranks: int) -> None:
    """Ranks are tracks of their hosts, slices are nested, and each arrow has both ends."""
    program = exchange if ranks > 1 else lambda: pysmpi.execute(1.0)
    result = pysmpi.simulate(program, np=ranks, platform=Cluster(5), cfg=EXACT, trace=tmp_path / "run")
    trace = perfetto.read(tmp_path / "run")
    for rank in range(ranks):
        [(_, host)] = [track for track in trace.tracks.values() if track[0] == f"rank {rank}"]
        assert trace.tracks[host] == (f"node-{rank}", 0)
        open_slices = []
        for event in sorted(trace.of(f"rank {rank}"), key=lambda event: event.time):
            if event.kind == perfetto.BEGIN:
                open_slices.append(event.name)
            elif event.kind == perfetto.END:
                open_slices.pop()
        assert open_slices == []
    flows = Counter(flow for event in trace.events for flow in event.flows)
    assert flows == Counter(flow for event in trace.events for flow in event.ended_flows)
    assert set(flows.values()) <= {1}
    assert max(event.time for event in trace.events) == round(result.simulated_time * 1e9)
    if ranks == 1:
        return
    first = [(event.kind, event.name, event.time) for event in trace.of("rank 0") if event.kind != perfetto.END]
    assert first[:2] == [(perfetto.BEGIN, "work", 0), (perfetto.BEGIN, "computing (injected)", 0)]
    assert first[2] == (perfetto.BEGIN, "MPI_Send", 10**9)
    [sent] = [event for event in trace.of("rank 0") if event.categories == ["message"] and event.name == "send"]
    assert (sent.annotations["to"], sent.annotations["tag"], sent.time) == (1, 7, 10**9)
    assert [event.annotations for event in trace.of("rank 1") if sent.flows[0] in event.ended_flows] == [{"from": 0}]


def test_trace_events(tmp_path: Path) -> None:
    """Trace Event JSON has complete slices, arrows with both ends inside slices, and names of hosts and ranks."""
    pysmpi.simulate(exchange, np=4, platform=Cluster(4), cfg=EXACT, trace=tmp_path / "run.json")
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    threads = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    assert len(threads) == 4
    assert {event["args"]["name"] for event in events if event["name"] == "process_name"} == {
        f"node-{host}" for host in range(4)
    }
    slices = [event for event in events if event["ph"] == "X"]
    assert {"work", "computing (injected)", "MPI_Barrier", "waiting for messages"} <= {each["name"] for each in slices}
    assert all(each["dur"] >= 0 and each["ts"] >= 0 and (each["pid"], each["tid"]) in threads for each in slices)
    begun = {event["id"]: event for event in events if event["ph"] == "s"}
    ended = {event["id"]: event for event in events if event["ph"] == "f"}
    assert begun.keys() == ended.keys() and len(begun) > 1
    for number, event in begun.items():
        assert event["ts"] <= ended[number]["ts"]
        assert ended[number]["bp"] == "e"
        for end in (event, ended[number]):
            assert any(
                each["pid"] == end["pid"] and each["ts"] <= end["ts"] <= each["ts"] + each["dur"] + 1e-6
                for each in slices
            )
    assert {event["ph"] for event in events} == {"M", "X", "s", "f", "C"}


@pytest.mark.skipif(shutil.which("pj_dump") is None, reason="pj_dump (Debian's pajeng) is not installed")
def test_linpack_in_paje(tmp_path: Path, pysmpirun: Command) -> None:
    """pj_dump reads the timeline of Linpack on 64 ranks, whose states fill the run of each rank."""
    run = pysmpirun(
        "-np", "64", "--platform", str(ROOT / "platforms" / "fattree.xml"), "--trace", "hpl.paje",
        "--cfg=smpi/simulate-computation:no", str(ROOT / "apps" / "hpl" / "hpl.py"), "--n", "200", "--p", "8",
        "--q", "8",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    dump = subprocess.run(
        ["pj_dump", "--float-precision=12", "hpl.paje"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert dump.returncode == 0, dump.stderr
    lines = [[word.strip() for word in line.split(",")] for line in dump.stdout.splitlines()]
    states = [line for line in lines if line[0] == "State" and float(line[6]) == 0.0]  # not inside others
    end = max(float(line[4]) for line in lines if line[0] == "State")
    for rank in range(64):
        own = sorted((float(line[3]), float(line[4])) for line in states if line[1] == f"rank {rank}")
        assert own[0][0] == 0.0
        assert all(math.isclose(before[1], after[0], abs_tol=1e-11) for before, after in pairwise(own))
        assert own[-1][1] <= end
    assert sum(line[0] == "Link" for line in lines) > 64
    assert all(0.0 <= float(line[6]) <= 1.0 + 1e-9 for line in lines if line[0] == "Variable")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ranks=st.integers(1, 4),
    steps=st.lists(st.sampled_from(["compute", "sleep", "ring", "allreduce", "iring", "probe"]), max_size=6),
    nested=st.booleans(),
)
def test_states_fill_each_ranks_run(tmp_path: Path, ranks: int, steps: list[str], nested: bool) -> None:
    def program() -> float:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        after, before = (world.rank + 1) % ranks, (world.rank - 1) % ranks
        for step in steps:
            with pysmpi.phase(step if nested else "all"):
                if step == "compute":
                    pysmpi.execute(0.25 * (1 + world.rank))
                    pysmpi.execute_flops(1e6)
                elif step == "sleep":
                    pysmpi.sleep(0.1)
                elif step == "ring":
                    world.sendrecv(bytes(100_000), dest=after, source=before)
                elif step == "allreduce":
                    world.allreduce(world.rank)
                elif step == "iring":
                    request = world.isend(world.rank, dest=after, tag=1)
                    pysmpi.execute(0.01)
                    world.recv(source=before, tag=1)
                    request.wait()
                else:
                    world.iprobe()
        return MPI.Wtime()

    result = pysmpi.simulate(program, np=ranks, platform=Cluster(4), cfg=EXACT, trace=tmp_path / "run.csv")
    table = rows(tmp_path / "run.csv")
    for rank in range(ranks):
        own = [row for row in table if row["rank"] == str(rank) and row["kind"] not in {"phase", "message"}]
        outermost = sorted((float(row["begin"]), float(row["end"])) for row in own if row["depth"] == "0")
        assert all(before[1] == after[0] for before, after in pairwise(outermost))
        if outermost:
            assert (outermost[0][0], outermost[-1][1]) == (0.0, result.ranks[rank].value)
        else:
            assert result.ranks[rank].value == 0.0
        for row in own:
            if row["depth"] == "1":
                assert any(begin <= float(row["begin"]) <= float(row["end"]) <= end for begin, end in outermost)
    messages = [row for row in table if row["kind"] == "message"]
    assert len(messages) == result.counters.messages
    assert all(float(row["begin"]) <= float(row["end"]) for row in messages)
    assert sum(int(row["bytes"]) for row in messages) == result.counters.bytes


def test_sources_of_computation(tmp_path: Path) -> None:
    def program() -> None:
        pysmpi.execute(1.0)
        for _ in pysmpi.sample(4, count=1):
            pass
        pysmpi.execute(2.0)
        pysmpi.sleep(0.0)

    pysmpi.simulate(program, np=1, platform=Cluster(1), cfg=EXACT, trace=tmp_path / "run.csv")
    computing = [row for row in rows(tmp_path / "run.csv") if row["kind"] == "computing"]
    assert sum(float(row["end"]) - float(row["begin"]) for row in computing) == pytest.approx(3.0, abs=1e-2)
    assert "computing (injected)" in {row["name"] for row in computing}


def test_use_of_links(tmp_path: Path) -> None:
    """Over the whole run, a link carries all bytes that crossed it; a single message saturates it."""

    def program() -> None:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        for pause in (0.0, 1e-3, 100.0):
            pysmpi.sleep(pause)
            world.Barrier()
            if world.rank == 0:
                world.Send(bytes(10_000_000), dest=1)
            else:
                world.Recv(bytearray(10_000_000), source=0)

    machine = Cluster(2, bandwidth=1e9, latency=0.0)
    cfg = {**EXACT, "network/crosstraffic": "no", "network/model": "CM02"}
    pysmpi.simulate(program, np=2, platform=machine, cfg=cfg, trace=tmp_path / "run.csv")
    use: dict[str, float] = {}
    most = 0.0
    intervals: dict[str, list[tuple[float, float]]] = {}
    for row in rows(tmp_path / "run.csv"):
        if row["kind"] == "link":
            begin, end, part = (float(row[name]) for name in ("begin", "end", "used"))
            use[row["name"]] = use.get(row["name"], 0.0) + part * (end - begin) * 1e9
            most = max(most, part)
            intervals.setdefault(row["name"], []).append((begin, end))
    assert max(use.values()) == pytest.approx(3 * 10_000_000, rel=1e-3)
    assert most <= 1.0 + 1e-9
    for each in intervals.values():
        assert len(each) <= 257
        assert all(before[1] == after[0] for before, after in pairwise(each))


def test_threads_have_tracks_of_their_own(tmp_path: Path) -> None:
    def program() -> None:
        from mpi4py import MPI

        def work() -> None:
            pysmpi.execute(1.0)
            MPI.COMM_WORLD.Barrier()

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    pysmpi.simulate(program, np=2, platform=Cluster(2, cores=2), cfg=EXACT, trace=tmp_path / "run.csv")
    computing = [row for row in rows(tmp_path / "run.csv") if row["kind"] == "computing"]
    assert sorted((row["rank"], row["thread"]) for row in computing) == [("0", "1"), ("1", "2")]
    waiting = [row for row in rows(tmp_path / "run.csv") if row["name"] == "waiting for another thread"]
    assert {(row["rank"], row["thread"], row["depth"]) for row in waiting} == {("0", "0", "0"), ("1", "0", "0")}
    pysmpi.simulate(program, np=2, platform=Cluster(2, cores=2), cfg=EXACT, trace=tmp_path / "run.pftrace")
    tracks = perfetto.read(tmp_path / "run.pftrace").tracks
    [(_, parent)] = [track for track in tracks.values() if track[0] == "rank 1, thread 2"]
    assert tracks[parent][0] == "rank 1"


def test_phases_left_in_another_order(tmp_path: Path) -> None:
    def program() -> None:
        outer, inner = pysmpi.phase("outer"), pysmpi.phase("inner")
        outer.__enter__()
        pysmpi.execute(1.0)
        inner.__enter__()
        pysmpi.execute(1.0)
        outer.__exit__(None, None, None)
        pysmpi.execute(1.0)
        inner.__exit__(None, None, None)

    pysmpi.simulate(program, np=1, platform=Cluster(1), cfg=EXACT, trace=tmp_path / "run.csv")
    found = [row for row in rows(tmp_path / "run.csv") if row["kind"] == "phase"]
    assert sorted((row["name"], float(row["begin"]), float(row["end"])) for row in found) == [
        ("inner", 1.0, 2.0), ("inner", 2.0, 3.0), ("outer", 0.0, 2.0),
    ]  # fmt: skip


def test_tables_are_alike(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for name in ("run.csv", "run.parquet"):
        pysmpi.simulate(exchange, np=3, platform=Cluster(3), cfg=EXACT, trace=tmp_path / name)
    table = parquet.read_table(tmp_path / "run.parquet").to_pylist()
    expected = rows(tmp_path / "run.csv")
    assert [
        {
            name: "" if value is None else value if isinstance(value, str) else float(value)
            for name, value in row.items()
        }
        for row in table
    ] == [
        {name: float(text) if text and name not in {"kind", "name"} else text for name, text in row.items()}
        for row in expected
    ]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.csv", "run.parquet"]


@pytest.mark.parametrize("form", FORMATS)
def test_a_run_that_fails_keeps_what_it_has(tmp_path: Path, pysmpirun: Command, form: str) -> None:
    source = "import pysmpi; from mpi4py import MPI; pysmpi.execute(2); MPI.COMM_WORLD.recv()"
    run = pysmpirun("-np", "2", "--trace", f"run{FORMATS[form][0]}", "program.py", source=source)
    assert run.returncode == 1
    file = tmp_path / f"run{FORMATS[form][0]}"
    assert f"the timeline in {file.name} is incomplete because the run failed" in run.stderr
    assert file.stat().st_size > 100
    assert not list(tmp_path.glob("*.part*"))
    if form == "csv":
        assert {row["name"] for row in rows(file)} >= {"computing (injected)", "MPI_Mprobe"}
    if form == "perfetto":
        kinds = Counter(event.kind for event in perfetto.read(file).events)
        assert kinds[perfetto.BEGIN] == kinds[perfetto.END]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    def program() -> None:
        raise AssertionError

    def simulate(**more: object) -> None:
        pysmpi.simulate(program, np=1, platform=Cluster(1), **more)  # type: ignore[arg-type]

    with pytest.raises(LaunchError, match="No such file or directory"):
        simulate(trace=tmp_path / "missing" / "run")
    with pytest.raises(LaunchError, match="is a directory; name a file"):
        simulate(trace=tmp_path)
    with pytest.raises(LaunchError, match="option 'trace_ti' needs a path"):
        simulate(trace_ti=True)


@pytest.mark.skipif(not pathlib.Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk(tmp_path: Path) -> None:
    with pytest.raises(pysmpi.PysmpiError, match="No space left on device") as caught:
        pysmpi.simulate(exchange, np=2, platform=Cluster(2), cfg=EXACT, trace="/dev/full")
    assert caught.value.slug == "timeline" and "incomplete file" not in str(caught.value)


def test_links_are_not_written_through(tmp_path: Path) -> None:
    """Somebody else's link is replaced, and its target is not written to."""
    (tmp_path / "victim").write_text("precious")
    for name in ("run.csv", "run.csv.part", "run.pq", "run.pq.part", "run.csv.part.part"):
        (tmp_path / name).symlink_to("victim")
    for name in ("run.csv", "run.pq"):
        pysmpi.simulate(exchange, np=2, platform=Cluster(2), cfg=EXACT, trace=tmp_path / name)
        assert not (tmp_path / name).is_symlink() and (tmp_path / name).stat().st_size > 100
    assert (tmp_path / "victim").read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "run.csv", "run.csv.part", "run.csv.part.part", "run.pq", "run.pq.part", "victim",
    ]  # fmt: skip


def test_two_runs_with_one_path(tmp_path: Path) -> None:
    """Each run writes a separate file, so the last one to end leaves a whole timeline."""
    command = [
        sys.executable,
        "-m",
        "pysmpi.cli.run",
        "-np",
        "2",
        "--platform",
        "flat:2",
        "--quiet",
        "--trace",
        "run.json",
    ]
    program = "from mpi4py import MPI\nfor _ in range(300): MPI.COMM_WORLD.allreduce(1)"
    runs = [subprocess.Popen([*command, "python", "-c", program], cwd=tmp_path) for _ in range(3)]
    assert [run.wait(100) for run in runs] == [0, 0, 0]
    assert json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.skipif(shutil.which("pj_dump") is None, reason="pj_dump (Debian's pajeng) is not installed")
def test_names_of_any_kind(tmp_path: Path) -> None:
    name = 'a "quoted", \\ name\nof two lines'

    def program() -> None:
        with pysmpi.phase(name):
            pysmpi.execute(1.0)

    for ending in ("paje", "json", "csv", "pftrace"):
        pysmpi.simulate(program, np=1, platform=Cluster(1), cfg=EXACT, trace=tmp_path / f"run.{ending}")
    dump = subprocess.run(["pj_dump", tmp_path / "run.paje"], capture_output=True, text=True, check=True)
    assert "a 'quoted', \\ name of two lines" in dump.stdout
    events = json.loads((tmp_path / "run.json").read_text())["traceEvents"]
    assert 'a "quoted", \\ name of two lines' in {event["name"] for event in events}
    assert name in {row["name"] for row in rows(tmp_path / "run.csv")}
    assert name in {event.name for event in perfetto.read(tmp_path / "run.pftrace").events}
