"""Private and shared modules."""

import pathlib
import sys
from collections.abc import Callable

import pytest

from pysmpi.simulation.isolation.statelessness import state_of

Lines = Callable[..., dict[int, list[str]]]


def test_the_programs_modules_are_private(lines_of: Lines, own: Callable[[str, str], None]) -> None:
    """A module beside the script keeps each rank's state, also if a function imports it later."""
    own("own_state.py", "values = []\n")
    lines = lines_of(
        """
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        import own_state
        own_state.values.append(comm.rank)
        comm.Barrier()
        def later():
            import own_state
            from own_state import values
            return own_state.values is values and values
        print(own_state.values, later())
        """
    )
    assert lines == {rank: [f"[{rank}] [{rank}]"] for rank in range(3)}
    assert "own_state" not in sys.modules


def test_an_installed_package_with_the_rank_at_module_level(
    lines_of: Lines, installed: Callable[[str, str], None]
) -> None:
    """The package reaches mpi4py directly and through another of its modules."""
    installed("rankly/__init__.py", "from rankly import parallel\nfrom rankly.parallel import rank\n")
    installed("rankly/parallel.py", "from mpi4py import MPI\nrank = MPI.COMM_WORLD.Get_rank()\n")
    installed("rankly/user.py", "from . import parallel\nvalue = [parallel.rank]\n")
    lines = lines_of(
        """
        import rankly
        from rankly import user
        from mpi4py import MPI
        MPI.COMM_WORLD.Barrier()
        import rankly.parallel
        print(rankly.rank, rankly.parallel.rank, user.value, rankly.user is user)
        """
    )
    assert lines == {rank: [f"{rank} {rank} [{rank}] True"] for rank in range(3)}


def test_an_installed_package_that_dups_at_import(lines_of: Lines, installed: Callable[[str, str], None]) -> None:
    """Ranks may block while they import a module, all at the same time."""
    installed(
        "dupper.py",
        """
        import mpi4py.MPI as mpi
        comm = mpi.COMM_WORLD.Dup()
        total = comm.allreduce(comm.rank)
        """,
    )
    lines = lines_of(
        """
        import dupper
        from mpi4py import MPI
        print(dupper.total, dupper.comm.rank, dupper.comm == MPI.COMM_WORLD)
        """
    )
    assert lines == {rank: [f"3 {rank} False"] for rank in range(3)}


def test_a_package_that_reaches_mpi4py_in_a_function(lines_of: Lines, installed: Callable[[str, str], None]) -> None:
    """An import inside a function makes a module private, because it may keep the result."""
    installed(
        "lazy_mpi.py",
        """
        _rank = None
        def rank():
            global _rank
            if _rank is None:
                from mpi4py import MPI
                _rank = MPI.COMM_WORLD.rank
            return _rank
        """,
    )
    lines = lines_of("import lazy_mpi\nprint(lazy_mpi.rank(), lazy_mpi.rank())")
    assert lines == {rank: [f"{rank} {rank}"] for rank in range(3)}


def test_a_package_that_never_reaches_mpi4py_is_shared(lines_of: Lines, installed: Callable[[str, str], None]) -> None:
    """The package runs once, with no rank as the running one."""
    installed("plain.py", "import random\ncount = []\ncount.append(1)\ndraw = random.random()\n")
    lines = lines_of(
        """
        from mpi4py import MPI
        import plain
        plain.count.append(MPI.COMM_WORLD.rank)
        MPI.COMM_WORLD.Barrier()
        print(sorted(plain.count), id(plain))
        """
    )
    sys.modules.pop("plain", None)
    assert len({tuple(lines[rank]) for rank in range(3)}) == 1
    assert lines[0][0].startswith("[0, 1, 1, 2]")


def test_a_module_without_state_is_shared(lines_of: Lines, own: Callable[[str, str], None]) -> None:
    """Functions and constants exist once, but assignments from outside are private to the rank."""
    own("constants.py", "import numpy as np\nN = 7\ndef n():\n    return N\n")
    lines = lines_of(
        """
        from mpi4py import MPI
        import constants
        comm = MPI.COMM_WORLD
        same = len(set(comm.allgather(id(constants)))) == 1
        if comm.rank == 1:
            constants.N = 8
            constants.extra = True
        comm.Barrier()
        print(same, constants.N, constants.n(), hasattr(constants, "extra"))
        """
    )
    assert lines == {0: ["True 7 7 False"], 1: ["True 8 8 True"], 2: ["True 7 7 False"]}


def test_verbose_says_which_and_why(pysmpirun, tmp_path: pathlib.Path) -> None:
    (tmp_path / "state.py").write_text("cache = {}\n")
    (tmp_path / "uses.py").write_text("import state\n")
    (tmp_path / "pure.py").write_text("X = 1\n")
    run = pysmpirun("-np", "2", "-v", "--quiet", "program.py", source="import json, state, uses, pure, numpy.linalg")
    assert run.returncode == 0
    assert run.stderr.splitlines() == [
        "pysmpirun: module state: private to each rank (the program's own; line 1: {} may be mutable)",
        "pysmpirun: module uses: private to each rank (the program's own; imports state, which is private)",
        "pysmpirun: module pure: shared by all ranks (the program's own, but holds no state)",
    ]


def test_a_private_module_in_a_shared_package(lines_of: Lines, installed: Callable[[str, str], None]) -> None:
    """The package exists once; its attribute for the module is private to the rank."""
    installed("mixed/__init__.py", "loaded = []\n")
    installed("mixed/comm.py", "from mpi4py import MPI\nrank = [MPI.COMM_WORLD.rank]\n")
    lines = lines_of(
        """
        import mixed, mixed.comm
        from mpi4py import MPI
        MPI.COMM_WORLD.Barrier()
        print(mixed.comm.rank, len(set(MPI.COMM_WORLD.allgather(id(mixed)))))
        """
    )
    for name in ("mixed", "mixed.comm"):
        sys.modules.pop(name, None)
    assert lines == {rank: [f"[{rank}] 1"] for rank in range(3)}


def test_a_module_named_path_in_a_package(lines_of: Lines, installed: Callable[[str, str], None]) -> None:
    """New modules are plain modules, not of the class of sys, whose path is private (matplotlib has such a module)."""
    installed("winding/__init__.py", "from winding.path import length\n")
    installed("winding/path.py", "length = 7\n")
    lines = lines_of(
        """
        from mpi4py import MPI
        import sys, types, winding
        print(type(winding) is types.ModuleType, winding.path.length, isinstance(sys.path, list))
        """,
        np=2,
    )
    assert lines == {rank: ["True 7 True"] for rank in range(2)}


def test_a_circle_of_imports(lines_of: Lines, own: Callable[[str, str], None]) -> None:
    own("ping.py", "import pong\nvalues = []\n")
    own("pong.py", "import ping\ndef get():\n    return ping.values\n")
    lines = lines_of(
        """
        import ping, pong
        from mpi4py import MPI
        pong.get().append(MPI.COMM_WORLD.rank)
        MPI.COMM_WORLD.Barrier()
        print(ping.values)
        """
    )
    assert lines == {rank: [f"[{rank}]"] for rank in range(3)}


def test_an_import_that_fails(lines_of: Lines, own: Callable[[str, str], None]) -> None:
    """A module that raises at import is in no rank's sys.modules, and can be imported again."""
    own("fails.py", "items = []\nfrom mpi4py import MPI\nif MPI.COMM_WORLD.rank == 1:\n    raise RuntimeError('no')\n")
    lines = lines_of(
        """
        import sys
        from mpi4py import MPI
        for attempt in range(2):
            try:
                import fails
            except RuntimeError as error:
                print(error)
        MPI.COMM_WORLD.Barrier()
        print("fails" in sys.modules)
        """
    )
    assert lines == {0: ["True"], 1: ["no", "no", "False"], 2: ["True"]}


def test_a_module_that_is_run(lines_of: Lines, own: Callable[[str, str], None]) -> None:
    """runpy takes a module's code from its loader, also for a private module."""
    own("own_task.py", "values = [__name__]\nprint('ran')\n")
    lines = lines_of(
        """
        import runpy
        print(runpy.run_module("own_task", run_name="task")["values"])
        """,
        np=2,
    )
    assert lines == {0: ["ran", "['task']"], 1: ["ran", "['task']"]}


def test_a_file_that_is_run(lines_of: Lines, own: Callable[[str, str], None]) -> None:
    """Each run of a file has its own variables, and changes to the file take effect."""
    own("own_file.py", "values = []\n")
    lines = lines_of(
        """
        import pathlib
        import runpy
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        path = pathlib.Path(__file__).with_name("own_file.py")
        runpy.run_path(path)["values"].append(1)
        found = [runpy.run_path(path)["values"]]
        world.barrier()
        if world.rank == 0:
            path.write_text("values = [12345]\\n")
        world.barrier()
        print(found, runpy.run_path(path)["values"])
        """,
        np=2,
    )
    assert lines == {0: ["[[]] [12345]"], 1: ["[[]] [12345]"]}


STATELESS = [
    "'''Doc.'''\nimport os\nfrom math import pi\nX = 2 * pi\nY = (1, 'a', None, -X)\n__all__ = ['X']",
    "class A:\n    size: int = 3\n    def f(self, n=3, *, m=(1, 2)):\n        self.x = n\n        return [n]",
    "from dataclasses import dataclass, field\n@dataclass\nclass P:\n    x: list[int] = field(default_factory=list)",
    "import numpy as np\nTYPE = np.float64\ndef f(kind=np.float64):\n    return np.zeros(3, kind)",
    "try:\n    import fast\nexcept ImportError:\n    fast = None",
    "def main():\n    pass\nif __name__ == '__main__':\n    main()\n    things = []",
    "import logging\nlog = logging.getLogger(__name__)\nNAMES = frozenset({'a', 'b'})\nkey = lambda x: x[0]",
]
STATEFUL = [
    ("x = []", "line 1: [] may be mutable"),
    ("x = 1\ndef f():\n    global x\n    x = 2", "line 3: 'global x'"),
    ("def f(x=[]):\n    pass", "line 1: [] may be mutable"),
    ("class A:\n    shared = {}", "line 2: {} may be mutable"),
    ("class A:\n    n = 0\n    def f(self):\n        A.n += 1", "line 4: an attribute of A is changed"),
    (
        "class A:\n    n = 0\n    @classmethod\n    def f(cls):\n        cls.n = 1",
        "line 5: an attribute of cls is changed",
    ),
    ("class A:\n    def f(self):\n        type(self).n = 1", "line 3: an attribute of a class is changed"),
    ("import os\ndef f():\n    os.ours = 1", "line 3: an attribute of os is changed"),
    ("import functools\n@functools.lru_cache\ndef f():\n    pass", "line 2: the decorator functools.lru_cache"),
    ("import itertools\ncounter = itertools.count()", "line 2: itertools.count() may return a mutable object"),
    ("def f():\n    globals()['x'] = 1", "line 2: a call of globals"),
    ("for i in range(3):\n    pass", "line 1: a statement of kind For"),
    ("def f():\n    f.calls = 1", "line 2: an attribute of f is changed"),
]


@pytest.mark.parametrize("source", STATELESS)
def test_what_holds_no_state(source: str) -> None:
    assert state_of(source) is None


@pytest.mark.parametrize(("source", "found"), STATEFUL)
def test_what_may_hold_state(source: str, found: str) -> None:
    """Every changeable object at the top level is found, with its line."""
    assert (state_of(source) or "").startswith(found)


def test_a_shared_cache_serves_all_ranks(lines_of: Lines, own: Callable[[str, str], None]) -> None:
    """The module that holds the function has no other state."""
    own(
        "own_tables.py",
        """import pysmpi

@pysmpi.shared_cache
def table(length):
    return [pysmpi.host().name, length]
""",
    )
    lines = lines_of(
        """
        from mpi4py import MPI
        import own_tables
        table = own_tables.table(3)
        print(id(table) == MPI.COMM_WORLD.bcast(id(table)), table is own_tables.table(3), table[1])
        """
    )
    assert lines == {rank: ["True True 3"] for rank in range(3)}


def test_a_module_that_a_rank_enters_itself_is_its_own(lines_of: Lines, tmp_path: pathlib.Path) -> None:
    """The recipe of importlib's documentation for a file that lies elsewhere."""
    (tmp_path / "elsewhere.txt").write_text("from mpi4py import MPI\nrank = MPI.COMM_WORLD.rank\nclass Mine: pass\n")
    file = tmp_path / "elsewhere.txt"
    lines = lines_of(
        f"""
        import importlib.machinery, importlib.util, pickle, sys
        from mpi4py import MPI
        loader = importlib.machinery.SourceFileLoader("elsewhere", r"{file}")
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("elsewhere", loader))
        sys.modules["elsewhere"] = module
        loader.exec_module(module)
        MPI.COMM_WORLD.Barrier()
        import elsewhere
        print(elsewhere.rank, elsewhere is module, type(pickle.loads(pickle.dumps(module.Mine()))) is module.Mine)
        """
    )
    assert lines == {rank: [f"{rank} True True"] for rank in range(3)}


def test_a_package_with_a_path_of_each_rank(lines_of: Lines, installed: Callable[[str, str], None]) -> None:
    """Rank 2 lacks the second module, which rank 0 has not asked for."""
    installed(
        "scattered/__init__.py",
        """
        from mpi4py import MPI
        __path__.append(f"{__path__[0]}/of_{MPI.COMM_WORLD.rank}")
        """,
    )
    for rank in range(3):
        installed(f"scattered/of_{rank}/who.py", f"rank = {rank}")
    installed("scattered/of_1/more.py", "rank = 10")
    lines = lines_of(
        """
        import scattered.who
        from mpi4py import MPI
        if MPI.COMM_WORLD.rank:
            try:
                from scattered import more
                print(more.rank)
            except ImportError:
                print("none")
        MPI.COMM_WORLD.Barrier()
        print(scattered.who.rank)
        """
    )
    assert lines == {0: ["0"], 1: ["10", "1"], 2: ["none", "2"]}
