"""Platforms written in the tests themselves."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pysmpi.platform import Platform, read

HEADER = '<?xml version="1.0"?>\n<platform version="4.1">\n'


@pytest.fixture
def describe(tmp_path: Path) -> Callable[[str], Platform]:
    """Return a function that reads given zones, which begin in line 3 of a file named machine.xml."""

    def make(zones: str) -> Platform:
        file = tmp_path / "machine.xml"
        file.write_text(f"{HEADER}{zones}\n</platform>\n")
        return read(file)

    return make
