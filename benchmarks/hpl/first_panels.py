"""Run only the first panels of Linpack: first_panels.py COUNT WORDS…, with the words of apps/hpl/hpl.py.

The cost of a panel hardly depends on the remaining matrix, so a few panels show the cost of all.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps" / "hpl"))

import model_panel
from hpl import main

count = int(sys.argv.pop(1))

model_panel.Panels.__len__ = lambda self: min(count, self.count)  # type: ignore[method-assign]
sys.exit(main())
