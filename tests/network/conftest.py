"""The plain network beside the native one, and the settings both use."""

import pathlib
import sys
from collections.abc import Iterator

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from native_network import reset_settings


@pytest.fixture(autouse=True)
def default_settings() -> Iterator[None]:
    """Each test begins and ends with the engine's defaults: factors of 1, weight-S of SMPI, Lazy's cut-offs."""
    reset_settings()
    yield
    reset_settings()
