"""Imports that run once, and imports that become private because they depend on the rank."""

import builtins
import functools
import pathlib
import random
import sys
from collections.abc import Callable

import pytest

import pysmpi

Lines = Callable[..., dict[int, list[str]]]
Write = Callable[[str, str], None]

REGISTRY = """
names = set()
def register(name):
    if name in names:
        raise ValueError(f"{name} is registered already")
    names.add(name)
"""


@pytest.mark.parametrize("how", ["def rank():\n    from mpi4py import MPI\n    return MPI.COMM_WORLD.rank", "X = 1"])
def test_a_package_that_registers_itself_once(lines_of: Lines, installed: Write, how: str) -> None:
    """An import of mpi4py inside a function does not make the package run again."""
    installed("registry.py", REGISTRY)
    installed("plug/__init__.py", "import registry\nfrom plug import extra\nregistry.register('plug')\n")
    installed("plug/extra.py", how)
    lines = lines_of("import plug\nfrom mpi4py import MPI\nprint(len(set(MPI.COMM_WORLD.allgather(id(plug)))))", np=4)
    assert lines == {rank: ["1"] for rank in range(4)}


@pytest.mark.parametrize(
    "source",
    [
        "rank = MPI.COMM_WORLD.rank",
        "if MPI.COMM_WORLD.rank:\n    rank = MPI.COMM_WORLD.Get_rank()\nelse:\n    rank = 0",
        "rank = MPI.COMM_WORLD.scan(1) - 1",
        "import os\nrank = os.getpid() - 100_000",
        "import os\nrank = int(os.environ['OMPI_COMM_WORLD_RANK'])",
    ],
)
@pytest.mark.parametrize("whose", ["installed", "own"])
def test_an_import_that_depends_on_the_rank(
    lines_of: Lines, request: pytest.FixtureRequest, source: str, whose: str
) -> None:
    request.getfixturevalue(whose)("who.py", f"from mpi4py import MPI\n{source}\n")
    lines = lines_of("import who\nprint(who.rank)", np=4)
    assert lines == {rank: [str(rank)] for rank in range(4)}


def test_modules_in_a_folder_of_sources_are_the_programs_own(lines_of: Lines, tmp_path: pathlib.Path) -> None:
    """The folder is not the program's, and nobody installs packages into it."""
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "whose.py").write_text("rank = -1\ndef set_rank(value):\n    global rank\n    rank = value\n")
    program = f"""
        import sys
        sys.path.insert(0, {str(folder)!r})
        import whose
        from mpi4py import MPI
        whose.set_rank(MPI.COMM_WORLD.rank)
        MPI.COMM_WORLD.Barrier()
        print(whose.rank)
        """
    assert lines_of(program) == {rank: [str(rank)] for rank in range(3)}


def test_only_those_that_hold_the_rank_become_private(pysmpirun, tmp_path: pathlib.Path, installed: Write) -> None:
    """Modules that were imported on the way stay shared, unless they refer to a module that has become private."""
    installed("solver/__init__.py", "from solver import grids, circle, parallel\n")
    installed("solver/grids.py", "found = {}\n")
    installed("solver/circle.py", "import solver\n")
    installed("solver/parallel.py", "from mpi4py import MPI\nworld = MPI.COMM_WORLD\nown = world.Dup()\n")
    installed("later.py", "from solver.parallel import own\n")
    run = pysmpirun(
        "-np",
        "3",
        "-v",
        "--quiet",
        "program.py",
        source="""
        import solver, later
        from mpi4py import MPI
        rank = MPI.COMM_WORLD.rank
        assert solver.circle.solver is solver and later.own is solver.parallel.own and later.own.rank == rank
        assert len(set(MPI.COMM_WORLD.allgather(id(solver.grids)))) == 1
        assert len(set(MPI.COMM_WORLD.allgather(id(solver.parallel)))) == 3
        """,
    )
    assert run.returncode == 0, run.stderr
    assert [line for line in run.stderr.splitlines() if "solver" in line] == [
        "pysmpirun: module solver: private to each rank (imports solver.parallel, which is private)",
        "pysmpirun: module solver.grids: shared by all ranks (its import does not depend on the rank)",
        "pysmpirun: module solver.circle: private to each rank (imports solver, which is private)",
        "pysmpirun: module solver.parallel: private to each rank (depends on the rank in line 3: own = world.Dup())",
        "pysmpirun: module later: private to each rank (imports solver, which is private)",
    ]


def test_shared_modules_at_any_depth_of_a_private_package(lines_of: Lines, installed: Write) -> None:
    """Each rank's package has them as attributes, also those that another shared module has imported."""
    installed("pack/__init__.py", "from mpi4py import MPI\nrank = MPI.COMM_WORLD.rank\n")
    installed("pack/user.py", "import pack.tpl.lex as lex\n")
    installed("pack/tpl/__init__.py", "from pack.tpl import words\n")
    installed("pack/tpl/words.py", "from pack import aside\n")
    installed("pack/tpl/lex.py", "VALUE = 1\n")
    installed("pack/aside.py", "VALUE = 2\n")
    lines = lines_of(
        """
        import pack.tpl.lex
        print(pack.rank, pack.tpl.lex.VALUE, pack.aside.VALUE, pack.tpl.words.aside.VALUE)
        import pack.user
        print(pack.user.lex is pack.tpl.lex)
        """
    )
    assert lines == {rank: [f"{rank} 1 2 2", "True"] for rank in range(3)}


def test_a_function_named_as_its_module_in_a_package_that_becomes_private(lines_of: Lines, installed: Write) -> None:
    """The package has replaced the module by the function before a later import depends on the rank."""
    installed("parts/__init__.py", "from .spread import spread\nfrom .sphere import other\n")
    installed("parts/spread.py", "from . import home\ndef spread():\n    return home.NAME\n")
    installed("parts/home.py", "import parts\nNAME = 'home'\n")
    installed("parts/sphere.py", "from mpi4py import MPI\nother = MPI.COMM_WORLD.Dup()\n")
    lines = lines_of("import parts\nfrom parts import spread\nprint(spread(), parts.spread(), parts.other.rank)")
    assert lines == {rank: [f"home home {rank}"] for rank in range(3)}


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("import itertools\nnumbers = itertools.count()", "numbers, of the type itertools.count"),
        ("class Config:\n    pass\nconfig = Config()", "config, of the type uses.Config"),
        ("class Proxy:\n    __module__ = property(id)\nproxy = Proxy()", "proxy, of the type .Proxy"),
        ("import functools\n@functools.cache\ndef number():\n    return world.rank", "number, of the type functools."),
    ],
)
def test_a_module_with_hidden_state_that_uses_mpi(pysmpirun, installed: Write, state: str, reason: str) -> None:
    installed("uses.py", f"from mpi4py.MPI import COMM_WORLD as world\n{state}\n")
    run = pysmpirun("-np", "3", "-v", "--quiet", "program.py", source="import uses\n")
    assert run.stderr.startswith(f"pysmpirun: module uses: private to each rank (uses MPI and holds {reason}")


@pytest.mark.parametrize(
    "stateless",
    [
        "import pysmpi\n@pysmpi.shared_cache\ndef table():\n    return 1",
        "from collections.abc import Callable\nRun = Callable[..., None]\nPairs = list[tuple[int, Run]]",
    ],
)
def test_a_shared_cache_and_names_of_types_are_no_hidden_state(pysmpirun, installed: Write, stateless: str) -> None:
    installed("uses.py", f"from mpi4py.MPI import COMM_WORLD as world\n{stateless}\n")
    run = pysmpirun("-np", "3", "-v", "--quiet", "program.py", source="import uses\n")
    assert run.stderr.startswith("pysmpirun: module uses: shared by all ranks"), run.stderr


def test_containers_of_a_shared_module_that_uses_mpi(lines_of: Lines, installed: Write) -> None:
    """The module runs once, but each rank sees only its own changes, in the order in which it has made them."""
    installed(
        "kept.py",
        """
        from mpi4py import MPI
        by_name, order, seen, nested = {"all": 1}, [0], set(), {"inner": []}
        class Pool:
            members = []
        """,
    )
    lines = lines_of(
        """
        import kept
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        same = len(set(world.allgather(id(kept)))) == 1
        for name in ("a", "b")[:: 1 if world.rank else -1]:
            kept.by_name[name] = world.rank
            world.Barrier()
        kept.order.append(world.rank)
        kept.seen.add(world.rank)
        kept.nested["inner"].append(world.rank)
        kept.Pool.members += [world.rank]
        world.Barrier()
        print(same, list(kept.by_name), kept.by_name["a"], kept.order, kept.seen, kept.nested, kept.Pool.members)
        """
    )
    names = {0: ["all", "b", "a"], 1: ["all", "a", "b"], 2: ["all", "a", "b"]}
    assert lines == {
        rank: [f"True {names[rank]} {rank} {[0, rank]} { ({rank}) } {{'inner': [{rank}]}} [{rank}]"]
        for rank in range(3)
    }


def test_the_users_choice(pysmpirun, installed: Write) -> None:
    """--private and --share precede all reasons; a package that is not imported is reported."""
    installed("plain.py", "values = []\n")
    installed("counting.py", "from mpi4py import MPI\nimport itertools\nnumbers = itertools.count()\n")
    run = functools.partial(pysmpirun, "-np", "2", "-v", "--quiet")
    options = ("--private", "plain", "--share", "counting", "--share", "plane")
    result = run(*options, "program.py", source="import plain, counting\n")
    assert result.returncode == 0
    assert result.stderr.splitlines() == [
        "pysmpirun: --share plane has no effect: no rank has imported 'plane'; did you mean 'plain'?",
        "pysmpirun: module plain: private to each rank (--private)",
        "pysmpirun: module counting: shared by all ranks (--share)",
    ]


def test_the_users_choice_in_python(platform_file: pathlib.Path, installed: Write) -> None:
    installed("plain.py", "values = []\n")
    installed("counting.py", "from mpi4py import MPI\nimport itertools\nnumbers = itertools.count()\n")

    def program() -> tuple[int, int]:
        import counting  # type: ignore[import-not-found]
        import plain  # type: ignore[import-not-found]

        plain.values.append(1)
        return len(plain.values), next(counting.numbers)

    for choice in ("plain", ["plain"]):
        result = pysmpi.simulate(program, np=2, platform=platform_file, private=choice, share=["counting"])
        assert result.values == [(1, 0), (1, 1)]
        del sys.modules["counting"]


def test_a_lazy_object_is_not_touched(lines_of: Lines, installed: Write) -> None:
    """The search for hidden state does not run code of the objects that it finds."""
    installed(
        "lazily.py",
        """
        from mpi4py import MPI
        class Later:
            @property
            def __class__(self):
                raise ImportError("optional")
            def __getattr__(self, name):
                raise ImportError("optional")
        later = Later()
        """,
    )
    assert lines_of("import lazily\nprint(type(lazily.later).__name__)") == {rank: ["Later"] for rank in range(3)}


def test_a_compiler_that_reads_the_clock(lines_of: Lines, installed: Write) -> None:
    """No other rank runs while a function is being compiled, although reading the clock takes time."""
    for package in ("jax", "jax/_src"):
        installed(f"{package}/__init__.py", "")
    installed(
        "jax/_src/dispatch.py",
        """
        import time
        compiling = []
        def compile():
            assert not compiling
            compiling.append(1)
            time.time()
            compiling.clear()
        """,
    )
    lines = lines_of(
        "from jax._src.dispatch import compile\nfor _ in range(3):\n    compile()\nprint('compiled')",
        cfg={"smpi/simulate-computation": False, "smpi/wtime": 1e-3},
    )
    assert lines == {rank: ["compiled"] for rank in range(3)}


def test_an_aliased_module(lines_of: Lines, installed: Write) -> None:
    """Entries that a shared module makes in sys.modules while it is imported hold for all ranks."""
    installed("alias.py", "import sys, types\nsys.modules['alias.moves'] = types.ModuleType('moves')\n")
    lines = lines_of(
        """
        import alias, sys
        from mpi4py import MPI
        MPI.COMM_WORLD.Barrier()
        import alias.moves
        print(sys.modules["alias.moves"].__name__)
        """
    )
    assert lines == {rank: ["moves"] for rank in range(3)}
    sys.modules.pop("alias.moves", None)


def test_a_lock_that_an_import_holds_when_it_becomes_private(lines_of: Lines, installed: Write) -> None:
    """The rank that goes on with the import releases the lock."""
    source = "import _thread\nlock = _thread.RLock()\nwith lock:\n    rank = MPI.COMM_WORLD.Get_rank()\n"
    installed("locked.py", f"from mpi4py import MPI\n{source}")
    lines = lines_of("import locked\nwith locked.lock:\n    print(locked.rank)")
    assert lines == {rank: [str(rank)] for rank in range(3)}


@pytest.mark.parametrize(
    "source",
    [
        "import importlib\nown = importlib.import_module('ranked').rank * 10\n",
        "import importlib\nown = importlib.import_module('.ranked', 'pack').rank * 10\n",
        "def find():\n    from ranked import rank\n    return rank * 10\nown = find()\n",
        "class Found:\n    from pack.ranked import rank\nown = Found.rank * 10\n",
        "def find():\n    from .ranked import rank\n    return rank * 10\nown = find()\n",
    ],
)
def test_a_private_module_that_a_function_imports(lines_of: Lines, installed: Write, source: str) -> None:
    """The rank has already imported the private module."""
    for name in ("ranked.py", "pack/ranked.py"):
        installed(name, "from mpi4py import MPI\nrank = MPI.COMM_WORLD.rank\n")
    installed("pack/__init__.py", "")
    installed("pack/holder.py", source)
    lines = lines_of(
        """
        import ranked, pack.ranked
        from mpi4py import MPI
        MPI.COMM_WORLD.Barrier()
        import pack.holder
        print(pack.holder.own)
        """
    )
    assert lines == {rank: [str(10 * rank)] for rank in range(3)}


def test_the_import_statement_is_as_before_after_an_import(lines_of: Lines, installed: Write) -> None:
    installed("failing.py", "def check():\n    import json\ncheck()\nraise ValueError\n")
    before = builtins.__import__
    lines = lines_of(
        """
        import builtins, contextlib
        with contextlib.suppress(ValueError):
            import failing
        print(builtins.__import__)
        """
    )
    assert lines == {rank: [str(before)] for rank in range(3)}
    assert builtins.__import__ is before


def test_a_module_that_uses_mpi_through_another_one_seeds_in_each_rank(lines_of: Lines, installed: Write) -> None:
    installed("mpi_helper.py", "import mpi4py.MPI\n")
    installed("seeder.py", "import random\nimport mpi_helper\nrandom.seed(42)\n")
    lines = lines_of("import random\nimport seeder\nprint(random.random())\n")
    assert lines == {rank: [str(random.Random(42).random())] for rank in range(3)}


def test_a_shared_module_that_changes_the_search_lists(lines_of: Lines, installed: Write) -> None:
    """The change holds in ranks that have imported before, and in those that import later, also after the run."""
    before = list(sys.meta_path), list(sys.path)
    installed(
        "finders.py",
        """
        import sys
        class Finder:
            def find_spec(name, path=None, target=None):
                return None
        sys.meta_path.insert(2, Finder)
        sys.meta_path.append("last")
        sys.path.append("/added")
        sys.meta_path.remove("last")
        """,
    )
    installed("outer.py", "import sys, finders\nsys.path_hooks.append(len)\nsys.path_hooks.remove(len)\n")
    lines = lines_of(
        """
        import json, sys
        from mpi4py import MPI
        names = len(sys.meta_path), len(sys.path)
        MPI.COMM_WORLD.Barrier()
        if MPI.COMM_WORLD.rank == 1:
            import outer
        MPI.COMM_WORLD.Barrier()
        print(len(sys.meta_path) - names[0], len(sys.path) - names[1], sys.meta_path[2].__name__, sys.path[-1])
        """
    )
    after = list(sys.meta_path), list(sys.path)
    sys.meta_path[:], sys.path[:] = before
    assert lines == {rank: ["1 1 Finder /added"] for rank in range(3)}
    assert (len(after[0]), after[1]) == (len(before[0]) + 1, [*before[1], "/added"])
