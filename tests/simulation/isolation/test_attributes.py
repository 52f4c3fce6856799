"""Attributes that a rank sets on modules and classes which all ranks share."""

import builtins
import importlib.util
import json
import string
import sys
import tempfile
from collections.abc import Callable

import pytest

Lines = Callable[..., dict[int, list[str]]]


@pytest.mark.parametrize(
    ("put", "get", "imports"),
    [
        ("tempfile.tempdir = f'/{rank}'", "int(tempfile.tempdir[1:])", "tempfile"),
        ("setattr(builtins, '_ours', rank)", "_ours", "builtins"),
        ("string.ours = rank", "string.ours", "string"),
        ("json.JSONEncoder.ours = rank", "json.JSONEncoder().ours", "json"),
        ("http.HTTPStatus.ours = rank", "http.HTTPStatus.OK.ours", "http"),
        ("numbers.Number.ours = rank", "(1).__class__ and numbers.Number.ours", "numbers"),
        ("string.Formatter.__len__ = lambda self, rank=rank: rank", "len(string.Formatter())", "string"),
        ("sys.modules['made_here'] = rank", "sys.modules['made_here']", "sys"),
        ("sys.meta_path.append(rank)", "sys.meta_path[-1]", "sys"),
        ("sys.path_hooks.append(rank)", "sys.path_hooks[-1]", "sys"),
        ("mock.patch('string.digits', rank).start()", "string.digits", "string\nfrom unittest import mock"),
    ],
)
def test_an_attribute_is_the_ranks_own(lines_of: Lines, put: str, get: str, imports: str) -> None:
    before = dict(vars(string)), dict(vars(string.Formatter)), list(sys.path_hooks)
    lines = lines_of(
        f"from mpi4py import MPI\nimport {imports}\nworld = MPI.COMM_WORLD\nrank = world.rank\n{put}\n"
        f"world.Barrier()\nfound = {get}\nworld.Barrier()\n"
        "getattr(__import__('sys'), 'meta_path').__delitem__(slice(-1, None) if 'meta_path.append' in "
        f"{put!r} else slice(0, 0))\nprint(found)"
    )
    assert lines == {rank: [str(rank)] for rank in range(3)}
    assert (dict(vars(string)), dict(vars(string.Formatter)), list(sys.path_hooks)) == before
    assert not hasattr(builtins, "_ours") and not hasattr(json.JSONEncoder, "ours")
    assert "made_here" not in sys.modules and tempfile.tempdir != "/2"


def test_a_deleted_attribute(lines_of: Lines) -> None:
    lines = lines_of(
        """
        import json, string
        from mpi4py import MPI
        if MPI.COMM_WORLD.rank == 1:
            del string.digits, json.JSONEncoder.item_separator
        MPI.COMM_WORLD.Barrier()
        print(hasattr(string, "digits"), hasattr(json.JSONEncoder, "item_separator"))
        """
    )
    assert lines == {0: ["True True"], 1: ["False False"], 2: ["True True"]}
    assert string.digits and json.JSONEncoder.item_separator


def test_a_package_that_sets_its_own_attributes(lines_of: Lines, installed: Callable[[str, str], None]) -> None:
    """Ranks share such attributes: the package may have initialised a library in C, which all ranks share, too."""
    installed("lazy/__init__.py", "handle = None\nclass Pool:\n    size = 0\n")
    installed(
        "lazy/start.py",
        """
        import lazy
        def start():
            if lazy.handle is None:
                lazy.handle = object()
                lazy.Pool.size += 1
            return id(lazy.handle), lazy.Pool.size
        """,
    )
    lines = lines_of(
        "import lazy.start\nfrom mpi4py import MPI\nprint(len(set(MPI.COMM_WORLD.allgather(lazy.start.start()))))"
    )
    assert lines == {rank: ["1"] for rank in range(3)}


def test_types_are_as_before_after_the_simulation(lines_of: Lines) -> None:
    """Classes of all metaclasses can be changed during a simulation and after it."""
    lines_of(
        """
        import abc, enum
        class Meta(abc.ABCMeta):
            def __setattr__(cls, name, value):
                super().__setattr__(name, value)
        class Made(metaclass=Meta):
            pass
        Made.x = 1
        class Colour(enum.Enum):
            RED = 1
        Colour.x = 1
        del Colour.x
        """
    )

    class Module(type(sys)):  # type: ignore[misc]
        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)

    module = Module("module")
    module.x = 1
    string.ours = 1  # type: ignore[attr-defined]
    del string.ours  # type: ignore[attr-defined]
    assert module.x == 1 and importlib.util.find_spec("string") is not None


def test_a_property_of_a_metaclass_is_set_only_by_the_program(
    lines_of: Lines, installed: Callable[[str, str], None]
) -> None:
    """The class's dictionary has an entry of the same name."""
    installed(
        "measured.py",
        """
        calls = []
        class Meta(type):
            @property
            def level(cls):
                return calls[-1]
            @level.setter
            def level(cls, value):
                calls.append(value)
        class Measured(metaclass=Meta):
            level = 5
        """,
    )
    lines = lines_of(
        """
        import measured
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        measured.calls.clear()
        for _ in range(3):
            world.Barrier()
        measured.Measured.level = world.rank
        for _ in range(3):
            world.Barrier()
        print(sorted(measured.calls))
        """
    )
    assert lines == {rank: ["[0, 1, 2]"] for rank in range(3)}


def test_a_method_that_sets_attributes_sets_them_for_its_caller(
    lines_of: Lines, installed: Callable[[str, str], None]
) -> None:
    """The caller decides whose attribute it is: the program's ranks, or the package that sets its own."""
    installed(
        "metas.py",
        """
        class Base(type):
            def __setattr__(cls, name, value):
                super().__setattr__(name, value)
        class Meta(Base):
            def __setattr__(cls, name, value):
                super().__setattr__(name, value)
            def __delattr__(cls, name):
                super().__delattr__(name)
        class Made(metaclass=Meta):
            own = count = -1
        def note():
            Made.count += 1
        """,
    )
    lines = lines_of(
        """
        import metas
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        metas.Made.other = world.rank
        if world.rank == 1:
            del metas.Made.own
        metas.note()
        world.Barrier()
        print(metas.Made.other, hasattr(metas.Made, "own"), metas.Made.count)
        """
    )
    assert lines == {0: ["0 True 2"], 1: ["1 False 2"], 2: ["2 True 2"]}


def test_a_module_with_its_own_way_to_set_attributes(lines_of: Lines, installed: Callable[[str, str], None]) -> None:
    """Lazy modules call object.__setattr__ or their base's; subclasses are as before after the simulation."""
    before = {kind: kind.__dict__.get("__setattr__") for kind in (type(string), type(sys))}
    installed(
        "lazy.py",
        """
        import sys, types
        class Lazy(types.ModuleType):
            def __setattr__(self, name, value):
                object.__setattr__(self, name, (value,))
            def __delattr__(self, name):
                object.__delattr__(self, name)
        class Plain(types.ModuleType):
            pass
        lazy, plain = Lazy("lazy_one"), Plain("plain_one")
        """,
    )
    lines = lines_of(
        """
        import json, types
        import lazy
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        lazy.lazy.a = 1
        lazy.plain.a = 2
        del lazy.lazy.a
        lazy.lazy.b = 3
        object.__setattr__(lazy.plain, "c", 4)
        types.ModuleType.__setattr__(json, "own", world.rank)
        world.Barrier()
        print(hasattr(lazy.lazy, "a"), lazy.lazy.b, lazy.plain.a, lazy.plain.c, json.own)
        del json.own
        try:
            setattr(json, 5, 6)
        except TypeError:
            print("no name")
        """
    )
    assert lines == {rank: [f"False (3,) 2 4 {rank}", "no name"] for rank in range(3)}
    assert {kind: kind.__dict__.get("__setattr__") for kind in before} == before
    import lazy  # type: ignore[import-not-found]

    lazy.plain.after = 1
    lazy.lazy.after = 2
    assert (lazy.plain.after, lazy.lazy.after) == (1, (2,))
