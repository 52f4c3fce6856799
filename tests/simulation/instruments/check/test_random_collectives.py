"""Random correct collective calls: --check finds nothing in them, and does not change their results."""

import pathlib
import sys

import pytest

import pysmpi

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_is_found_and_nothing_changes(seed: int) -> None:
    from random_collectives import calls

    plain, checked = (
        pysmpi.simulate(
            calls, args=(seed, 2), np=5, platform="flat:5", check=check, cfg={"smpi/simulate-computation": False}
        )
        for check in (False, True)
    )
    assert [str(finding) for finding in checked.findings] == []
    assert plain.values == checked.values
    assert all(len(received) > 200 for received in plain.values)
