"""Paths to the two networks, and the engine's default settings."""

import pathlib
import sys
from collections.abc import Iterator

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from native_network import reset_settings


@pytest.fixture(autouse=True)
def default_settings() -> Iterator[None]:
    reset_settings()
    yield
    reset_settings()
