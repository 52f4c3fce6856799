"""Extra-P's formats: the same measurements as JSON, JSON Lines and text."""

import json
import pathlib
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pysmpi.errors import ModelError
from pysmpi.formulas import Series, read_extrap, write_extrap

TEXT = """# made by hand
PARAMETER p
PARAMETER n

POINTS (4 256) (8 256)
POINTS ( 4 512 ) (8 512)
REGION main->sweep
METRIC time
DATA 1 1.5
DATA\t2e0
DATA 3
DATA 4
METRIC flops
DATA 10
DATA 20
DATA 30
DATA 40
REGION main
METRIC time
DATA 1
DATA 2
DATA 3
DATA 4
"""
POINTS = [(4.0, 256.0), (8.0, 256.0), (4.0, 512.0), (8.0, 512.0)]
SERIES = [
    Series("main->sweep", "time", POINTS, [[1, 1.5], [2], [3], [4]]),
    Series("main->sweep", "flops", POINTS, [[10], [20], [30], [40]]),
    Series("main", "time", POINTS, [[1], [2], [3], [4]]),
]


def lines_of(parameters: list[str], series: list[Series]) -> str:
    return "".join(
        json.dumps(
            {
                "params": dict(zip(parameters, point, strict=True)),
                "callpath": each.callpath,
                "metric": each.metric,
                "value": value,
            }
        )
        + "\n"
        for each in series
        for point, values in zip(each.points, each.values, strict=True)
        for value in values
    )


def text_of(parameters: list[str], series: list[Series]) -> str:
    points = " ".join(f"({' '.join(map(repr, point))})" for point in series[0].points)
    parts = [f"PARAMETER {' '.join(parameters)}\nPOINTS {points}\n"]
    for each in series:
        parts.append(f"REGION {each.callpath}\nMETRIC {each.metric}\n")
        parts += [f"DATA {' '.join(map(repr, values))}\n" for values in each.values]
    return "".join(parts)


def test_text(tmp_path: pathlib.Path) -> None:
    (tmp_path / "m.txt").write_text(TEXT)
    assert read_extrap(tmp_path / "m.txt") == (["p", "n"], SERIES)


def test_text_in_one_parameter_without_region_and_metric(tmp_path: pathlib.Path) -> None:
    for points in ("4 8", "(4) (8)", "(4)(8)"):
        (tmp_path / "m.txt").write_text(f"PARAMETER p\nPOINTS {points}\nDATA 1 2\nDATA 3\n")
        assert read_extrap(tmp_path / "m.txt") == (["p"], [Series("", "", [(4.0,), (8.0,)], [[1, 2], [3]])])


def test_lines(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "m.jsonl"
    file.write_text(lines_of(["p", "n"], SERIES) + "\n")
    assert read_extrap(file) == (["p", "n"], SERIES)
    file.write_text('{"params": {"n": 2, "p": 1}, "value": 7}\n\n{"params": {"p": 1, "n": 2}, "value": 8}\n')
    assert read_extrap(file) == (["n", "p"], [Series("<root>", "<default>", [(2.0, 1.0)], [[7, 8]])])
    file.write_text('{"params": {"p": 1}, "value": 7}')
    assert read_extrap(file)[1][0].values == [[7]]


@settings(deadline=None)
@given(
    st.integers(1, 3).flatmap(
        lambda count: st.tuples(
            st.just(["p", "n", "m"][:count]),
            st.lists(st.tuples(*[st.floats(0.001, 1e9)] * count), min_size=1, max_size=5, unique=True),
        )
    ),
    st.data(),
)
def test_all_formats_give_the_same(drawn: tuple[list[str], list[tuple[float, ...]]], data: st.DataObject) -> None:
    parameters, points = drawn
    values = st.lists(
        st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=3), min_size=len(points), max_size=len(points)
    )
    series = [Series("main", metric, points, data.draw(values)) for metric in ("time", "flops")]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "measurements")
        write_extrap(file, parameters, series)
        expected = read_extrap(file)
        for text in (lines_of(parameters, series), text_of(parameters, series)):
            file.write_text(text)
            names, found = read_extrap(file)
            assert (names, [(each.metric, list(map(tuple, each.points)), each.values) for each in found]) == (
                expected[0],
                [(each.metric, list(map(tuple, each.points)), each.values) for each in expected[1]],
            )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the file has no measurements: it needs the fields PARAMETER"),
        ("hello\n", 1, "unknown field 'hello'"),
        ("PARAMETER p\nPOINT 4 8\n", 2, "unknown field 'POINT'; did you mean 'POINTS'?"),
        ("POINTS 4 8\n", 1, "POINTS must stand after PARAMETER"),
        ("PARAMETER p p\n", 1, "parameter 'p' is not a valid name, or is named twice"),
        ("PARAMETER p\nPOINTS 4\nPARAMETER n\n", 3, "PARAMETER must stand before POINTS"),
        ("PARAMETER p n\nPOINTS 4 8\n", 2, "point (4) has 1 coordinates for 2 parameters"),
        ("PARAMETER p n\nPOINTS (4 8 (16 2)\n", 2, "points '(4 8 (16 2)' are not of the form"),
        ("PARAMETER p\nPOINTS 4 -8\n", 2, "point (-8) has a coordinate that is not positive"),
        ("PARAMETER p\nPOINTS 4 x\n", 2, "'x' is not a number"),
        ("PARAMETER p\nPOINTS 4 8\nDATA 1\nDATA nan\n", 4, "'nan' is not a finite number"),
        ("PARAMETER p\nPOINTS 4 8\nDATA 1\nDATA\n", 4, "DATA must have at least one value"),
        ("PARAMETER p\nPOINTS 4 8\nDATA 1\nDATA 2\nDATA 3\n", 5, "more DATA lines than the 2 POINTS"),
        (
            "PARAMETER p\nPOINTS 4 8\nMETRIC t\nDATA 1\nMETRIC u\nDATA 1\n",
            5,
            "metric 't' of region '' has 1 DATA lines for 2 POINTS",
        ),
        (
            '{"params": {"p": 4}, "value": 1}\n{"params": {"q": 4}, "value": 1}\n',
            2,
            "params must have a number for each of p",
        ),
        (
            '{"params": {"p": 4}, "value": 1}\n{"params": {"p": 0}, "value": 1}\n',
            2,
            "parameter 'p' is 0, which is not a positive, finite number",
        ),
        (
            '{"params": {"p": 4}, "value": 1}\n{"params": {"p": 4}, "valu": 1}\n',
            2,
            "unknown key 'valu'; did you mean 'value'?",
        ),
        ('{"params": {"p": 4}, "value": 1}\n{"params": {"p": 4}}\n', 2, "key 'value' is missing"),
        (
            '{"params": {"p": 4}, "value": 1}\n{"params": {"p": 4}, "value": "1"}\n',
            2,
            "value '1' is not a finite number",
        ),
        ('{"params": {"p": 4}, "value": 1}\n{"params": \n', 2, "not valid JSON"),
        ('{"params": {"p": 4}, "value": 1}\n{"params": ' + "[" * 100_000 + "\n", 2, "nested too deeply"),
    ],
)
def test_mistakes(text: str, line: int, message: str, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "m.data"
    file.write_text(text)
    with pytest.raises(ModelError) as caught:
        read_extrap(file)
    assert str(caught.value).startswith(f"{file}:{line}: ") and message in str(caught.value)
