"""Requirements of computation: operations, bytes of operands and memory by rank."""

import sys
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.requirements.counting import Requirements

APPS = Path(__file__).parents[3] / "apps"
MODEL = Path(__file__).parents[3] / "calibration/example_blas.json"
FREE = {"smpi/simulate-computation": "no"}
N = 1000
BYTES = 8 * N


def needs_of(program, np=1, cfg=(), **more) -> Requirements:
    found = pysmpi.simulate(
        program, np=np, platform=f"flat:{np}", cfg={**FREE, **dict(cfg)}, requirements=True, **more
    ).requirements
    assert found is not None
    return found


def counts(program, cfg=()) -> tuple[float, float]:
    """Return operations and bytes of operands of one rank."""
    found = needs_of(program, cfg=cfg)
    return found.sum["flops"], found.sum["accesses"]


A, B = np.ones(N), np.ones(N)
C = np.ones(N, complex)
I = np.ones(N, int)  # noqa: E741
COLUMN = np.ones((N, 1))
M, V = np.ones((20, 30)), np.ones((30, 40))
CONDITION = A > 0


def assign():
    OUT[10:20] = A[10:20]


def assign_one():
    OUT[0] = 1.0


def assign_row():
    WIDE[np.int64(3), 5:] = 1.0
    WIDE[np.int64(3), np.int64(4)] = 1.0


OUT = np.ones(N)
OBJECTS = np.ones(10, object)
WIDE = np.ones((10, 20))

OPERATIONS = {
    "a + b": (lambda: A + B, N, 3 * BYTES),
    "2 * a": (lambda: 2 * A, N, 2 * BYTES),
    "a += b": (lambda: np.add(A.copy(), B, out=np.empty(N)), N, 2 * BYTES + 3 * BYTES),
    "views": (lambda: A[1:-1] - A[:-2], N - 2, 3 * 8 * (N - 2)),
    "repeated operands": (lambda: COLUMN * A, N * N, 2 * BYTES + N * BYTES),
    "a < b": (lambda: A < B, 0, 2 * BYTES + N),
    "whole numbers": (lambda: I + I, 0, 3 * BYTES),
    "complex sum": (lambda: C + C, 2 * N, 6 * BYTES),
    "complex product": (lambda: C * C, 6 * N, 6 * BYTES),
    "sum": (lambda: A.sum(), N, BYTES),
    "sum along an axis": (lambda: np.sum(M, axis=0), 600, 4800 + 240),
    "largest": (lambda: np.maximum.reduce(A), N, BYTES),
    "accumulate": (lambda: np.add.accumulate(A), N, 2 * BYTES),
    "chosen elements": (lambda: np.add.at(OUT, I, 1.0), N, 3 * BYTES),
    "outer": (lambda: np.multiply.outer(A[:10], B[:20]), 200, 80 + 160 + 1600),
    "two results": (lambda: np.modf(A), N, 3 * BYTES),
    "matrix product": (lambda: M @ V, 2 * 20 * 30 * 40, 8 * (600 + 1200 + 800)),
    "dot": (lambda: np.dot(M, V), 2 * 20 * 30 * 40, 8 * (600 + 1200 + 800)),
    "method dot": (lambda: A.dot(B), 2 * N, 2 * BYTES),
    "tensordot": (lambda: np.tensordot(M, V, 1), 2 * 20 * 30 * 40, 8 * (600 + 1200 + 800)),
    "complex dot": (lambda: np.vdot(C, C), 8 * N, 4 * BYTES),
    "einsum": (lambda: np.einsum("ij,jk->ik", M, V), 2 * 20 * 30 * 40, 8 * (600 + 1200 + 800)),
    "inverse": (lambda: np.linalg.inv(np.eye(30)), 2 * 30**3, None),
    "system": (lambda: np.linalg.solve(np.eye(30), np.ones(30)), 2 / 3 * 30**3 + 2 * 30**2, None),
    "assignment": (assign, 0, 160),
    "one element": (assign_one, 0, 0),
    "numbers of NumPy as indices": (assign_row, 0, 120),
    "operands by keyword": (lambda: np.dot(M, b=V), 2 * 20 * 30 * 40, 8 * (600 + 1200 + 800)),
    "results by keyword": (lambda: np.add.reduce(M, axis=0, out=OUT[:30]), 600, 4800 + 240),
    "lists": (lambda: np.dot(a=[1.0], b=[2.0]), 0, 0),
    "numbers that are objects": (lambda: np.add(OBJECTS, OBJECTS), 0, 3 * 80),
    "copy": (lambda: A.copy(), 0, 2 * BYTES),
    "copy by a function": (lambda: np.copy(A), 0, 2 * BYTES),
    "copy in another order": (lambda: np.ascontiguousarray(M.T), 0, 2 * 4800),
    "no copy": (lambda: (np.asarray(A), np.array(A, copy=False), M.ravel(), np.array([1.0, 2.0])), 0, 0),
    "flattened": (lambda: (M.flatten(), M.T.ravel()), 0, 4 * 4800),
    "list of arrays": (lambda: np.array([A, B]), 0, 4 * BYTES),
    "chosen by indices": (lambda: A.take(I[:10]), 0, 3 * 80),
    "conversion": (lambda: A.astype("f4"), 0, BYTES + 4 * N),
    "selection by a condition": (lambda: np.where(CONDITION, A, B), 0, N + 3 * BYTES),
    "joined": (lambda: np.concatenate([A, B]), 0, 4 * BYTES),
    "declared": (lambda: pysmpi.execute_flops(123.0), 123, 0),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name):
    program, flops, accesses = OPERATIONS[name]
    found = counts(program)
    assert found[0] == pytest.approx(flops, rel=1e-12)
    if accesses is not None:
        assert found[1] == accesses


ROUTINES = {
    "dgemm": (lambda blas, lapack: blas.dgemm(1.0, SQUARE, SQUARE), 2 * 30**3, 3 * 7200),
    "dtrsm": (lambda blas, lapack: blas.dtrsm(1.0, SQUARE, SQUARE, overwrite_b=0), 30**3, None),
    "zgemm": (lambda blas, lapack: blas.zgemm(1.0, 1j * SQUARE, SQUARE), 8 * 30**3, None),
    "daxpy": (lambda blas, lapack: blas.daxpy(np.ones(20), np.ones(20)), 40, None),
    "dgetrf": (lambda blas, lapack: lapack.dgetrf(SQUARE), 2 / 3 * 30**3, None),
    "dpotrf": (lambda blas, lapack: lapack.dpotrf(SQUARE), 30**3 / 3, None),
    "dcopy": (lambda blas, lapack: blas.dcopy(np.ones(20), np.ones(20)), 0, None),
}
SQUARE = np.asfortranarray(np.eye(30))


@pytest.mark.parametrize("name", ROUTINES)
def test_routines_of_scipy(name):
    program, flops, accesses = ROUTINES[name]
    from scipy.linalg import blas, lapack

    own = counts(lambda: 1j * SQUARE)[0] if name == "zgemm" else 0
    found = counts(lambda: program(blas, lapack))
    assert found[0] - own == pytest.approx(flops, rel=1e-12)
    if accesses is not None:
        assert found[1] == accesses


@pytest.mark.parametrize("model", [None, MODEL])
def test_products_count_once_with_and_without_a_model(model):
    """A BLAS model replaces functions by name; each product counts once, for real and for folded arrays."""
    from scipy.linalg import blas

    def products(make):
        return lambda: [
            product(make((30, 30), order="F"))
            for product in (
                lambda a: a @ a,
                lambda a: np.dot(a, a),
                lambda a: a.dot(a),
                lambda a: blas.dgemm(1.0, a, a),
            )
        ]

    for make in (np.zeros, pysmpi.folded_empty):
        found = needs_of(products(make), blas=model)
        assert found.sum["flops"] == 4 * 2 * 30**3
        assert found.sum["accesses"] == 4 * 3 * 7200
        assert found.sum["memory"] == pytest.approx(5 * 7200, abs=200)  # an operand and four products


def test_routines_that_scipy_calls():
    from scipy.linalg import cho_factor

    assert counts(lambda: cho_factor(SQUARE))[0] == pytest.approx(30**3 / 3, abs=30**2)


LIBRARY = {
    "solve": (lambda linalg: linalg.solve(DENSE, DENSE[:, :2]), 2 / 3 * 30**3 + 2 * 30**2 * 2),
    "inv": (lambda linalg: linalg.inv(DENSE), 2 * 30**3),
    "lu": (lambda linalg: linalg.lu(DENSE), 2 / 3 * 30**3),
    "ldl": (lambda linalg: linalg.ldl(DENSE), 30**3 / 3),
    "complex": (lambda linalg: linalg.solve(1j * DENSE, DENSE[:, :2]), 4 * (2 / 3 * 30**3 + 2 * 30**2 * 2)),
    "eigenvalues": (lambda linalg: linalg.eigvals(DENSE), 10 * 30**3),
}
DENSE = np.add.outer(np.arange(30.0), np.ones(30)) + 900 * np.eye(30)


@pytest.mark.parametrize("name", LIBRARY)
def test_functions_of_scipy_in_other_languages(name):
    """Operations are counted where the calls reach the library; a few more are those of NumPy before and after."""
    from scipy import linalg

    program, flops = LIBRARY[name]
    found = counts(lambda: program(linalg))
    assert flops <= found[0] <= flops + 10 * 30**2
    assert found[1] > 2 * 7200


def test_products_with_the_own_transpose():
    """BLAS computes one half of the result, whichever function asks for it."""
    for product in lambda: M @ M.T, lambda: np.inner(M, M), lambda: np.dot(M, M.T):
        assert counts(product) == (20**2 * 30, 8 * (600 + 600 + 400))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("length", [3, 20])
def test_correlations(mode, length):
    """Short vectors are not correlated by BLAS; both count the products that the definition needs."""
    needed = 2 * np.convolve(np.ones(50), np.ones(length), mode).sum()
    for function in np.convolve, np.correlate:
        found = counts(lambda function=function: function(A[:50], B[:length], mode))
        assert found[0] == needed
        assert found[1] > 8 * (50 + length)


def test_special_functions_count_apart():
    found = needs_of(lambda: np.sqrt(A) + np.exp(A))
    assert found.sum["flops"] == 3 * N
    assert found.sum["flops.special"] == 2 * N


def test_in_place_operations_read_and_write_once():
    """``a[key] += b`` calls the addition, and then assigns the part to itself, which moves nothing."""

    def program():
        own = OUT
        own[:100] += B[:100]

    assert counts(program) == (100, 3 * 800)


def test_a_failed_operation_counts_nothing():
    def program():
        with pytest.raises(ValueError, match="broadcast"):
            A + B[:3]
        with pytest.raises(ValueError, match="broadcast"):
            np.empty(5)[1:3] = A

    assert counts(program) == (0, 0)


def test_objects_and_functions_of_the_user():
    """A universal function of the user and operands that call NumPy themselves."""

    class Twice:
        def __radd__(self, other):
            return other * 2

        __array_ufunc__ = None

    twice = np.frompyfunc(lambda x: 2 * x, 1, 1)

    def program():
        twice(A)
        A + Twice()

    assert counts(program) == (N, 2 * BYTES)


def test_each_rank_counts_its_own():
    def program():
        comm = MPI.COMM_WORLD
        for _ in range(comm.rank):
            A + B
        comm.Barrier()

    found = needs_of(program, np=4)
    assert found.by_rank["flops"].tolist() == [0, N, 2 * N, 3 * N]


def test_nothing_is_counted_afterwards():
    add, sum_of = np.add, np.add.reduce
    counts(lambda: A + B)
    assert (add(A, B) == 2).all()
    assert sum_of(A) == N
    assert A.dot(B) == N
    assert counts(lambda: None) == (0, 0)


@pytest.mark.parametrize("product", [np.outer, np.kron, np.multiply.outer])
def test_products_of_all_elements_of_folded_arrays(product):
    def program():
        first, second = pysmpi.folded_empty(20), pysmpi.folded_empty(30)
        product(first, second)

    folded, real = (needs_of(program, cfg=cfg).sum for cfg in ({}, {"smpi/shared-malloc": "no"}))
    assert folded["flops"] == real["flops"] == 600


def test_memory_is_the_peak_of_held_arrays():
    def program():
        first = np.empty(10**6, np.uint8)
        del first
        second = np.zeros(600_000, np.uint8)
        third = np.resize(second, 700_000)
        return second, third

    found = needs_of(program, np=2)
    for peak in found.by_rank["memory"]:
        assert 1_300_000 <= peak <= 1_310_000 + 10**6


def test_automatically_folded_arrays_are_released_for_the_rank_that_made_them():
    """Rank 1 releases rank 0's array of 2 MB; then rank 0 makes another one."""
    held = []

    def program():
        comm = MPI.COMM_WORLD
        if comm.rank == 0:
            held.append(np.empty(250_000))
        comm.Barrier()
        if comm.rank == 1:
            held.clear()
        comm.Barrier()
        array = np.empty(125_000 * (2 - comm.rank))
        comm.Barrier()
        del array

    found = needs_of(program, np=2, cfg={"smpi/auto-shared-malloc-thresh": 100_000})
    assert found.by_rank["memory"].tolist() == pytest.approx([2_000_000, 1_000_000], abs=2000)
    later = pysmpi.simulate(lambda: pysmpi.is_folded(np.empty(250_000)), np=1, platform="flat:1")
    assert later.values == [False]  # NumPy's own allocator is back


def test_arrays_that_change_their_size():
    """Small blocks are used again; growing and shrinking arrays keep their contents and their bytes."""

    def program():
        for size in (1, 2, 100, 128, 129, 1000, 3, 0):
            array = np.arange(5.0)
            array.resize(size, refcheck=False)
            assert array.tolist() == [*range(5), *[0] * size][:size]
            zeros = [np.zeros(size) for _ in range(20)]
            assert not any(each.any() for each in zeros)
            for each in zeros:
                each += 7
        assert np.fromiter((float(i) for i in range(300)), float).sum() == 299 * 150

    assert needs_of(program).sum["memory"] == 21 * 8000 + 20 * 8 * 129  # with the arrays of the previous size


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="all ranks share the lists of the collector")
def test_objects_of_the_interpreter_are_counted_apart(tmp_path):
    script = tmp_path / "held.py"
    script.write_text("import numpy as np\nheld = [float(i) for i in range(10_000)], np.ones(1000)\n")

    def program(number):
        def of_rank():
            held = [float(i) for i in range(number)], np.ones(1000)
            MPI.COMM_WORLD.Barrier()
            del held

        return of_rank

    size = sys.getsizeof([float(i) for i in range(10_000)]) + 10_000 * sys.getsizeof(1.0)
    few, many, at_end = needs_of(program(10)), needs_of(program(10_000)), needs_of(script)
    assert few.mean["memory.other"] < 2000
    assert many.mean["memory.other"] == pytest.approx(size, rel=0.01)
    assert at_end.mean["memory.other"] == pytest.approx(size, rel=0.02)
    for each in (few, many, at_end):
        assert each.mean["memory"] == pytest.approx(8000, abs=100)
    assert needs_of(program(10_000)).to_json() == many.to_json()


def test_windows_are_memory_of_their_ranks():
    def program():
        comm = MPI.COMM_WORLD
        for _ in range(2):  # the second window takes the place of the first
            MPI.Win.Allocate(10**6 * (comm.rank + 1), comm=comm).Free()
        MPI.Win.Allocate_shared(10**6, comm=MPI.COMM_SELF).Free()

    found = needs_of(program, np=2)
    assert found.by_rank["memory"].tolist() == pytest.approx([10**6, 2 * 10**6], rel=0.01)


def test_an_array_that_changes_hands_belongs_to_its_maker():
    shared = []

    def program():
        comm = MPI.COMM_WORLD
        if comm.rank == 0:
            shared.append(np.empty(10**6, np.uint8))
        comm.Barrier()
        if comm.rank == 1:
            shared.clear()
        comm.Barrier()
        if comm.rank == 0:
            np.empty(10**6, np.uint8)

    found = needs_of(program, np=2)
    assert found.by_rank["memory"][0] == pytest.approx(10**6, rel=0.01)
    assert found.by_rank["memory"][1] < 10_000


@pytest.mark.memory  # distances depend on where freed memory is used again
@pytest.mark.parametrize("ranks", [4, 16])
def test_folded_and_real_arrays_ask_for_the_same(ranks):
    """All metrics of Jacobi, rank by rank, also with arrays large enough for NumPy to use the memory of temporaries.

    Only folded arrays, which are objects of Python, differ in ``memory.other``.
    """
    side = 200 * int(ranks**0.5)

    def run(folds):
        return needs_of(APPS / "jacobi/jacobi.py", ranks, {"smpi/shared-malloc": folds}, args=(side, 3)).by_rank

    real, folded = run("no"), run("global")
    assert {name: array.tolist() for name, array in real.items() if name != "memory.other"} == {
        name: array.tolist() for name, array in folded.items() if name != "memory.other"
    }


def test_jacobi_takes_four_operations_a_point():
    """A sweep makes three additions and a multiplication, with operands of 88 bytes a point, and assigns 16 bytes."""

    def needs(sweeps):
        return needs_of(APPS / "jacobi/jacobi.py", 4, args=(400, sweeps)).by_rank

    ten, eleven = needs(10), needs(11)
    assert (eleven["flops"] - ten["flops"] == 4 * 200**2).all()
    rims = (eleven["accesses"] - ten["accesses"]) - (88 + 16) * 200**2
    assert (rims == 8 * 200 * 2 * 3).all()  # two columns to send, and one received


@pytest.mark.parametrize("folds", ["no", "global"])
def test_simulated_times_stay_the_same(folds):
    def run(requirements):
        return pysmpi.simulate(
            APPS / "jacobi/jacobi.py", np=4, platform="flat:4", args=(800, 3),
            cfg={**FREE, "smpi/shared-malloc": folds}, requirements=requirements,
        ).simulated_time  # fmt: skip

    assert run(True) == run(False)


def test_python_loops_are_told_as_unseen():
    def program():
        total = 0.0
        for i in range(300_000):
            total += i * 0.5
        MPI.COMM_WORLD.Barrier()

    found = pysmpi.simulate(program, np=1, platform="flat:1", requirements=True).requirements
    assert found.sum["flops"] == 0
    assert found.unseen > 0.5
    assert needs_of(program).unseen == 0.0  # its time is not simulated
