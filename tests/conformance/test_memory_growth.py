"""Memory in use stays the same over calls of each kind; `make memory-growth` makes 10^6 rounds."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).parent / "memory_growth" / "memory_growth.py"


@pytest.mark.timeout(600)  # of a loaded machine
def test_memory_stays_flat() -> None:
    command = [sys.executable, str(TOOL), "--rounds", "400", "--json", "--kinds", "^(?!spawn)"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONMALLOC": "malloc"}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ended.stdout, ended.stderr
    growing = {
        name: each for name, each in json.loads(ended.stdout.splitlines()[-1]).items() if each > 16
    }  # a leak is at least a block of malloc
    assert not growing
