"""Quantities as text."""

import pytest

from pysmpi.util.quantities import counted


@pytest.mark.parametrize(
    ("count", "what", "text"),
    [(1, "rank", "1 rank"), (0, "rank", "0 ranks"), (4096, "host", "4,096 hosts"), (2, "entry", "2 entries")],
)
def test_counts(count: int, what: str, text: str) -> None:
    assert counted(count, what) == text
