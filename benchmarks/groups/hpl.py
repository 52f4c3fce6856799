"""Linpack's published model (apps/hpl/hpl.py --published-model), with the platforms and settings of the publication."""

import importlib.util
import pathlib
import sys
import tempfile
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from rows import Context, Row
from sides import HERE, Outcome, timed

__all__ = ["rows"]

# The row of tools/hpl_published.py (table, name, N), the budget in seconds and in MB, and what SMPI took.
SHORT = (
    ("validation", "N=20000", 20_000, 1.5, 150, "SMPI 9.3 s"),
    ("SMPI 3.32", "10 Gbps", 50_000, 12, None, "SMPI 300 s, published 120 s"),
    ("SMPI 3.32", "10 Mbps, 1 root", 50_000, 60, None, "SMPI 756 s, published 660 s"),
)
LONG = (("scalability", "8x64", 500_000, 60, 300, "published 1,192 s"),)
LARGEST, GRID = 4_000_000, (8, 512)


def rows(context: Context) -> Iterator[Row]:
    """Runs that take up to minutes, and with `long` those that take longer, and what the largest would take."""
    published = _tool()
    for table, name, n, seconds, megabytes, note in SHORT + (LONG if context.long else ()):
        found = next(row for row in published.all_rows() if (row.table, row.name, row.n) == (table, name, n))
        outcome = run(published, found)
        what = f"N={n:,}, {found.p}x{found.q}, {found.bandwidth}, {found.roots} roots"
        yield Row(what, outcome.seconds, "s", most=seconds, note=note)
        yield Row(f"{what}, memory", outcome.peak / 1e6, "MB", "memory", most=megabytes)
    if context.long:
        yield from largest(published)


def largest(published: ModuleType) -> Iterator[Row]:
    """N=4,000,000 by two smaller ones on the same grid: the cost of a panel goes on as it has grown between them."""
    base = next(row for row in published.scalability() if row.q == GRID[1])
    sizes = (60_000, 120_000)
    few, many = (run(published, base._replace(n=n)) for n in sizes)
    panel = (many.seconds - few.seconds) / ((sizes[1] - sizes[0]) / 120)
    hours = (many.seconds + panel * (LARGEST - sizes[1]) / 120) / 3600
    note = f"extrapolated from N={sizes[0]:,} and {sizes[1]:,}: {panel * 1e3:.0f} ms a panel; published 47.1 h, 15.8 GB"
    yield Row(f"N={LARGEST:,}, {GRID[0]}x{GRID[1]}", hours, "h", kind=None, most=1, note=note)
    yield Row(f"N={sizes[1]:,}, {GRID[0]}x{GRID[1]}, memory", many.peak / 1e6, "MB", "memory", most=1000)


def run(published: ModuleType, row: Any) -> Outcome:
    """One row of the published tables."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "platform.xml").write_text(published.platform(row))
        (place / "HPL.dat").write_text(published.hpl_dat(row))
        ranks = row.p * row.q
        hosts = (f"host-{rank // row.ranks_a_host}.hawaii.edu\n" for rank in range(ranks))
        (place / "hosts").write_text("".join(hosts))
        command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "-np", str(ranks), "--quiet"]
        command += ["--platform", str(place / "platform.xml"), "--hostfile", str(place / "hosts")]
        command += ["--cfg=smpi/simulate-computation:no", str(HERE.parent / "apps" / "hpl" / "hpl.py")]
        return timed([*command, "--published-model", published.MODEL, str(place / "HPL.dat")])


def _tool() -> ModuleType:
    """tools/hpl_published.py, where the published tables are."""
    spec = importlib.util.spec_from_file_location("hpl_published", HERE.parent / "tools" / "hpl_published.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
