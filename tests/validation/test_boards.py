"""The prediction of Linpack on four boards, and the page that shows it."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_has_the_predicted_figures() -> None:
    command = [sys.executable, str(ROOT / "validation" / "boards" / "compare.py")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.findall(r"four boards: +(\S+) Gflop/s", run.stdout)
    page = (ROOT / "docs" / "calibration.md").read_text()
    shown = re.findall(r"^\| four boards, N.*?\| (?:224.6 Gflop/s)? ?\| (\S+) Gflop/s", page, re.MULTILINE)
    assert len(found) == 2 and found == shown[::-1]
