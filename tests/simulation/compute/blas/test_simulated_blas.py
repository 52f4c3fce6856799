"""BLAS models under pysmpirun: scaling, noise, routines without a model, and no double counting."""

import pathlib
import textwrap

import numpy as np
import pytest

import pysmpi

UNTIMED = {"smpi/simulate-computation": False, "smpi/wtime": 0}
"""Nothing but what the model says takes time."""


def test_times_are_scaled_to_the_host(platform_file: pathlib.Path, model_file, entry) -> None:
    """Two seconds on a machine of 3 Gflop/s are six on a host of 1 Gflop/s."""

    def program() -> None:
        np.dot(np.ones((2, 2)), np.ones((2, 2)))

    model = model_file({"dgemm": entry("dgemm", {"1": 2.0})}, speed=3e9)
    result = pysmpi.simulate(program, np=1, platform=platform_file, cfg=UNTIMED, blas=model)
    assert result.simulated_time == pytest.approx(6.0)
    assert result.time_spent.modelled == pytest.approx(6.0) and result.time_spent.measured == 0
    assert [(use.name, use.calls, use.seconds) for use in result.routines] == [("dgemm", 1, 2.0)]


def test_sizes_beyond_the_fit_are_counted(platform_file: pathlib.Path, model_file, entry) -> None:
    """The model was fitted up to size 100."""

    def program() -> None:
        for n in 1, 100, 101, 1000:
            pysmpi.folded_empty((n, 2)) @ pysmpi.folded_empty((2, 2))

    model = model_file({"dgemm": entry("dgemm", {"m*n*k": 1e-9}), "dgemv": entry("dgemv", {"m*n": 1e-9})})
    result = pysmpi.simulate(program, np=1, platform=platform_file, cfg=UNTIMED, blas=model)
    assert [(use.name, use.calls, use.extrapolated) for use in result.routines] == [("dgemv", 1, 0), ("dgemm", 3, 2)]


def test_a_model_counts_in_untimed_code(platform_file: pathlib.Path, model_file, entry) -> None:
    """Model times are injected times, which count in untimed code; a sample of such calls has their time."""

    def program() -> float:
        from mpi4py import MPI

        a = np.ones((2, 2))
        with pysmpi.untimed():
            a @ a
            for _ in pysmpi.sample(10, count=1):
                a @ a
        return MPI.Wtime()

    model = model_file({"dgemm": entry("dgemm", {"1": 1.0})})
    result = pysmpi.simulate(program, np=1, platform=platform_file, cfg=UNTIMED, blas=model)
    assert result.values[0] == pytest.approx(11.0, abs=0.1)
    assert result.time_spent.modelled == pytest.approx(1.0)


def test_arithmetic_that_is_modelled_is_not_measured(platform_file: pathlib.Path, model_file, entry) -> None:
    """A routine's real run time is not added to its model time."""

    def program() -> None:
        from mpi4py import MPI

        MPI.COMM_WORLD.Barrier()
        a = np.ones((600, 600))
        for _ in range(20):
            a @ a

    model = model_file({"dgemm": entry("dgemm", {"1": 1e-3})})
    with_model = pysmpi.simulate(program, np=1, platform=platform_file, blas=model).time_spent
    without = pysmpi.simulate(program, np=1, platform=platform_file).time_spent
    assert with_model.modelled == pytest.approx(20e-3)
    assert with_model.measured < without.measured / 2


def test_noise_repeats_and_differs_between_ranks(platform_file: pathlib.Path, model_file, entry) -> None:
    """Equal seeds give equal times to the bit."""

    def program() -> float:
        from mpi4py import MPI

        for _ in range(3):
            np.ones((2, 2)) @ np.ones((2, 2))
        return MPI.Wtime()

    noise = {"distribution": "half-normal", "deviation": {"m*n": 0.1}}
    model = model_file({"dgemm": entry("dgemm", {"1": 2.0}, noise=noise)})
    runs = [
        pysmpi.simulate(program, np=4, platform=platform_file, cfg=UNTIMED, blas=model, seed=seed).values
        for seed in (0, 0, 1)
    ]
    assert runs[0] == runs[1] != runs[2]
    assert len(set(runs[0])) == 4


def test_a_routine_without_a_model_is_timed_and_told(pysmpirun, model_file, entry) -> None:
    """The measured time counts, except in untimed code; the report mentions both."""
    source = """
    from mpi4py import MPI
    import numpy as np, pysmpi
    MPI.COMM_WORLD.Barrier()
    a = np.ones((300, 300)) + 300 * np.eye(300)
    np.linalg.solve(a, a)
    a @ a
    with pysmpi.untimed():
        np.linalg.solve(a, a)
    """
    model = model_file({"dgemm": entry("dgemm", {"1": 1.0})})
    run = pysmpirun("-np", "1", "--verbose", "--blas", str(model), "program.py", source=source)
    assert run.returncode == 0, run.stderr
    assert "questionable: " in run.stderr and "BLAS beyond the fitted sizes" in run.stderr
    assert "calls that took the model's time: dgemm (1×, 1 s, 1× beyond the sizes" in run.stderr
    assert "calls that have no model and were timed: dgesv (2×, " in run.stderr
    assert "1 of them in code that takes no time" in run.stderr


def test_a_wrong_model_ends_the_command(pysmpirun, tmp_path: pathlib.Path) -> None:
    """The command ends before the program starts, with the file and the place in it."""
    (tmp_path / "bad.json").write_text('{"format": "pysmpi-blas-model-1"}')
    run = pysmpirun("-np", "1", "--blas", "bad.json", "program.py", source="print('ran')")
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith("pysmpirun: error: bad.json: 'machine' is missing")


def test_names_of_private_and_shared_modules(pysmpirun, tmp_path: pathlib.Path, model_file, entry) -> None:
    (tmp_path / "own.py").write_text("from numpy import dot\nimport mpi4py\nstate = []\n")
    (tmp_path / "helpers.py").write_text("from scipy.linalg.blas import dgemm as product\n")
    source = """
    from mpi4py import MPI
    import numpy as np
    from own import dot
    from helpers import product
    a = np.ones((2, 2))
    dot(a, a), product(1.0, a, a)
    print(MPI.Wtime())
    """
    model = model_file({"dgemm": entry("dgemm", {"1": 1.0})})
    settings = [f"--cfg={name}:{0 if name == 'smpi/wtime' else 'no'}" for name in UNTIMED]
    run = pysmpirun("-np", "2", *settings, "--blas", str(model), "program.py", source=textwrap.dedent(source))
    assert run.returncode == 0, run.stderr
    assert [round(float(line), 6) for line in run.stdout.split()] == [2.0, 2.0]
