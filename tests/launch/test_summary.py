"""Summary at the end of a run."""

import pytest

from pysmpi.instruments.outcome import Counters, Result, TimeSpent
from pysmpi.launch import summary


def test_the_summary() -> None:
    """Times, messages, rate and memory, with units that suit them."""
    result = Result(1.25e-4, 2.0, 3 * 2**20, Counters(messages=12345, bytes=2048, events=4000), [])
    assert summary.summary(result).splitlines() == [
        "pysmpi: simulated time 125 us, wall time 2 s, 0 ranks",
        "pysmpi: 12,345 messages (2 KiB), 2,000 events/s, peak memory 3 MiB",
    ]


def test_the_summary_says_where_time_came_from() -> None:
    """Each source with its part of the ranks' time, those that round to nothing left out, and what was free."""
    spent = TimeSpent(total=200.0, measured=50.0, modelled=20.0, injected=1e-3, free_stretches=1234)
    assert summary.summary(Result(1.0, 1.0, 2**20, Counters(), [], time_spent=spent)).splitlines()[-1] == (
        "pysmpi: the ranks' time: 25.0% measured, 10.0% modelled, 65.0% in MPI; "
        "1,234 computation intervals counted as zero time"
    )


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0 s"), (5e-9, "5 ns"), (0.25, "250 ms"), (61.5, "61.5 s"), (7300, "2 h 01 min")]
)
def test_times_for_people(seconds: float, text: str) -> None:
    """Each has the largest unit that leaves a number of at least one."""
    assert summary.human_seconds(seconds) == text
