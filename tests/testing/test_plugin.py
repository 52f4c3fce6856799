"""Tests of the pytest plugin, in a pytest process started here."""

import os
import pathlib
import subprocess
import sys
import textwrap
from collections.abc import Callable

import pytest

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: pathlib.Path) -> Run:
    """Run a module of tests, and return pytest's output."""

    def run(source: str, *words: str, ini: str = "simulated_mpi = true", before: tuple[str, ...] = ()) -> str:
        (tmp_path / "test_program.py").write_text(textwrap.dedent(source))
        (tmp_path / "pytest.ini").write_text(f"[pytest]\n{ini}\n")
        options = ["-p", "no:cacheprovider", "-p", "pysmpi.testing.plugin", "-rs", "-v"]  # a source tree is not found
        command = [*before, sys.executable, "-m", "pytest", *options, *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=os.environ, capture_output=True, text=True, timeout=100, check=False
        )
        return done.stdout + done.stderr

    return run


def test_each_number_of_ranks_is_a_test(run: Run) -> None:
    out = run(
        """
        import pytest
        from mpi4py import MPI

        seen = []

        @pytest.fixture
        def factor():
            return 3

        @pytest.mark.ranks(1, 2, 7)
        @pytest.mark.parametrize("offset", [0, 5])
        def test_sum(factor, offset):
            global seen
            world = MPI.COMM_WORLD
            seen = [*seen, world.rank]
            assert len(seen) == 1
            total = world.allreduce(factor * world.rank + offset)
            assert total == factor * world.size * (world.size - 1) // 2 + offset * world.size

        class TestInAClass:
            @pytest.mark.ranks(3, platform="torus:3,1,1", cfg={"network/model": "CM02"})
            def test_size(self):
                assert MPI.COMM_WORLD.size == 3

        def test_without():
            assert MPI.COMM_WORLD.size == 1
        """
    )
    assert "8 passed" in out, out
    assert "test_sum[0-ranks=7]" in out or "test_sum[ranks=7-0]" in out
    assert "test_size[ranks=3]" in out


def test_failures_are_shown_by_rank(run: Run) -> None:
    out = run(
        """
        import pytest
        from mpi4py import MPI

        @pytest.mark.ranks(6)
        def test_it():
            rank = MPI.COMM_WORLD.rank
            if rank == 4:
                raise KeyError("other")
            assert rank in (0, 5)
        """
    )
    assert "1 failed" in out, out
    assert "ranks 1 to 3 of 6: AssertionError: assert 1 in (0, 5)" not in out  # each rank has its own text
    assert "rank 1 of 6: AssertionError: assert 1 in (0, 5)" in out
    assert "rank 4 of 6: KeyError: 'other'" in out
    assert "ranks 0, 5: did not fail" in out
    assert 'raise KeyError("other")' in out


def test_who_waits_for_a_failed_rank_is_told(run: Run) -> None:
    out = run(
        """
        import pytest
        from mpi4py import MPI

        @pytest.mark.ranks(3)
        def test_it():
            world = MPI.COMM_WORLD
            assert world.rank != 1
            world.Barrier()
        """
    )
    assert "assert 1 != 1" in out, out
    assert "rank 1 of 3: AssertionError" in out
    assert "MPI_Barrier" in out


def test_deadlocks_without_failures_are_failures(run: Run) -> None:
    out = run(
        """
        import pytest
        from mpi4py import MPI

        @pytest.mark.ranks(2)
        def test_it():
            MPI.COMM_WORLD.recv(source=1 - MPI.COMM_WORLD.rank)
        """
    )
    assert "DeadlockError: deadlock at" in out
    assert "rank 0 -> 1 -> 0" in out
    assert "pysmpi/" not in out  # no frame of ours
    assert len(out.split("FAILURES")[1].splitlines()) < 12


def test_a_rank_may_skip(run: Run) -> None:
    out = run(
        """
        import pytest

        @pytest.mark.ranks(2)
        def test_it():
            pytest.skip("not here")
        """
    )
    assert "1 skipped" in out, out
    assert "not here" in out


def test_what_would_pass_unseen_fails(run: Run) -> None:
    """A skipping rank hides no failure, an exiting rank fails, and settings may be strings as for simulate."""
    out = run(
        """
        import sys
        import unittest

        import pytest
        from mpi4py import MPI

        @pytest.mark.ranks(2)
        def test_skip():
            if MPI.COMM_WORLD.rank == 0:
                pytest.skip("not here")
            raise ValueError("the other rank")

        @pytest.mark.ranks(2)
        def test_exit():
            sys.exit(3)

        @pytest.mark.ranks(2, cfg=["network/model:CM02"])
        def test_words():
            assert MPI.COMM_WORLD.size == 2

        class TestOfUnittest(unittest.TestCase):
            @pytest.mark.ranks(2)
            def test_it(self):
                pass
        """
    )
    assert "2 failed, 1 passed, 1 error" in out, out
    assert "ValueError: the other rank" in out
    assert "SystemExit: 3" in out
    assert "no effect on methods of unittest.TestCase" in out


def test_coroutines_are_refused(run: Run) -> None:
    out = run("import pytest\n\n@pytest.mark.ranks(2)\nasync def test_it():\n    assert False\n")
    assert "does not support `async def`" in out, out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "the marker needs numbers of ranks"),
        ("0", "the marker needs numbers of ranks"),
        ("'4'", "the marker needs numbers of ranks"),
        ("True", "the marker needs numbers of ranks"),
        (
            "2, plattform='torus:2'",
            "no argument 'plattform' (valid: blas, cfg, check, fabric, hosts, mpi, platform, seed, smpi)",
        ),
    ],
)
def test_wrong_markers_are_explained(run: Run, arguments: str, message: str) -> None:
    out = run(f"import pytest\n\n@pytest.mark.ranks({arguments})\ndef test_it():\n    pass\n")
    assert message in out, out


def test_without_the_setting_mpi_is_bound_when_it_is_needed(run: Run) -> None:
    """A module that imports mpi4py inside its tests needs no setting."""
    out = run(
        """
        import pytest

        @pytest.mark.ranks(4)
        def test_it():
            from mpi4py import MPI
            assert MPI.COMM_WORLD.size == 4
        """,
        ini="",
    )
    assert "1 passed" in out, out


def test_on_a_real_mpi(run: Run) -> None:
    out = run(
        """
        import pytest
        from mpi4py import MPI

        @pytest.mark.ranks(2, 3)
        def test_it(tmp_path_factory):
            assert MPI.COMM_WORLD.allreduce(1) == 2
            assert "pysmpi" not in MPI.Get_library_version()
        """,
        ini="",
        before=(str(pathlib.Path(sys.executable).parent / "mpiexec"), "-n", "2"),
    )
    assert out.count("1 passed, 1 skipped") == 2, out
    assert "a real MPI with 2 ranks, but the test needs 3" in out


def test_mistakes_fail_a_test_that_is_checked(run: Run) -> None:
    out = run(
        """
        import pytest
        from mpi4py import MPI

        @pytest.mark.ranks(2, check=True)
        def test_leak():
            MPI.COMM_WORLD.Dup()

        @pytest.mark.ranks(2)
        def test_nobody_looks():
            MPI.COMM_WORLD.Dup()
        """
    )
    assert "1 failed, 1 passed" in out
    assert "unfreed-communicator: ranks 0-1 have never freed a communicator made at" in out
