"""What is in apps/ are programs, not packages: modules that do without MPI are imported from their folders."""

import pathlib
import sys

for _name in ("hpl", "transposition"):
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "apps" / _name))
