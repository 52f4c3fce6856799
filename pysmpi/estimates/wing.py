"""Registration of estimates as a wing (an optional part of pysmpi), with its command and its HTML page.

The command is ``pysmpi estimate``; the page shows a saved estimate.
"""

from pathlib import Path

from pysmpi.util.wings import Wing

__all__ = ["WING"]


def _page_of(folder: Path) -> str | None:
    from pysmpi.estimates.page import is_estimate, page_of_estimate

    return page_of_estimate(folder) if is_estimate(folder) else None


WING = Wing(
    commands={"estimate": "estimate what a sequential NumPy program would send on many nodes"}, page_of=_page_of
)
