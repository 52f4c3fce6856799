"""Numbers with units are read as in SimGrid."""

from collections.abc import Callable

import hypothesis
import pytest
from hypothesis import strategies

from pysmpi.errors import PlatformError
from pysmpi.platform import units


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (units.parse_speed, "1f", 1.0),
        (units.parse_speed, "2.5Gf", 2.5e9),
        (units.parse_speed, "3kiloflops", 3e3),
        (units.parse_speed, "1e-1Tf", 1e11),
        (units.parse_speed, "2Ef", 2e18),
        (units.parse_bandwidth, "10Gbps", 1.25e9),
        (units.parse_bandwidth, "125MBps", 1.25e8),
        (units.parse_bandwidth, "1KiBps", 1024.0),
        (units.parse_bandwidth, "8Mibps", 1048576.0),
        (units.parse_bandwidth, "1kBps", 1000.0),
        (units.parse_time, "0", 0.0),
        (units.parse_time, "0.0", 0.0),
        (units.parse_time, "5us", 5 * 1e-6),
        (units.parse_time, "300ns", 300 * 1e-9),
        (units.parse_time, "2ps", 2e-12),
        (units.parse_time, "1.5m", 90.0),
        (units.parse_time, "2w", 1209600.0),
    ],
)
def test_values(parse: Callable[[str, str], float], text: str, value: float) -> None:
    """Units are multiplied in SimGrid's order, which gives the same double."""
    assert parse(text, "it") == value


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (units.parse_bandwidth, "100", "it '100' has no unit; write '100Bps' (bytes/s) or '100GBps'"),
        (units.parse_time, "1", "write '1s'"),
        (units.parse_speed, "1GF", "unknown unit 'GF'; did you mean 'Gf'?"),
        (units.parse_bandwidth, "1Gbit", "unknown unit 'Gbit'"),
        (units.parse_bandwidth, "1 GBps", "unknown unit ' GBps'; did you mean 'GBps'?"),
        (units.parse_bandwidth, "0", "must be above 0"),
        (units.parse_bandwidth, "-1GBps", "must be above 0"),
        (units.parse_speed, "0f", "must be above 0"),
        (units.parse_time, "-1us", "is negative"),
        (units.parse_time, "soon", "is not a number with a unit, such as '1s'"),
        (units.parse_time, "", "is not a number with a unit"),
        (units.parse_time, "nan", "is not a number with a unit"),
        (units.parse_speed, "1e999f", "out of range"),
    ],
)
def test_errors(parse: Callable[[str, str], float], text: str, message: str) -> None:
    with pytest.raises(PlatformError) as caught:
        parse(text, "it")
    assert message in str(caught.value)


def test_lists() -> None:
    assert units.parse_speeds("10Gf, 5Gf,1Mf", "it") == [10e9, 5e9, 1e6]
    assert units.parse_bandwidths("1Bps;2Bps,3Bps", "it") == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("kind", "texts", "value"),
    [
        ("speed", ["10e9", "10Gf", "10 Gf", "10Gflop/s", "10 Gflop/s", "10gigaflops"], 10e9),
        ("bandwidth", ["12.5e9", "12.5GBps", "12.5 GB/s", "100Gbps", "100 Gbit/s"], 12.5e9),
        ("time", ["90", "90s", "1.5m"], 90.0),
    ],
)
def test_quantities_of_options(kind: str, texts: list[str], value: float) -> None:
    """Options take numbers in basic units, units of platform files, and what pysmpi prints."""
    assert [units.parse_quantity(text, kind) for text in texts] == [value] * len(texts)


@pytest.mark.parametrize("text", ["", "Gf", "10Q", "ten"])
def test_no_quantities(text: str) -> None:
    with pytest.raises(PlatformError, match=f"speed '{text}'"):
        units.parse_quantity(text, "speed")


@pytest.mark.parametrize(
    ("write", "value", "text"),
    [
        (units.written_speed, 36e9, "36Gf"),
        (units.written_speed, 2.5, "2.5f"),
        (units.written_speed, 1e9 / 3, "333333333.3333333f"),
        (units.written_bandwidth, 12.5e9, "12.5GBps"),
        (units.written_bandwidth, 0.0, "0Bps"),
        (units.written_time, 10 * 1e-6, "10us"),
        (units.written_time, 1e-5, "1e-05s"),  # 10 * 1e-6 is less
        (units.written_time, 200 * 1e-9, "200ns"),
        (units.written_time, 90.0, "90s"),
    ],
)
def test_writing(write: Callable[[float], str], value: float, text: str) -> None:
    assert write(value) == text


@hypothesis.given(strategies.floats(min_value=0, max_value=1e24, allow_nan=False))
def test_written_numbers_are_read_exactly(value: float) -> None:
    assert units.parse_time(units.written_time(value), "t") == value
    if value:
        assert units.parse_speed(units.written_speed(value), "s") == value
        assert units.parse_bandwidth(units.written_bandwidth(value), "b") == value
