"""mpi4py.rc, and the start and end of MPI in each rank."""

import pathlib
import subprocess
import sys
from collections.abc import Callable

import pytest

import pysmpi

Lines = Callable[..., dict[int, list[str]]]
Done = subprocess.CompletedProcess[str]


RANK = """
        import os
        import mpi4py
        rank = os.getpid() - 100_000
"""


def test_a_program_that_initialises_mpi_itself(lines_of: Lines) -> None:
    """rc.initialize = False holds until MPI.Init in the ranks that set it, whichever way they import mpi4py.MPI."""
    lines = lines_of(
        f"""
        {RANK}
        import importlib
        if rank != 1:
            mpi4py.rc.initialize = False
        if rank == 0:
            from mpi4py import MPI
        elif rank == 1:
            import mpi4py.MPI as MPI
        else:
            MPI = importlib.import_module("mpi4py.MPI")
        before = MPI.Is_initialized()
        if rank != 1:
            MPI.Init()
        print(mpi4py.rc.initialize, before, MPI.Is_initialized(), MPI.Is_finalized())
        MPI.Finalize()
        print(MPI.Is_initialized(), MPI.Is_finalized())
        """
    )
    assert lines == {
        0: ["False False True False", "True True"],
        1: ["True True True False", "True True"],
        2: ["False False True False", "True True"],
    }


def test_what_is_set_after_the_import_has_no_effect(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import mpi4py
        from mpi4py import MPI
        mpi4py.rc.initialize = False
        from mpi4py import MPI
        print(MPI.Is_initialized(), MPI.COMM_WORLD.size)
        """,
        np=2,
    )
    assert lines == {0: ["True 2"], 1: ["True 2"]}


def test_room_for_objects_that_are_received(lines_of: Lines) -> None:
    """rc.irecv_bufsz is private to the rank that sets it, in the program or its environment."""
    lines = lines_of(
        f"""
        {RANK}
        if rank == 1:
            mpi4py.rc.irecv_bufsz = 100_000
        elif rank == 2:
            os.environ["MPI4PY_RC_IRECV_BUFSZ"] = "100000"
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        request = world.irecv(source=0, tag=1)
        if rank == 0:
            for dest in range(world.size):
                world.isend(bytes(50_000), dest, tag=1)
        try:
            print(len(request.wait()))
        except MPI.Exception as error:
            print(error.Get_error_class() == MPI.ERR_TRUNCATE)
        """,
        np=4,
    )
    assert lines == {0: ["True"], 1: ["50000"], 2: ["50000"], 3: ["True"]}


def test_error_handlers_and_threads(lines_of: Lines) -> None:
    """rc.errors sets the handlers of all objects; rc.threads and rc.thread_level set the provided thread level."""
    lines = lines_of(
        f"""
        {RANK}
        mpi4py.rc.errors = ("exception", "fatal", "abort", "default")[rank]
        if rank == 1:
            mpi4py.rc.threads = False
        elif rank == 2:
            mpi4py.rc.thread_level = "serialized"
        from mpi4py import MPI
        handlers = [MPI.ERRORS_RETURN, MPI.ERRORS_ARE_FATAL, MPI.ERRORS_ABORT]
        names = ["return", "fatal", "abort"]
        objects = [MPI.COMM_WORLD, MPI.COMM_SELF, MPI.COMM_WORLD.Dup(), MPI.Win.Create(bytearray(8))]
        found = [names[handlers.index(each.Get_errhandler())] for each in objects]
        print(*found, MPI.Query_thread())
        """,
        np=4,
    )
    assert lines == {
        0: ["return return return return 3"],
        1: ["fatal fatal fatal fatal 0"],
        2: ["abort abort abort abort 2"],
        3: ["fatal fatal fatal fatal 3"],
    }


def test_a_finalised_simulation_leaves_nothing_behind(platform_file: pathlib.Path) -> None:
    """After MPI_Finalize in ranks, the next simulation starts normally, and MPI outside is initialised."""
    from mpi4py import MPI

    for _ in range(2):
        assert pysmpi.simulate(MPI.Is_finalized, np=2, platform=platform_file).values == [False, False]
        assert pysmpi.simulate(MPI.Finalize, np=2, platform=platform_file).exit_status == 0
    assert MPI.Is_initialized() and not MPI.Is_finalized()


def test_a_misspelt_setting(lines_of: Lines) -> None:
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


def test_settings_that_mean_nothing(lines_of: Lines) -> None:
    """mpi4py's warning comes from the rank's import, and the default is used."""
    lines = lines_of(
        """
        import warnings
        import mpi4py
        mpi4py.rc.recv_mprobe = "perhaps"
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            from mpi4py import MPI
        print(*(each.message for each in caught), MPI.Is_initialized())
        """,
        np=2,
    )
    assert lines == {rank: ["mpi4py.rc.recv_mprobe: unexpected value 'perhaps' True"] for rank in range(2)}


@pytest.mark.parametrize(("statement", "status"), [("sys.exit(7)", 7), ("raise KeyError(5)", 1), ("sys.exit()", 0)])
def test_a_program_under_mpi4py_run(pysmpirun: Callable[..., Done], statement: str, status: int) -> None:
    """With -m mpi4py, a rank that fails aborts all ranks; one that ends does not."""
    source = f"import sys\nfrom mpi4py import MPI\nif MPI.COMM_WORLD.rank == 1:\n    {statement}\n"
    if status:
        source += "MPI.COMM_WORLD.barrier()\n"
    done = pysmpirun("-np", "2", "-m", "mpi4py", "program.py", source=source)
    assert done.returncode == status
    said = f"rank 1 (host node0) called MPI_Abort({status}); all ranks are stopped"
    assert (said in done.stderr) == (status != 0), done.stderr


def test_a_program_deletes_modules(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import sys
        import mpi4py
        del mpi4py.rc, sys.modules["mpi4py.rc"]
        from mpi4py import MPI
        MPI.COMM_WORLD.barrier()
        print(hasattr(mpi4py, "rc"), "mpi4py.rc" in sys.modules)
        """,
        np=2,
    )
    assert lines == {0: ["False False"], 1: ["False False"]}


def test_an_environment_behind_a_symbolic_link(tmp_path: pathlib.Path) -> None:
    """A home directory may be a link: mpi4py's file then has another path than in the process's map of memory."""
    link = tmp_path / "environment"
    link.symlink_to(sys.prefix)
    code = "import pysmpi; print(pysmpi.simulate(int, np=2, platform='flat:2').values)"
    run = subprocess.run([link / "bin" / "python", "-c", code], capture_output=True, text=True, check=False)
    assert run.stdout == "[0, 0]\n", run.stderr


@pytest.mark.parametrize("nested", [False, True])
def test_settings_that_an_installed_package_changes_at_its_import(
    lines_of: Lines, installed: Callable[[str, str], None], nested: bool
) -> None:
    """In a function, the import of mpi4py is not visible beforehand."""
    lines = ["from mpi4py import MPI", "MPI.pickle.__init__(lambda value: repr(value).encode(), bytes)"]
    lines += ["import mpi4py", "mpi4py.rc.recv_mprobe = False"]
    source = "\n".join(lines)
    if nested:
        source = "def prepare():\n    " + "\n    ".join(lines) + "\nprepare()\n"
    installed("pickler.py", source)
    found = lines_of(
        """
        import pickler
        from mpi4py import MPI
        import mpi4py
        print(MPI.pickle.dumps(5), MPI.COMM_WORLD.bcast(7), mpi4py.rc.recv_mprobe)
        """
    )
    assert found == {rank: ["b'5' b'7' False"] for rank in range(3)}
