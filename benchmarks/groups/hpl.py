"""Linpack's published model (apps/hpl/hpl.py --published-model), with the publication's platforms and settings."""

import importlib.util
import pathlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from rows import BUDGETS, Context, Row
from sides import EXACT, FAT_TREE, HERE, Outcome, ours, timed

__all__ = ["rows"]

PANEL = 120  # columns


class Case(NamedTuple):
    """Row of tools/hpl_published.py (table, name, N), with its budgets.

    Attributes:
        seconds: budget of time.
        budget: budget of the project that the row belongs to.
        note: times of others.
        megabytes: budget of memory.
        panels: two numbers of panels from which the whole time is extrapolated if the run is too long.
        alone: whether the row is extrapolated in long runs, too.
    """

    table: str
    name: str
    n: int
    seconds: float
    budget: str
    note: str
    megabytes: float | None = None
    panels: tuple[int, int] | None = None
    alone: bool = False


CASES = (
    Case("validation", "N=20000", 20_000, 0.6, BUDGETS[4], "SMPI 9.3 s", megabytes=150),
    Case("scalability", "8x64", 500_000, 30, BUDGETS[5], "published 1,192 s", megabytes=300, panels=(50, 150)),
    Case("SMPI 3.32", "10 Gbps", 50_000, 6, BUDGETS[6], "SMPI 300 s, published 120 s"),
    Case("SMPI 3.32", "10 Mbps, 1 root", 50_000, 20, BUDGETS[6], "SMPI 756 s, published 660 s", panels=(30, 90)),
    Case(
        "scalability",
        "8x512",
        4_000_000,
        2700,
        BUDGETS[7],
        "published 47.1 h, 15.8 GB",
        megabytes=1000,
        panels=(16, 48),
        alone=True,
    ),
)


def rows(context: Context) -> Iterator[Row]:
    """Yield each case, whole or extrapolated from its first panels; with `long`, only the largest is extrapolated."""
    published = _tool()
    for case in CASES:
        found = next(row for row in published.all_rows() if (row.table, row.name) == (case.table, case.name))
        found = found._replace(n=case.n)
        what = f"N={case.n:,}, {found.p}x{found.q}, {found.bandwidth}, {found.roots} roots"
        if case.panels is None or (context.long and not case.alone):
            outcome = run(published, found)
            seconds, peak, note = outcome.seconds, outcome.peak, case.note
            exact = run(published, found, options=EXACT).seconds
        else:
            seconds, peak, note = by_panels(published, found, case.panels)
            exact, _, exact_note = by_panels(published, found, case.panels, EXACT)
            what += ", extrapolated"
            note += f"; exact {exact_note}; {case.note}"
        yield Row(what, seconds, "s", exact=exact, most=case.seconds, table=case.budget, note=note)
        most = case.megabytes
        yield Row(f"{what}, memory", peak / 1e6, "MB", "memory", most=most, table=case.budget if most else "")
    ranks = context.ranks(4096)
    words = ("../apps/hpl/hpl.py", "--n", 20_000, "--p", 16, "--q", ranks // 16)
    as_smpi, in_full = (ours(FAT_TREE, ranks, *words, options=options) for options in ((), EXACT))
    what = f"main job: N=20,000, 16x{ranks // 16}"
    yield Row(what, as_smpi.seconds, "s", exact=in_full.seconds, most=12, table=BUDGETS[11], note="make demo")
    yield Row(f"{what}, memory", as_smpi.peak / 1e6, "MB", "memory", most=215, table=BUDGETS[11])


def by_panels(
    published: ModuleType, row: Any, panels: tuple[int, int], options: Sequence[str] = ()
) -> tuple[float, int, str]:
    """Return the extrapolated time of the whole run, as if every panel cost as much as the panels between the two
    counts."""
    few, many = (run(published, row, count, options) for count in panels)
    each = (many.seconds - few.seconds) / (panels[1] - panels[0])
    seconds = many.seconds + each * (row.n / PANEL - panels[1])
    return seconds, many.peak, f"{each * 1e3:.0f} ms a panel, of the first {panels[1]}"


def run(published: ModuleType, row: Any, panels: int | None = None, options: Sequence[str] = ()) -> Outcome:
    """Run one row of the published tables, or its first panels."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "platform.xml").write_text(published.platform(row))
        (place / "HPL.dat").write_text(published.hpl_dat(row))
        ranks = row.p * row.q
        hosts = (f"host-{rank // row.ranks_a_host}.hawaii.edu\n" for rank in range(ranks))
        (place / "hosts").write_text("".join(hosts))
        command = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--smpi", "-np", str(ranks), "--quiet"]
        command += ["--platform", str(place / "platform.xml"), "--hostfile", str(place / "hosts")]
        command += ["--cfg=smpi/simulate-computation:no", *options]
        if panels is None:
            command += [str(HERE.parent / "apps" / "hpl" / "hpl.py")]
        else:
            command += [str(HERE / "hpl" / "first_panels.py"), str(panels)]
        return timed([*command, "--published-model", published.MODEL, str(place / "HPL.dat")])


def _tool() -> ModuleType:
    """Return the module tools/hpl_published.py, which contains the published tables."""
    spec = importlib.util.spec_from_file_location("hpl_published", HERE.parent / "tools" / "hpl_published.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
