"""Tests of docs/options.md and docs/commands.md, generated from the sources."""

import pathlib
import re
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from pysmpi.calibrate.commands import main as calibrate
from pysmpi.cli import arguments
from pysmpi.cli import main as pysmpi
from pysmpi.simulation.launch.instrument_kinds import run_options
from pysmpi.simulation.settings.network_models import MODELS
from pysmpi.simulation.settings.options import OPTIONS, UNLIKE_SIMGRID

ROOT = pathlib.Path(__file__).parents[2]
TOOL = ROOT / "tools" / "option_reference.py"
# Settings of SimGrid 3.32 with their defaults, as a program that is linked to it prints them for --help.
OF_SIMGRID = dict(
    line.partition(" ")[::2] for line in (pathlib.Path(__file__).parent / "simgrid.txt").read_text().splitlines()
)


@pytest.fixture(scope="module")
def tool(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    """Return the tool as a module."""
    return load_tool("option_reference")


def test_the_pages_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)


def test_every_setting_has_a_row(tool: ModuleType) -> None:
    rows = re.findall(r"^\| `(\w+/?[\w-]*)` \|", tool.settings_page().partition("## Settings of SimGrid")[0], re.M)
    assert sorted(rows) == sorted(OPTIONS)


def test_every_option_of_the_launcher_has_a_row(tool: ModuleType) -> None:
    """Help and page show every row of the table; a row's field has the name of the option."""
    page, text = tool.commands_page(), arguments.help_text()
    for row in run_options():
        assert row.field in {name.replace("-", "_") for name in row.names}
        assert f"\n  {row.spelled}" in text
        assert f"| `{row.spelled}` |" in page.replace("\\|", "|")


def test_every_command_is_told(tool: ModuleType) -> None:
    titles = re.findall(r"^## (.*)$", tool.commands_page(), re.M)
    assert titles == ["pysmpirun", *(f"pysmpi {name}" for name in pysmpi.commands()),
                      *(f"pysmpi-calibrate {name}" for name in calibrate.PARTS)]  # fmt: skip


def test_what_simgrid_has() -> None:
    """Settings are attributed to SimGrid exactly if it has them, with the same default."""
    assert UNLIKE_SIMGRID.keys() <= OPTIONS.keys()
    for name, option in OPTIONS.items():
        unlike = UNLIKE_SIMGRID.get(name)
        if name not in OF_SIMGRID:
            told = f"{name}: UNLIKE_SIMGRID is to say that SimGrid 3.32 has none, or which it has"
            assert unlike in ("none", *OF_SIMGRID) or (unlike and "model checker" in unlike), told
        elif unlike is None:
            defaults = [option.default, *(model.defaults.get(name, option.default) for model in MODELS.values())]
            assert any(_same(OF_SIMGRID[name], default) for default in defaults), name
        else:
            assert unlike in ("no default", OF_SIMGRID[name]) or unlike.startswith("no, "), name


def _same(theirs: str, ours: str) -> bool:
    if theirs == ours or {theirs, ours} == {"0:0:0:0:0", "0:0:0"}:
        return True
    try:
        return float(theirs) == pytest.approx(float({"yes": "1", "no": "0"}.get(ours, ours)), rel=1e-5)
    except ValueError:
        return False
