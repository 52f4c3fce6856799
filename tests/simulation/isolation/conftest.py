"""Modules that the programs of these tests import."""

import pathlib
import sys
import textwrap
from collections.abc import Callable, Iterator

import pytest


@pytest.fixture
def installed(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str, str], None]]:
    """Write modules to a directory on the search path that is not the program's; forget them after the test.

    Modules of the same name that other tests have imported are out of the way during the test.
    """
    before = set(sys.modules)
    directory = tmp_path_factory.mktemp("installed") / "site-packages"
    directory.mkdir()
    monkeypatch.syspath_prepend(str(directory))

    def write(name: str, source: str) -> None:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source))
        top = pathlib.PurePath(name).parts[0].removesuffix(".py")
        for loaded in before & set(sys.modules):
            if loaded.split(".")[0] == top:
                monkeypatch.delitem(sys.modules, loaded)

    yield write
    for name in list(sys.modules):
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(directory)):
            del sys.modules[name]


@pytest.fixture
def own(tmp_path: pathlib.Path) -> Callable[[str, str], None]:
    """Write modules beside the program."""

    def write(name: str, source: str) -> None:
        (tmp_path / name).write_text(textwrap.dedent(source))

    return write
