"""Stack distances of operands: bytes of different data since the last access to the same data."""

import numpy as np
import pytest

import pysmpi
from pysmpi.native import ffi, lib

FREE = {"smpi/simulate-computation": "no"}
BYTES = 8000  # of an array of 1,000 numbers


def needs_of(program, np=1, cfg=()):
    return pysmpi.simulate(
        program, np=np, platform=f"flat:{np}", cfg={**FREE, **dict(cfg)}, requirements=True
    ).requirements


def at(needs, words: str) -> float:
    """Return the distance of the only place whose name ends with these words."""
    (found,) = [amounts for place, amounts in needs.places.items() if place.endswith(words)]
    return found.mean["distance"]


# -- Traces of single elements --


def distances(trace: list[tuple]) -> np.ndarray:
    numbers: dict[tuple, int] = {}
    keys = np.array([numbers.setdefault(each, len(numbers)) for each in trace], np.uint64)
    ones, out = np.ones(len(trace), np.uint64), np.zeros(len(trace))
    lib.pysmpi_trace_distances(
        len(trace), ffi.from_buffer("uint64_t[]", keys), ffi.from_buffer("uint64_t[]", ones),
        ffi.from_buffer("double[]", out),
    )  # fmt: skip
    return out


def medians(trace: list[tuple]) -> dict[str, float]:
    found = distances(trace)
    by_name: dict[str, list[float]] = {}
    for (name, *_), distance in zip(trace, found.tolist(), strict=True):
        if distance >= 0:
            by_name.setdefault(name, []).append(distance)
    return {name: float(np.median(values)) for name, values in by_name.items()}


def naive_product(n):
    for i in range(n):
        for j in range(n):
            for k in range(n):
                yield from (("A", i, k), ("B", k, j))
            yield "C", i, j


def blocked_product(n, b):
    for ii in range(0, n, b):
        for jj in range(0, n, b):
            for kk in range(0, n, b):
                for i in range(ii, ii + b):
                    for j in range(jj, jj + b):
                        for k in range(kk, kk + b):
                            yield from (("A", i, k), ("B", k, j), ("C", i, j))


def test_each_datum_counts_once():
    assert distances([(word,) for word in "abcbca"]).tolist() == [-1, -1, -1, 1, 1, 2]


def test_products_of_matrices():
    """The published distances: 2n and n² + 3n - 1 for the naive order, 2b + 1 and b² + 3b for blocks."""
    assert medians(list(naive_product(16))) == {"A": 32, "B": 303}
    assert medians(list(blocked_product(24, 8))) == {"A": 17, "B": 88, "C": 2}


def test_many_data_and_many_accesses():
    """Times are numbered again several times; the distances stay."""
    data = 3000
    trace = [(number % data,) for number in range(5 * data)]
    assert set(distances(trace)[data:].tolist()) == {data - 1}


# -- Arrays --


def test_operands_of_a_loop():
    def program():
        a, b, out = np.ones(1000), np.ones(1000), np.empty(1000)
        for _ in range(10):
            np.add(a, b, out=out)

    needs = needs_of(program)
    assert needs.mean["distance"] == 2 * BYTES
    assert [at(needs, words) for words in ("operand 1", "operand 2", "result")] == [2 * BYTES] * 3


def test_folded_arrays_have_the_distances_of_real_ones():
    def program():
        a, b, out = (pysmpi.folded_empty(1000) for _ in range(3))
        for _ in range(10):
            np.add(a[10:], b[10:], out=out[10:])
            out[5:] = a[5:]

    folded = needs_of(program)
    real = needs_of(program, cfg={"smpi/shared-malloc": "no"})
    assert folded.mean["distance"] > 0
    assert folded.to_json()["places"] == real.to_json()["places"]


def test_data_of_other_owners_are_forgotten_when_they_are_freed():
    """Each array of bytes is new, wherever the interpreter puts it; an array from outside ranks is the same data."""
    a, b = np.ones(1000), np.ones(1000)

    def program():
        for _ in range(50):
            np.frombuffer(bytes(BYTES)).sum()
        for _ in range(3):
            np.add.reduce(a)
            np.add.reduce(b[10:])

    needs = needs_of(program, np=2)
    found = {place: amounts.by_rank["distance"].tolist() for place, amounts in needs.places.items() if "op" in place}
    assert sorted(found.values()) == [[BYTES - 80] * 2, [BYTES] * 2]


def test_shifted_views_are_the_same_data():
    """The interior and its neighbours differ in two rows or columns of a hundred."""

    def program():
        grid, new = np.ones((102, 102)), np.ones((102, 102))
        for _ in range(4):
            np.add(grid[1:-1, 1:-1], grid[:-2, 1:-1], out=new[1:-1, 1:-1])
            np.add(grid[1:-1, 2:], grid[1:-1, :-2], out=new[1:-1, 1:-1])

    assert 8 * 10_000 <= needs_of(program).max["distance.high"] < 8 * 10_900


def test_blocks_are_different_data():
    """In the naive order, all of B is accessed between two accesses to a block of it."""

    def product(n, in_order):
        def program():
            a, b, c, part = np.ones((n, n)), np.ones((n, n)), np.zeros((n, n)), np.empty((8, 8))
            for i, j, k in in_order(n):
                np.matmul(a[i : i + 8, k : k + 8], b[k : k + 8, j : j + 8], out=part)
                c[i : i + 8, j : j + 8] += part

        return needs_of(program)

    def naive(n):
        return [(i, j, k) for i in range(0, n, 8) for j in range(0, n, 8) for k in range(0, n, 8)]

    def blocked(n):
        wide = [(i, j, k) for i in range(0, n, 32) for j in range(0, n, 32) for k in range(0, n, 32)]
        return [(i + x, j + y, k + z) for i, j, k in wide for x, y, z in naive(32)]

    b = "operand 2"
    naive_distances = [_largest(product(n, naive), b) for n in (64, 128)]
    assert 3.4 < naive_distances[1] / naive_distances[0] < 4.1
    assert _largest(product(64, blocked), b) == _largest(product(128, blocked), b)


def _largest(needs, words):
    return max(amounts.mean["distance"] for place, amounts in needs.places.items() if place.endswith(words))


def test_memory_of_freed_arrays_is_taken_again():
    def program():
        a = np.ones(1000)
        for _ in range(10):
            a + a

    needs = needs_of(program)
    assert at(needs, "operand 1") == BYTES  # the sum of the round before
    assert at(needs, "operand 2") == 0


@pytest.mark.parametrize("number", [0, 1])
def test_distances_of_ranks_are_apart(number):
    def program():
        from mpi4py import MPI

        a = np.ones(1000)
        for _ in range(3):
            np.negative(a, out=a)
            MPI.COMM_WORLD.Barrier()
        if MPI.COMM_WORLD.rank == 1:
            np.add(a, np.ones(1000), out=a)
            np.add(a, np.ones(1000), out=a)

    assert needs_of(program, np=2).by_rank["distance.high"][number] == (0, BYTES)[number]


def test_operations_inside_numpy_belong_to_the_line_of_the_program():
    def program():
        a = np.ones(1000)
        for _ in range(3):
            a.mean()

    assert all("test_distances.py:" in place for place in needs_of(program).places)
