"""Tests of phases: their time and energy."""

import threading
from pathlib import Path

import pytest

import pysmpi
from pysmpi.platform import Cluster
from pysmpi.simulation.instruments import PhaseUse

EXACT = {"smpi/simulate-computation": "no", "smpi/wtime": 0}
ENERGY = Path(__file__).parents[1] / "energy" / "energy.xml"


def by_name(result: pysmpi.Result) -> dict[str, PhaseUse]:
    return {use.name: use for use in result.phases}


def test_seconds_are_summed_over_ranks() -> None:
    def program() -> None:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        pysmpi.execute(5.0)
        for _ in range(2):
            with pysmpi.phase("work"):
                pysmpi.execute(1.0 + world.rank)
        if world.rank == 1:
            with pysmpi.phase("rest"):
                pysmpi.sleep(0.5)

    result = pysmpi.simulate(program, np=3, platform=Cluster(3), cfg=EXACT)
    uses = by_name(result)
    assert list(uses) == ["work", "rest"]
    assert uses["work"] == PhaseUse("work", 3, 6, pytest.approx(12.0), pytest.approx(6.0), 0.0)
    assert uses["rest"] == PhaseUse("rest", 1, 1, pytest.approx(0.5), pytest.approx(0.5), 0.0)


def test_phases_lie_inside_others() -> None:
    """The outer phase includes the time of the inner one, also in recursive functions."""

    @pysmpi.phase("factorial")
    def factorial(n: int) -> int:
        pysmpi.execute(1.0)
        return n * factorial(n - 1) if n > 1 else 1

    def program() -> int:
        with pysmpi.phase("outer"):
            value = factorial(3)
            pysmpi.execute(1.0)
        return value

    result = pysmpi.simulate(program, np=1, platform=Cluster(1), cfg=EXACT)
    uses = by_name(result)
    assert result.values == [6]
    assert uses["outer"].seconds == pytest.approx(4.0)
    assert (uses["factorial"].entries, uses["factorial"].seconds) == (3, pytest.approx(3.0 + 2.0 + 1.0))


def test_one_object_serves_many_ranks() -> None:
    """A phase object shared by all ranks, such as a global of an imported module, keeps the ranks apart."""
    shared = pysmpi.phase("shared")

    def program() -> None:
        from mpi4py import MPI

        with shared:
            pysmpi.execute(1.0 + MPI.COMM_WORLD.rank)

    use = by_name(pysmpi.simulate(program, np=3, platform=Cluster(3), cfg=EXACT))["shared"]
    assert (use.ranks, use.seconds, use.longest) == (3, pytest.approx(6.0), pytest.approx(3.0))


def test_a_phase_ends_with_what_is_raised_in_it() -> None:
    def program() -> str:
        try:
            with pysmpi.phase("fails"):
                pysmpi.execute(1.0)
                raise KeyError("inside")
        except KeyError as error:
            return str(error)

    result = pysmpi.simulate(program, np=1, platform=Cluster(1), cfg=EXACT)
    assert result.values == ["'inside'"]
    assert by_name(result)["fails"].seconds == pytest.approx(1.0)


def test_threads_of_a_rank_have_phases_of_their_own() -> None:
    def program() -> None:
        def work() -> None:
            with pysmpi.phase("thread"):
                pysmpi.sleep(1.0)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    use = by_name(pysmpi.simulate(program, np=1, platform=Cluster(1), cfg=EXACT))["thread"]
    assert (use.ranks, use.entries, use.seconds) == (1, 3, pytest.approx(3.0))


def test_joules_of_phases_add_up() -> None:
    def program() -> None:
        from mpi4py import MPI

        rank = MPI.COMM_WORLD.rank
        with pysmpi.phase("first"):
            pysmpi.execute_flops(1e9 * (rank + 1))
            MPI.COMM_WORLD.Barrier()
        with pysmpi.phase("second"):
            pysmpi.execute_flops(2e9)
            MPI.COMM_WORLD.Barrier()

    result = pysmpi.simulate(program, np=6, platform=ENERGY, cfg={**EXACT, "plugin": "host_energy"})
    assert result.energy is not None
    joules = sum(use.joules for use in result.phases)
    assert joules == pytest.approx(result.energy.ranks.sum(), rel=1e-4)  # ranks leave the last barrier one by one
    assert all(use.joules > 0 for use in result.phases)


def test_phases_of_former_simulations_are_forgotten() -> None:
    with pysmpi.phase("outside"):
        pass
    result = pysmpi.simulate(pysmpi.sleep, np=1, platform=Cluster(1), args=(1.0,), cfg=EXACT)
    assert result.phases == ()
