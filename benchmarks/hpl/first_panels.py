"""Linpack's first panels, and no more: first_panels.py COUNT WORDS…, where the words are those of apps/hpl/hpl.py.

What a panel costs here hardly depends on how much of the matrix is left: it is known from a few of them what all take.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps" / "hpl"))

import model_panel
from hpl import main

count = int(sys.argv.pop(1))

model_panel.Panels.__len__ = lambda self: min(count, self.count)  # type: ignore[method-assign]
sys.exit(main())
