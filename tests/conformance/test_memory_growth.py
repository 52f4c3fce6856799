"""Memory in use stays the same over calls of each kind; `make memory-growth` makes 10^6 rounds."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).parent / "memory_growth" / "memory_growth.py"


def _growth(rounds: int, kinds: str) -> dict[str, float]:
    command = [sys.executable, str(TOOL), "--rounds", str(rounds), "--json", "--kinds", kinds]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONMALLOC": "malloc"}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.stdout, ended.stderr
    found: dict[str, float] = json.loads(ended.stdout.splitlines()[-1])
    return found


@pytest.mark.timeout(600)  # of a loaded machine
def test_memory_stays_flat() -> None:
    # A leak is at least a block of malloc in each round. A single block of a notice counts less in more rounds.
    suspects = [name for name, each in _growth(400, "^(?!spawn)").items() if each > 16]
    if suspects:
        found = _growth(4_000, f"^({'|'.join(map(re.escape, suspects))})$")
        assert not {name: each for name, each in found.items() if each > 16}


def test_a_spawned_rank_leaves_only_its_record() -> None:
    """Not its program, world or communicators; each of two ranks counts half of it.

    The record has the times of a rank's last polls and its C++ exceptions, 32 bytes, since November 2026.
    """
    assert _growth(20_000, "^spawn")["spawn"] < 720
