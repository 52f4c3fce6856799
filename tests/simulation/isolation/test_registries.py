"""Settings that a program makes once in a process."""

import copyreg
import csv
import multiprocessing
import pathlib
import sqlite3
import urllib.request
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

Lines = Callable[..., dict[int, list[str]]]


def test_the_start_method_is_the_ranks_own(lines_of: Lines) -> None:
    before = multiprocessing.get_start_method(allow_none=True)
    lines = lines_of(
        """
        import multiprocessing
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        if world.rank:
            multiprocessing.set_start_method(("spawn", "forkserver")[world.rank - 1])
        world.Barrier()
        try:
            multiprocessing.set_start_method("fork")
        except RuntimeError:
            print("set before")
        print(multiprocessing.get_start_method())
        """
    )
    assert lines == {0: ["fork"], 1: ["set before", "spawn"], 2: ["set before", "forkserver"]}
    assert multiprocessing.get_start_method(allow_none=True) == before


def test_dialects_are_the_ranks_own(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import csv
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        csv.register_dialect("own", delimiter=";:,"[world.rank])
        world.Barrier()
        print(*csv.reader(["1;2:3,4"], "own"))
        csv.unregister_dialect("own")
        world.Barrier()
        print(*csv.list_dialects())
        """
    )
    rows = [["1", "2:3,4"], ["1;2", "3,4"], ["1;2:3", "4"]]
    assert lines == {rank: [str(rows[rank]), "excel excel-tab unix"] for rank in range(3)}
    assert csv.list_dialects() == ["excel", "excel-tab", "unix"]


def test_adapters_and_converters_of_sqlite_are_the_ranks_own(lines_of: Lines) -> None:
    before = dict(sqlite3.adapters), dict(sqlite3.converters)
    lines = lines_of(
        """
        import sqlite3
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        sqlite3.register_adapter(complex, lambda value: f"{value.real:g} in {world.rank}")
        sqlite3.register_converter("own", lambda text: (world.rank, text))
        world.Barrier()
        database = sqlite3.connect(":memory:", detect_types=sqlite3.PARSE_DECLTYPES)
        database.execute("create table numbers (number own)")
        database.execute("insert into numbers values (?)", (1j + 2,))
        print(*database.execute("select number from numbers").fetchone())
        database.close()
        """
    )
    assert lines == {rank: [f"({rank}, b'2 in {rank}')"] for rank in range(3)}
    assert (dict(sqlite3.adapters), dict(sqlite3.converters)) == before


def test_reducers_namespaces_and_openers_are_the_ranks_own(lines_of: Lines) -> None:
    tree: Any = ElementTree
    request: Any = urllib.request
    before = dict(copyreg.dispatch_table), dict(tree._namespace_map), request._opener
    lines = lines_of(
        """
        import copyreg, pickle, types, urllib.request
        from xml.etree import ElementTree
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        copyreg.pickle(types.SimpleNamespace, lambda _: (int, (world.rank,)))
        ElementTree.register_namespace("own", f"urn:{world.rank}")
        urllib.request.install_opener(world.rank)
        world.Barrier()
        print(pickle.loads(pickle.dumps(types.SimpleNamespace())), urllib.request._opener)
        print(ElementTree.tostring(ElementTree.Element("{urn:%d}a" % world.rank)).decode())
        """
    )
    assert lines == {rank: [f"{rank} {rank}", f'<own:a xmlns:own="urn:{rank}" />'] for rank in range(3)}
    assert (dict(copyreg.dispatch_table), dict(tree._namespace_map), request._opener) == before


MATPLOTLIB = """
class RcParams(dict):
    def __setitem__(self, name, value):
        dict.__setitem__(self, name, float(value))
    def __iter__(self):
        raise AssertionError("read by a method of this class")
    keys = __getitem__ = __iter__
class ColormapRegistry:
    def __init__(self):
        self._cmaps = {"viridis": 0}
    def register(self, colours, name):
        if name in self._cmaps:
            raise ValueError("registered before")
        self._cmaps[name] = colours
rcParams = RcParams()
dict.__setitem__(rcParams, "lines.width", 1.0)
colormaps = ColormapRegistry()
"""


def test_parameters_and_colour_maps_of_matplotlib_are_the_ranks_own(
    lines_of: Lines, installed: Callable[[str, str], None]
) -> None:
    installed("matplotlib.py", MATPLOTLIB)
    lines = lines_of(
        """
        import matplotlib
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        if world.rank:
            matplotlib.rcParams["lines.width"] = world.rank + 1
        matplotlib.colormaps.register(world.rank, name="own")
        world.Barrier()
        print(dict.__getitem__(matplotlib.rcParams, "lines.width"), matplotlib.colormaps._cmaps)
        """
    )
    assert lines == {rank: [f"{rank + 1.0} {{'viridis': 0, 'own': {rank}}}"] for rank in range(3)}


def test_markers_of_pytest_are_those_of_the_ranks_session(
    lines_of: Lines, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test_nothing.py").write_text("def test_nothing(): ...\n")
    before = dict(vars(pytest.mark))
    lines = lines_of(
        """
        import warnings
        import pytest
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        class Plugin:
            def pytest_configure(self, config):
                if world.rank:
                    config.addinivalue_line("markers", "known: of these ranks")
            def pytest_collection_finish(self, session):
                world.Barrier()
                with warnings.catch_warnings(record=True) as found:
                    warnings.simplefilter("always")
                    pytest.mark.known
                print(len(found), "warnings")
        pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "test_nothing.py"], plugins=[Plugin()])
        """
    )
    warnings = {rank: [line for line in lines[rank] if line.endswith(" warnings")] for rank in lines}
    assert warnings == {0: ["1 warnings"], 1: ["0 warnings"], 2: ["0 warnings"]}
    assert vars(pytest.mark) == before
