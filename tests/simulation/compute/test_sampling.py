"""Sampling: executed code, elapsed time, and scope of measurements."""

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pysmpi
from pysmpi.errors import SimulationError
from pysmpi.simulation.compute import sampling

UNTIMED = {"smpi/simulate-computation": False, "smpi/cpu-threshold": 0, "smpi/wtime": 0}
BUSY = """
from mpi4py import MPI
import pysmpi
def busy():
    sum(range(100_000))
"""


def test_in_a_real_run_the_code_runs() -> None:
    assert list(pysmpi.sample(7, count=1)) == list(range(7))
    assert list(pysmpi.sample(["a", "b"], count=1)) == ["a", "b"]
    for _ in range(3):
        with pysmpi.sample(count=1) as block:
            assert block.run
    double = pysmpi.sample(count=1)(lambda number: 2 * number)
    assert [double(number) for number in range(4)] == [0, 2, 4, 6]


def test_what_cannot_work_is_refused() -> None:
    with pytest.raises(SimulationError, match=r"count=0.*at least one"):
        pysmpi.sample(count=0)
    with pytest.raises(SimulationError, match=r"threshold=-1.*above zero"):
        pysmpi.sample(threshold=-1)
    with pytest.raises(SimulationError, match=r"unknown scope 'globl'; did you mean 'global'"):
        pysmpi.sample(scope="globl")  # type: ignore[arg-type]
    with pytest.raises(SimulationError, match=r"sample\(generator\): unknown number of iterations"):
        pysmpi.sample(row for row in range(3))  # type: ignore[arg-type]
    with pytest.raises(SimulationError, match=r"test_sampling.py:\d+: a sampled loop needs its iterations"):
        list(pysmpi.sample())


@given(st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=30))
def test_the_error_is_that_of_the_mean(durations: list[float]) -> None:
    """The error is the standard error over the mean, with the population's deviation as in SMPI."""
    data = sampling._Measurements()
    for seconds in durations:
        data.add(seconds)
    mean = statistics.fmean(durations)
    assert math.isclose(data.mean, mean, rel_tol=1e-9)
    expected = statistics.pstdev(durations) / math.sqrt(len(durations)) / mean
    assert math.isclose(data.relative_error(), expected, rel_tol=1e-6, abs_tol=1e-7)


@pytest.mark.parametrize(
    ("durations", "count", "threshold", "more"),
    [
        ([], 1, None, True),  # one measurement always
        ([1.0], 1, None, False),
        ([1.0, 1.0], 3, None, True),  # without a threshold, all of them
        ([1.0], 9, 0.5, True),  # with a threshold, at least two
        ([1.0, 1.1], 9, 0.5, False),
        ([1.0, 9.0], 9, 0.5, True),
        ([1.0, 9.0], 2, 0.5, False),  # no more than `count`, whatever the spread
    ],
)
def test_when_measurements_suffice(durations: list[float], count: int, threshold: float | None, more: bool) -> None:
    """SMPI's rule: at most `count`, fewer when the error is below the threshold."""
    data = sampling._Measurements()
    for seconds in durations:
        data.add(seconds)
    assert sampling._Rules(count, threshold, "local").need_more(data) is more


def test_a_loop_takes_the_mean_for_all_its_iterations(lines_of) -> None:
    """Five iterations run, and the time of a hundred passes; a second pass runs none and takes the same time."""
    program = (
        BUSY
        + """
runs = 0
for visit in range(2):
    start = MPI.Wtime()
    inside = []
    for i in pysmpi.sample(100, count=5):
        inside.append(MPI.Wtime() - start)
        busy()
        runs += 1
    print(runs, inside == [0.0] * len(inside))
    took = MPI.Wtime() - start
    print(took > 0 and (visit == 0 or abs(took - first) < 1e-6 * first))
    first = took
"""
    )
    assert lines_of(program, np=1, cfg=UNTIMED) == {0: ["5 True", "True", "5 True", "True"]}


def test_a_loop_that_is_left_takes_what_it_has_begun(lines_of) -> None:
    """A break ends the loop after two iterations, whose time is charged."""
    program = (
        BUSY
        + """
def looped(last):
    start = MPI.Wtime()
    for i in pysmpi.sample(10, count=1):
        busy()
        if i == last:
            break
    return MPI.Wtime() - start
whole = looped(None)
for attempt in range(2):
    start = MPI.Wtime()
    for i in pysmpi.sample(10, count=9):
        busy()
        if i == 1:
            break
    print(i, MPI.Wtime() - start > 0)
    try:
        for i in pysmpi.sample(3):
            raise KeyError(i)
    except KeyError:
        pass
start = MPI.Wtime()
print(looped(None), whole) if abs(looped(None) / whole - 1) > 1e-6 else print("same")
"""
    )
    assert lines_of(program, np=1, cfg=UNTIMED) == {0: ["1 True", "1 True", "same"]}


def test_blocks_and_functions(lines_of) -> None:
    """A block has the flag `run`; a function returns its last measured result; each pass takes the mean."""
    program = (
        BUSY
        + """
ran = []
for i in range(6):
    with pysmpi.sample(count=2) as block:
        if block.run:
            busy()
            ran.append(i)
    last = MPI.Wtime()
print(ran)

@pysmpi.sample(count=3)
def square(number):
    busy()
    return number * number
print([square(number) for number in range(6)], square.__name__)
start = MPI.Wtime()
square(9)
once = MPI.Wtime() - start
square(9), square(9)
print(abs((MPI.Wtime() - start) / once - 3) < 1e-6)
"""
    )
    assert lines_of(program, np=1, cfg=UNTIMED) == {0: ["[0, 1]", "[0, 1, 4, 4, 4, 4] square", "True"]}


def test_whose_measurements_count(lines_of) -> None:
    """ "local": each rank measures. "global": all ranks take the mean of the first ranks' measurements."""
    program = (
        BUSY
        + """
world = MPI.COMM_WORLD
for scope in "local", "global":
    runs = 0
    for _ in pysmpi.sample(10, count=3, scope=scope, tag=scope):
        busy()
        runs += 1
    print(scope, sum(world.allgather(runs)))
start = MPI.Wtime()
for _ in pysmpi.sample(2, count=1, scope="global"):
    busy()
times = world.allgather(MPI.Wtime() - start)
print(max(times) - min(times) < 1e-9 < max(times))
"""
    )
    assert lines_of(program, np=4, cfg=UNTIMED) == {rank: ["local 12", "global 3", "True"] for rank in range(4)}


def test_as_many_run_as_in_smpi(lines_of) -> None:
    """A local loop runs twice, a global one twice, and one ends before it has enough: the counts are SMPI 3.32's.

    One rank runs the global loop: the first to arrive, which depends on measured times.

    In SMPI the loops are SMPI_SAMPLE_LOCAL(i = 0, i < 100, i++, 5, -1), SMPI_SAMPLE_GLOBAL(j = 0, j < 100, j++, 7,
    -1) and SMPI_SAMPLE_LOCAL(k = 0, k < 3, k++, 50, -1).
    """
    program = (
        BUSY
        + """
runs = [0, 0, 0]
for visit in range(2):
    for _ in pysmpi.sample(100, count=5):
        busy()
        runs[0] += 1
for visit in range(2):
    for _ in pysmpi.sample(100, count=7, scope="global"):
        busy()
        runs[1] += 1
for _ in pysmpi.sample(3, count=50):
    busy()
    runs[2] += 1
print(runs)
"""
    )
    assert sorted(lines_of(program, np=3, cfg=UNTIMED).values()) == [["[5, 0, 3]"], ["[5, 0, 3]"], ["[5, 7, 3]"]]


def test_two_samples_on_one_line_are_two(lines_of) -> None:
    """One place with two sets of rules is an error that names it."""
    program = """
import pysmpi
print([len(list(a)) + len(list(b)) for a, b in [(pysmpi.sample(9, count=1), pysmpi.sample(9, count=2))]])
try:
    for count in 1, 2:
        list(pysmpi.sample(3, count=count))
except pysmpi.PysmpiError as error:
    print(error)
"""
    first, second = lines_of(program, np=1)[0]
    assert first == "[3]"
    assert "program.py:6: sampled with count=2" in second and "earlier with count=1" in second and "tag" in second


def test_sampled_code_may_not_communicate(lines_of) -> None:
    program = """
from mpi4py import MPI
import pysmpi
try:
    for _ in pysmpi.sample(3):
        MPI.COMM_WORLD.Barrier()
except pysmpi.PysmpiError as error:
    print(error.slug, error)
with pysmpi.sample() as outer:
    print(outer.run, len(list(pysmpi.sample(5, count=1))))
"""
    for first, second in lines_of(program, np=2).values():
        assert first.startswith("simulation ") and "program.py:5: the sampled code communicates" in first
        assert second == "True 5"


def test_what_sampled_code_injects_is_part_of_it(lines_of) -> None:
    """A second injected in each iteration also passes for skipped iterations."""
    program = """
from mpi4py import MPI
import pysmpi
for _ in pysmpi.sample(10, count=2):
    pysmpi.execute(1.0)
print(round(MPI.Wtime(), 2))
"""
    assert lines_of(program, np=1, cfg=UNTIMED) == {0: ["10.0"]}


def test_simulations_do_not_share_measurements(lines_of) -> None:
    program = "import pysmpi\nprint(len(list(pysmpi.sample(5, count=2))))"
    assert [lines_of(program, np=1), lines_of(program, np=1)] == [{0: ["2"]}] * 2
