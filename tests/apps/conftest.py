"""Import path for apps/: modules that need no MPI are imported from the programs' folders."""

import pathlib
import sys

for _name in ("weather", "hpl"):
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "apps" / _name))
