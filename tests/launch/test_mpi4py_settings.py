"""mpi4py.rc and the start and end of MPI in each rank."""

import pathlib
from collections.abc import Callable

import pysmpi

Lines = Callable[..., dict[int, list[str]]]


def test_a_program_that_initialises_mpi_itself(lines_of: Lines) -> None:
    """rc.initialize = False holds until MPI.Init, for the ranks that set it."""
    lines = lines_of(
        """
        from mpi4py import rc
        from mpi4py import MPI
        mine = MPI.COMM_WORLD.rank != 1
        if mine:
            rc.initialize = False
        before = MPI.Is_initialized()
        if mine:
            MPI.Init()
        print(rc.initialize, before, MPI.Is_initialized(), MPI.Is_finalized())
        MPI.Finalize()
        print(MPI.Is_initialized(), MPI.Is_finalized())
        """
    )
    assert lines == {
        0: ["False False True False", "True True"],
        1: ["True True True False", "True True"],
        2: ["False False True False", "True True"],
    }


def test_a_finalised_simulation_leaves_nothing_behind(platform_file: pathlib.Path) -> None:
    """After ranks have called MPI_Finalize, the next simulation begins afresh, and outside MPI is up."""
    from mpi4py import MPI

    for _ in range(2):
        assert pysmpi.simulate(MPI.Is_finalized, np=2, platform=platform_file).values == [False, False]
        assert pysmpi.simulate(MPI.Finalize, np=2, platform=platform_file).exit_status == 0
    assert MPI.Is_initialized() and not MPI.Is_finalized()


def test_a_misspelt_setting(lines_of: Lines) -> None:
    """mpi4py's own check of names stays."""
    lines = lines_of(
        """
        import mpi4py
        try:
            mpi4py.rc.initialise = False
        except TypeError as error:
            print(error)
        """,
        np=1,
    )
    assert lines == {0: ["object has no attribute 'initialise'"]}
