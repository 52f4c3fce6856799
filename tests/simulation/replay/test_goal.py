"""Tests of GOAL programs: the text, LogGOPSim's times in the LogGOPS model, and messages on platforms."""

import json
import pathlib
from typing import Any

import pytest

import pysmpi
from pysmpi.errors import DeadlockError
from pysmpi.simulation.replay import ReplayError, read_program

HERE = pathlib.Path(__file__).parent
CASES = [json.loads(line) for line in (HERE / "goals" / "cases.jsonl").read_text().splitlines()]
LOGGPS = "network/model:LogGPS"


def written(directory: pathlib.Path, text: str) -> pathlib.Path:
    """Write the text to a file."""
    path = directory / "program.goal"
    path.write_text(text)
    return path


def ends(path: pathlib.Path, platform: str = "flat:1024", cfg: Any = (LOGGPS,)) -> list[float]:
    """Return the end of each rank in seconds."""
    return list(pysmpi.simulate_replay(path, platform=platform, cfg=cfg).end_times)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_times_equal_those_of_loggopsim(case: dict[str, Any], tmp_path: pathlib.Path) -> None:
    settings = [f"loggps/{name}:{value}{'' if name == 'S' else 'ns'}" for name, value in case["parameters"].items()]
    found = ends(written(tmp_path, case["goal"]), cfg=[LOGGPS, *settings])
    assert [round(end * 1e9, 6) for end in found] == case["times"]


def recursive_doubling(ranks: int, size: int) -> str:
    """Return an allreduce in which each step depends on the previous one."""
    lines = [f"num_ranks {ranks}"]
    for rank in range(ranks):
        lines.append(f"rank {rank} {{")
        for step in range(ranks.bit_length() - 1):
            lines.append(f"s{step}: send {size}b to {rank ^ 1 << step} tag {step}")
            lines.append(f"r{step}: recv {size}b from {rank ^ 1 << step} tag {step}")
            if step:
                lines += [f"s{step} requires r{step - 1}", f"r{step} requires r{step - 1}"]
        lines.append("}")
    return "\n".join(lines)


def test_recursive_doubling(tmp_path: pathlib.Path) -> None:
    """A step takes o + L + (k - 1) G + o, on any number of ranks."""
    for ranks in (2, 16, 1024):
        steps = ranks.bit_length() - 1
        found = ends(written(tmp_path, recursive_doubling(ranks, 8)))
        assert found == pytest.approx([steps * (1500 + 2500 + 7 * 6 + 1500) * 1e-9] * ranks, rel=1e-12)


def test_a_large_gap_shows(tmp_path: pathlib.Path) -> None:
    """Messages that leave or reach one rank are g apart, which a flow model would not show."""
    text = "num_ranks 3\nrank 0 {\nsend 1b to 2\nsend 1b to 2\n}\nrank 1 {\nsend 1b to 2\n}\n"
    text += "rank 2 {\nrecv 1b from 0\nrecv 1b from 0\nrecv 1b from 1\n}\n"
    found = ends(written(tmp_path, text), cfg=[LOGGPS, "loggps/g:1ms"])
    assert found == pytest.approx([1e-3 + 1.5e-6, 1.5e-6, 2e-3 + 4e-6 + 1.5e-6])


def test_any_sender_and_tag(tmp_path: pathlib.Path) -> None:
    text = "num_ranks 3\nrank 0 {\na: recv 8b from -1 tag -1\nb: recv 8b from 1 tag 2\nb requires a\n}\n"
    text += "rank 1 {\nc: calc 900000\nd: send 8b to 0 tag 2\nd requires c\n}\nrank 2 {\nsend 8b to 0 tag 5\n}\n"
    assert ends(written(tmp_path, text))[0] == pytest.approx(900e-6 + 1.5e-6 + 2.5e-6 + 42e-9 + 1.5e-6)
    assert ends(written(tmp_path, text), cfg=())[0] > 900e-6


@pytest.mark.parametrize(
    "tag", [2**30, 2030117100, 2**31 - 1, 2**31, 2**31 + 1, 3020117100, 2**32 - 2, 2**32, 75_030_117_100]
)
def test_tags_of_32_bits_without_sign(tag: int, tmp_path: pathlib.Path) -> None:
    """LogGOPSim counts larger numbers modulo 2^32."""

    def text(sent: int, first: int, second: int) -> str:
        receives = f"a: recv 1000b from 0 tag {first}\nb: recv 8b from 0 tag {second}\nb requires a\n"
        return f"num_ranks 2\nrank 0 {{\nsend 1000b to 1 tag {sent}\nsend 8b to 1 tag 9\n}}\nrank 1 {{\n{receives}}}\n"

    for cfg in ((LOGGPS,), ()):
        small = ends(written(tmp_path, text(7, 7, 9)), cfg=cfg)
        assert ends(written(tmp_path, text(tag, tag, 9)), cfg=cfg) == small
        assert ends(written(tmp_path, text(tag, tag % 2**32, 9)), cfg=cfg) == small
        assert ends(written(tmp_path, text(tag, 2**32 - 1, 9)), cfg=cfg) == ends(
            written(tmp_path, text(7, -1, 9)), cfg=cfg
        )
        sent, wanted = tag % 2**32, (tag ^ 2) % 2**32
        with pytest.raises(
            DeadlockError, match=f"unreceived: rank 0 -> 1, tag {sent}, 1,000 bytes.* wanted tag {wanted}"
        ):
            ends(written(tmp_path, text(tag, tag ^ 2, 9)), cfg=cfg)


def test_large_tags_in_a_timeline(tmp_path: pathlib.Path) -> None:
    text = "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 3020117100\n}\nrank 1 {\nrecv 8b from 0 tag 3020117100\n}\n"
    pysmpi.simulate_replay(written(tmp_path, text), platform="flat:2", trace=tmp_path / "t.csv")
    assert "3020117100" in (tmp_path / "t.csv").read_text()


def test_comments_blanks_and_order(tmp_path: pathlib.Path) -> None:
    text = (
        "/* two\nlines */ num_ranks 4\n\n// a remark\nrank 2 {\n x :calc  5 // end\n\ty: calc 7 cpu 1\n}\nrank 1\n{ }\n"
    )
    path = written(tmp_path, text)
    assert ends(path) == pytest.approx([0, 0, 7e-9, 0])
    assert read_program(path).actions == 2


def test_on_a_platform(tmp_path: pathlib.Path) -> None:
    text = "num_ranks 2\nrank 0 {\na: calc 1000\nb: calc 2000\nc: send 1000b to 1\nc requires a\nc requires b\n}\n"
    text += "rank 1 {\nrecv 1000b from 0\n}\n"
    platform = "flat:2:speed=1Gf:bw=1GBps:lat=1us"
    message = pysmpi.explain(platform, "node-0", "node-1", 1000, nonblocking=True)
    found = ends(written(tmp_path, text), platform, ())
    assert found[1] == pytest.approx(3e-6 + message.total, rel=1e-9)
    apart = ends(written(tmp_path, text.replace("b: calc 2000", "b: calc 2000 cpu 1")), "flat:2:cores=2", ())
    assert apart[0] == pytest.approx(2e-6 + message.send_overhead)


def test_a_beginning_is_enough_for_irequires(tmp_path: pathlib.Path) -> None:
    text = "num_ranks 1\nrank 0 {\na: calc 5000\nb: calc 1000 cpu 1\nb WORD a\n}\n"
    both = [
        ends(written(tmp_path, text.replace("WORD", word)), "flat:1:cores=2", ())[0]
        for word in ("requires", "irequires")
    ]
    assert both == pytest.approx([6e-6, 5e-6])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("sned 8b to 1", r":3: unknown operation 'sned'; did you mean 'send'\? \(valid: send, recv, calc\)"),
        ("a: snd 8b to 1", r":3: unknown operation 'snd'"),
        ("send 8 to 1", r":3: expected 'b', found 'to'"),
        ("send 8b from 1", r":3: expected 'to', found 'from'"),
        ("send 8b to 2", r":3: the other rank is 2; valid: 0 to 1"),
        ("send 8b to -1", r":3: the other rank is -1"),
        ("calc x", r":3: expected the length in ns, found 'x'"),
        ("send 8b to 1 tag -1", r":3: the tag is -1; valid: 0 to"),
        ("send 8b to 1 tag 4294967295", r":3: the tag of a send is 4294967295"),
        ("recv 8b from 1 tag -2", r":3: the tag is -2; valid: -1 to"),
        ("recv 8b from 1 tag 99999999999999999999", r":3: the tag is 99999999999999999999; valid"),
        ("calc 5 tag 3", r":3: expected 'cpu' or the end of the line, found 'tag'"),
        ("calc 5\na requires b", r":4: label 'a' is not defined in rank 0 above this line"),
        ("a: calc 5\na: calc 5", r":4: the label 'a' is defined twice"),
        ("calc 5 cpu 256", r":3: the cpu's number is 256; valid: 0 to 255"),
        ("calc 5", r":3: expected '}', found 'the end of the text'"),
    ],
)
def test_malformed_text_is_named(body: str, message: str, tmp_path: pathlib.Path) -> None:
    end = "" if message.startswith(":3: expected '}'") else "\n}"
    with pytest.raises(ReplayError, match=r"program\.goal" + message):
        ends(written(tmp_path, f"num_ranks 2\nrank 0 {{\n{body}{end}"))


def test_ranks_by_the_billion_are_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ReplayError, match=r":1: the number of ranks is 2147483647; valid: 1 to 16777216"):
        ends(written(tmp_path, "num_ranks 2147483647\n"))


def test_a_deadlock_is_named(tmp_path: pathlib.Path) -> None:
    path = written(tmp_path, "num_ranks 2\nrank 1 {\ncalc 5\nrecv 8b from 0\n}\n")
    with pytest.raises(DeadlockError, match=r"  rank 1: recv 8b from 0 tag 0 at .*program\.goal:4\n"):
        ends(path)
    with pytest.raises(DeadlockError, match=r"  rank 1 \(node-1\): recv 8b from 0 tag 0 at .*program\.goal:4\n"):
        ends(path, cfg=())


@pytest.mark.parametrize("cfg", [(LOGGPS,), ()])
def test_a_deadlock_names_the_messages_that_nearly_match(cfg: tuple[str, ...], tmp_path: pathlib.Path) -> None:
    """The second of two equal sends is unreceived; a computation that waits for the receive does not hide it."""
    path = written(
        tmp_path,
        "num_ranks 3\nrank 0 {\nsend 10b to 1 tag 5\nsend 10b to 1 tag 5\n}\n"
        "rank 1 {\na: calc 5\nb: recv 10b from 0 tag 6\na requires b\nrecv 10b from -1 tag 5\n}\n"
        "rank 2 {\nrecv 1b from -1\n}\n",
    )
    with pytest.raises(DeadlockError) as caught:
        ends(path, cfg=cfg)
    _, one, two, unreceived, *_ = str(caught.value).splitlines()
    assert one.endswith(f"recv 10b from 0 tag 6 at {path}:8 (the first of 2 operations)")
    assert two.endswith(f"recv 1b from any tag 0 at {path}:13")
    assert unreceived == f"unreceived: rank 0 -> 1, tag 5, 10 bytes at {path}:4; rank 1 wanted tag 6"


def test_one_that_was_read_can_be_simulated_again(tmp_path: pathlib.Path) -> None:
    first = read_program(written(tmp_path, recursive_doubling(4, 100)))
    (tmp_path / "trace").write_text("0 sleep 1\n")
    for _ in range(2):
        assert pysmpi.simulate_replay(first, platform="flat:4", cfg=[LOGGPS]).counters.messages == 8
        assert pysmpi.simulate_replay(tmp_path / "trace", platform="flat:4").simulated_time == 1.0
        assert pysmpi.simulate_replay(first, platform="flat:4").counters.messages == 8
