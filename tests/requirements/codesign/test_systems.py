"""Systems: table VII of Calotoiu et al. 2018, computed again, and errors in files."""

import pathlib

import pytest

from pysmpi.errors import ModelError
from pysmpi.formulas import Expression, Formula, read_models
from pysmpi.requirements.codesign import benchmark, on_systems, read_systems

HERE = pathlib.Path(__file__).parent
CODES = read_models(HERE / "codes.toml")
SYSTEMS = read_systems(HERE / "strawmen.toml")

# Overall problem size and seconds for the same problem: massively parallel, vector, hybrid.
EXPECTED = {
    "kripke": ([1e11, 1e11, 1e11], [1, 1, 1]),
    "lulesh": ([2.673e10, 1.2545e10, 1.402e10], [21.72, 21.51, 23.24]),
    "relearn": ([5e10, 2e12, 1e12], [4.007, 0.01524, 0.02191]),
}


@pytest.mark.parametrize("code", CODES)
def test_published_systems(code: str) -> None:
    problems, seconds = EXPECTED[code]
    points = on_systems(CODES[code], SYSTEMS)
    assert [point.problem for point in points.values()] == pytest.approx(problems, rel=1e-3)
    assert all(point.bottleneck == "flops" for point in points.values())
    common = benchmark(CODES[code], SYSTEMS, points)
    assert common is not None
    problem, least = common
    assert problem == pytest.approx(min(problems), rel=1e-3)
    assert list(least.values()) == pytest.approx(seconds, rel=1e-3)


def test_the_proposed_optimisation_turns_the_order_round() -> None:
    """A sum instead of a product in LULESH's operations gives times three orders of magnitude shorter."""
    better = {**CODES["lulesh"], "flops": Formula(Expression.parse("1e5*n*log2(n) + p**0.25*log2(p)"))}
    common = benchmark(better, SYSTEMS, on_systems(better, SYSTEMS))
    assert common is not None
    assert list(common[1].values()) == pytest.approx([0.0033, 0.0100, 0.0087], abs=5e-5)


def test_the_bottleneck_is_the_slowest_resource(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text("[a]\nprocesses = 4\nmemory = 800\nflops = 10\n[a.sent]\nbytes = 1\n")
    model = {
        "memory": Formula(Expression.parse("8*n")),
        "flops": Formula(Expression.parse("n")),
        "sent.bytes": Formula(Expression.parse("p*2")),
    }
    (point,) = on_systems(model, read_systems(path)).values()
    assert point.seconds == {"flops": 10, "sent.bytes": 8} and point.bottleneck == "flops"
    assert point.to_json()["bottleneck"] == "flops"


def test_programs_that_do_not_fit_have_no_benchmark() -> None:
    """Systems that a program does not fit on do not reduce the problem of the others."""
    model = {"memory": Formula(Expression.parse("p + n")), "flops": Formula(Expression.parse("n"))}
    points = on_systems(model, SYSTEMS)
    assert [point.n is None for point in points.values()] == [True, False, True]
    assert points["parallel"].largest_processes == 5e6 - 1
    common = benchmark(model, SYSTEMS, points)
    assert common is not None and list(common[1]) == ["vector"] and common[0] == points["vector"].problem
    huge = {"memory": Formula(Expression.parse("1e12*n"))}
    assert benchmark(huge, SYSTEMS, on_systems(huge, SYSTEMS)) is None


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[a]\nprocesses = 4", 1, "system 'a' has no memory"),
        ("[a]\nprocesses = 4\nmemory = '2GX'", 3, "memory: '2GX' has the unknown unit 'GX'"),
        ("[a]\nmemory = 4\nprocesses = 2.5", 3, "processes is 2.5; write a whole number"),
        ("[a]\nmemory = 4\nprocesses = 2\nflops = -1", 4, "flops is -1; write a positive number"),
        ("[a]\nmemory = 4\nprocesses = 2\nflops = inf", 4, "flops is inf; write a positive number"),
        ("processes = 2", 1, "'processes' is outside a table"),
        ("", 1, "the file has no systems"),
    ],
)
def test_errors(tmp_path: pathlib.Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text)
    with pytest.raises(ModelError) as caught:
        read_systems(path)
    assert str(caught.value).startswith(f"{path}:{line}: {message}")
