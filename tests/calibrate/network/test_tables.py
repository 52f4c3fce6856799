"""Tests of message tables: required columns, and thresholds derived from them."""

import pathlib

import pytest

from pysmpi.calibrate.network import COLUMNS, fit_table
from pysmpi.calibrate.network.measure import peers
from pysmpi.calibrate.network.thresholds import first_that_leaves_late, first_that_waits
from pysmpi.calibrate.table import read_table
from pysmpi.errors import CalibrationError

HEADER = "place,call,bytes,delay,seconds\n"
SIZES = (1, 10, 100, 1000, 10_000)


def rows(
    place: str = "inter", calls: tuple[str, ...] = ("pingpong", "send", "isend"), sizes: tuple[int, ...] = SIZES
) -> str:
    """Return times of ten microseconds plus a nanosecond per byte."""
    return "".join(f"{place},{call},{size},,{1e-5 + 1e-9 * size}\n" for call in calls for size in sizes)


def test_without_trials_no_sender_waits(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(HEADER + rows("intra"))
    (fit,) = fit_table(read_table(file, COLUMNS))
    assert (fit.place, fit.waits_from, fit.leaves_late_from) == ("intra", None, None)
    assert fit.polls == {} and "smpi/iprobe" not in fit.settings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.csv: the table has no measurements"),
        (
            rows(calls=("pingpong", "send")),
            "t.csv:2: inter: a fit needs isend at 4 or more different sizes, but there are 0",
        ),
        (rows(sizes=(8,)), "t.csv:2: inter: a fit needs pingpong at 4 or more different sizes, but there is 1"),
        (rows() + rows("intra", sizes=(1, 2)), "t.csv:17: intra: a fit needs pingpong at 4"),
        (rows() + "inter,send,,,1e-6\n", "t.csv:17: send: the column bytes is empty"),
        (rows() + "inter,late_send,8,,1e-6\n", "t.csv:17: late_send: the column delay is empty"),
        (rows() + "inter,pingpong,8,,0\n", "t.csv:17: seconds = 0 is not valid; times must be above 0"),
        (rows() + "inter,pingpong,8,,-1\n", "t.csv:17: seconds: -1 is not valid"),
        (rows() + "outer,pingpong,8,,1\n", "t.csv:17: place: unknown value 'outer'; did you mean 'inter'"),
    ],
)
def test_tables_that_do_not_do(tmp_path: pathlib.Path, text: str, message: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text(HEADER + text)
    with pytest.raises(CalibrationError, match=message):
        fit_table(read_table(file, COLUMNS))


def test_who_measures_with_rank_0() -> None:
    assert peers(["a", "a", "b", "b"]) == {"intra": 1, "inter": 2}
    assert peers(["a", "b"]) == {"inter": 1}
    with pytest.raises(CalibrationError, match="messages need two ranks, but there is only one; run 'mpiexec -n 2"):
        peers(["a"])


def test_the_first_size_whose_sender_waits() -> None:
    def trials(*found: tuple[int, float]) -> list[dict[str, object]]:
        return [{"call": "late_send", "bytes": size, "delay": 1.0, "seconds": taken} for size, taken in found]

    assert first_that_waits(trials((8, 0.01), (9, 1.1), (10, 1.2))) == 9
    assert first_that_waits(trials((8, 1.0), (8, 0.1), (8, 0.1), (9, 1.1))) == 9
    assert first_that_waits(trials((7, 1.0), (8, 0.1), (9, 1.1))) == 9
    assert first_that_waits(trials((0, 1.0), (9, 1.0))) == 0
    assert first_that_waits(trials((8, 0.1))) is None
    assert first_that_waits([]) is None


def test_the_first_size_that_leaves_late() -> None:
    way = dict.fromkeys(range(1, 11), 10.0)
    assert first_that_leaves_late(dict.fromkeys(range(1, 11), 1.0), way) is None
    assert first_that_leaves_late(way, way) == 0
    received = {size: 1.0 if size < 6 else 10.0 for size in range(1, 11)}
    assert first_that_leaves_late(received, way) == 6
    assert first_that_leaves_late({**received, 2: 10.0}, way) == 6
    assert first_that_leaves_late({}, way) is None
