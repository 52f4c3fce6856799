"""apps/hpl is a program, not a package: its modules that do without MPI are imported from its folder."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "apps" / "hpl"))
