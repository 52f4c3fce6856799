"""The decision tables of MPI libraries (native/collectives/selectors/tables)."""

import json
import pathlib
import re
from collections.abc import Iterator

import pytest

TABLES = pathlib.Path(__file__).parents[2] / "pysmpi" / "native" / "collectives" / "selectors" / "tables"


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def _lists(table: object) -> Iterator[dict[str, object]]:
    if isinstance(table, dict):
        yield table
        for value in table.values():
            yield from _lists(value)


@pytest.mark.parametrize("file", sorted(TABLES.glob("*.json")), ids=lambda file: file.stem)
def test_conditions_ascend_and_the_source_is_stated(file):
    """No condition hides a later one."""
    content = json.loads(file.read_text(), object_pairs_hook=_unique)
    assert content["library"] and content["source"] and content["algorithms"]
    for table in content["tables"].values():
        for conditions in _lists(table):
            limits = [re.search(r"(<=?|=)(\d+)$", condition) for condition in list(conditions)[:-1]]
            values = [int(limit[2]) for limit in limits]
            assert values == sorted(set(values))
            assert values and values[0] > 0 and list(conditions)[-1] == "any"
