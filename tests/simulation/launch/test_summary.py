"""Summary at the end of a run."""

import itertools

import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster
from pysmpi.simulation.instruments.error_terms import SEEN, ErrorTerm
from pysmpi.simulation.instruments.notes import Importance, Note
from pysmpi.simulation.instruments.outcome import Counters, Ending, RankOutcome, Result, TimeSpent
from pysmpi.simulation.launch.summary import summary, summary_of_replay
from pysmpi.util.quantities import human_seconds


def result_of(**parts: object) -> Result:
    return Result(1.25e-4, 2.0, 3 * 2**20, Counters(messages=12345, bytes=2048, events=4000), [], **parts)  # type: ignore[arg-type]


def test_nothing_took_time() -> None:
    """Times, messages, rate and memory, with units that suit them."""
    lines = [
        "pysmpi: simulated time 125 us, wall time 2 s, 0 ranks",
        "pysmpi: the ranks took no simulated time, 12,345 messages (2 KiB)",
        "pysmpi: next: --profile shows what the ranks wait for, --verbose what the times rest on",
    ]
    assert summary(result_of()).splitlines() == lines
    details = ["pysmpi: 2,000 events/s, peak memory 3 MiB", "pysmpi: the ranks took no simulated time"]
    assert summary(result_of(), verbose=True).splitlines() == [*lines, *details]


def test_where_the_time_went() -> None:
    """The largest part comes first; parts that round to nothing, and those without room, are left out."""
    spent = TimeSpent(total=200.0, measured=50.0, modelled=20.0, injected=1e-3)
    line = "pysmpi: the ranks' time: 65.0% in MPI, 25.0% measured, 10.0% modelled, 12,345 messages (2 KiB)"
    assert summary(result_of(time_spent=spent)).splitlines()[1] == line
    many = TimeSpent(total=100.0, measured=12.0, sampled=13.0, modelled=14.0, injected=15.0, asleep=16.0)
    shares = "pysmpi: the ranks' time: 30.0% in MPI, 16.0% asleep, 15.0% injected, 14.0% modelled"
    assert summary(result_of(time_spent=many)).splitlines()[1] == f"{shares}, 13.0% sampled"
    assert f"{shares}, 13.0% sampled, 12.0% measured" in summary(result_of(time_spent=many), verbose=True)


def test_how_far_to_trust_it() -> None:
    """Real over simulated time: the errors seen for each part of the time, added up; -20 % is 1.25 times as long."""
    seen = SEEN["folded arrays by a model"]
    assert seen is not None and (seen.low, seen.high) == (-0.14, -0.07)
    terms = (ErrorTerm("folded arrays by a model", 0.6, seen), ErrorTerm("sleep", 0.2, None))
    spent = TimeSpent(total=1.0, modelled=0.6, asleep=0.2)
    line = "pysmpi: trust: a real run would take 1.1 to 1.2 times as long, by errors seen for 75% of such times"
    assert summary(result_of(time_spent=spent, error_terms=terms)).splitlines()[2] == line
    unknown = summary(result_of(time_spent=spent, error_terms=terms[1:])).splitlines()[2]
    assert unknown == "pysmpi: trust: unknown, because times of these kinds were never compared with a real machine"
    free = TimeSpent(total=1.0, modelled=0.6, free_stretches=3)
    line = "pysmpi: trust: apart from the code that takes no time, a real run would take 1.1 to 1.2 times as long"
    assert summary(result_of(time_spent=free, error_terms=terms)).splitlines()[2] == line


def notes(*importances: Importance) -> list[Note]:
    names = ("the first remark here", "the second remark", "the third one", "the fourth", "the fifth of all")
    return [Note(each, name, f"text of {name}") for each, name in zip(importances, names, strict=False)]


def last_line(*importances: Importance) -> str:
    return summary(result_of(notes=notes(*importances))).splitlines()[-1]


def test_notes_share_the_last_line() -> None:
    """The most important comes first; a doubt makes the run questionable; details are printed with --verbose only."""
    detail, remark, limit, doubt = Importance
    assert last_line(detail).startswith("pysmpi: next: ")
    assert last_line(detail, remark, limit) == (
        "pysmpi: note: the third one; the second remark; next: --profile, --verbose"
    )
    assert last_line(remark, remark, doubt) == (
        "pysmpi: questionable: the third one; the first remark here; the second remark; next: --verbose"
    )
    assert last_line(remark, remark, remark, remark, doubt) == (
        "pysmpi: questionable: the fifth of all; the first remark here; 3 more; next: --profile, --verbose"
    )
    text = summary(result_of(notes=notes(detail, doubt)), verbose=True)
    assert text.index("text of the second remark") < text.index("text of the first remark here")


@pytest.mark.parametrize("count", range(5))
def test_lines_are_short(count: int) -> None:
    """Four lines of at most 100 characters, whatever the run."""
    ranks = [RankOutcome(0, "host", Ending.RETURNED)]
    spent = TimeSpent(total=1.0, **dict.fromkeys(("measured", "sampled", "modelled", "injected", "asleep"), 0.16))
    counters = Counters(messages=10**12, bytes=10**15, events=10**12)
    terms = tuple(ErrorTerm(kind, 0.09, seen) for kind, seen in SEEN.items())
    machine = "1,000,000 of 1,000,000 hosts of " + "dragonfly:" + "50,1/4,1/50,1/100/" * 5
    for importances in itertools.product(Importance, repeat=count):
        for text in ("remark", "a remark of many words " * 8):
            found = [Note(each, f"{number} {text}", text) for number, each in enumerate(importances)]
            run = Result(
                123456.7, 123456.7, 2**40, counters, ranks, time_spent=spent, error_terms=terms, machine=machine,
                notes=found,
            )  # fmt: skip
            lines = summary(run).splitlines()
            assert len(lines) == 4 and max(map(len, lines)) <= 100, lines


def test_a_run_has_notes_of_its_instruments() -> None:
    """Phases are a remark; code that takes no time limits what the result means."""

    def program() -> None:
        with pysmpi.phase("whole"):
            MPI.COMM_WORLD.Barrier()

    result = pysmpi.simulate(program, np=2, platform=Cluster(4), cfg={"smpi/simulate-computation": "no"})
    assert result.machine.startswith("2 of 4 hosts of ")
    word = "fattree:2/8,8/1,4/1,1"
    assert pysmpi.simulate(program, np=2, platform=word).machine == f"2 of 64 hosts of {word}"
    last = summary(result).splitlines()[-1]
    assert last == "pysmpi: note: measured code takes no time; 1 phase; network not calibrated; next: --verbose"
    assert "phase whole: " in summary(result, verbose=True)


def test_replays_have_a_summary_of_their_own() -> None:
    lines = summary_of_replay(result_of(network_model="LogGPS"), 7).splitlines()
    assert lines == [
        "pysmpi: simulated time 125 us, wall time 2 s, 7 ranks",
        "pysmpi: 12,345 messages (2 KiB), 2,000 events/s, peak memory 3 MiB",
        "pysmpi: note: LogGPS has no contention (--verbose)",
    ]
    assert "under network/model:LogGPS contention" in summary_of_replay(
        result_of(network_model="LogGPS"), 7, verbose=True
    )


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (5e-9, "5 ns"), (0.25, "250 ms"), (61.5, "61.5 s"), (7300, "2 h 01 min")]
)
def test_times_for_people(seconds: float, text: str) -> None:
    """Each has the largest unit that leaves a number of at least one."""
    assert human_seconds(seconds) == text
