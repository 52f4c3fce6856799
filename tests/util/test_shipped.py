"""Folders that come with pysmpi beside its code."""

import pytest

from pysmpi.util.shipped import SHIPPED, shipped


@pytest.mark.parametrize("name", SHIPPED)
def test_each_folder_has_files(name: str) -> None:
    assert any(file.is_file() for file in shipped(name).rglob("*"))
