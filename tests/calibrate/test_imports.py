"""Tests that simulations do not import the calibration."""

import subprocess
import sys


def test_calibration_is_imported_by_nothing_else() -> None:
    source = """
import sys, pysmpi
pysmpi.simulate(lambda: None, np=1, platform="flat:2")
assert not [name for name in sys.modules if name.startswith("pysmpi.calibrate")]
"""
    subprocess.run([sys.executable, "-c", source], check=True, capture_output=True)
    source = """
import sys, pysmpi.calibrate, pysmpi.calibrate.commands.main
assert not {"scipy", "mpi4py", "matplotlib"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", source], check=True, capture_output=True)
