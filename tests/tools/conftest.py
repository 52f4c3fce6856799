"""Loading of tools, which are not a package, as modules."""

import importlib.util
import pathlib
from collections.abc import Callable
from types import ModuleType

import pytest

TOOLS = pathlib.Path(__file__).parents[2] / "tools"


@pytest.fixture(scope="session")
def load_tool() -> Callable[[str], ModuleType]:
    """Load a tool by its name."""

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, TOOLS / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
