"""Verdicts on the 17 claims of the paper: writes the tables of docs/exascale.md.

validation/weather/claims.json has for each claim the paper's statement, our verdict (confirmed, refuted or depends),
and the reason, in which numbers are quotes from stored points (quotes.py). With ``--json``, the verdicts are printed,
with the points that each number comes from, and with predictions; no page is written.
"""

import argparse
import json
import pathlib
import sys
from typing import Any

import predictions
from catalogue import FIGURES
from quotes import fill
from results import Results
from study import STORED

from pysmpi.util.whole_file import write_whole

CLAIMS = STORED.with_name("claims.json")
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "exascale.md"
MODELS_HEAD = "| 1,000 ranks, all three transpositions | packets | flows | LogGPS | floor |\n|---|---|---|---|---|\n"
HEAD = "| claim | the paper's statement | verdict | condition, and our figures |\n|---|---|---|---|\n"


def verdicts(results: Results) -> dict[str, dict[str, Any]]:
    """Return the verdict on each claim, with its figures and predictions."""
    found: dict[str, dict[str, Any]] = {}
    correlation, points = predictions.evenness(results)
    for name, claim in json.loads(CLAIMS.read_text()).items():
        text = claim["condition"].replace("{correlation}", f"{correlation:.2f} ({points} points)")
        condition, figures = fill(text, results)
        found[name] = {"verdict": claim["verdict"], "condition": condition, "figures": figures}
    found["C3"]["bruck_from"] = predictions.bruck_from(results)
    found["C8"]["correlation"] = correlation
    found["C5"]["minima"] = predictions.minima(results)
    found["C5"]["minima_simulated"] = predictions.simulated_transpositions(results)
    found["C14"]["torus_L"] = predictions.torus_halo(results)
    found["C14"]["torus_L_simulated"] = predictions.simulated(FIGURES["9b"].curves[0], results)
    found["C15"]["radices"] = predictions.radices(results)
    found["C16"]["order"], found["C16"]["order_simulated"] = predictions.order(results)
    return found


def table(found: dict[str, dict[str, Any]]) -> str:
    """Return the table of the page."""
    statements = {name: claim["statement"] for name, claim in json.loads(CLAIMS.read_text()).items()}
    rows = [f"| {name} | {statements[name]} | {row['verdict']} | {row['condition']} |\n" for name, row in found.items()]
    return HEAD + "".join(rows)


def models_table(results: Results) -> str:
    """Return the table of times under three models."""
    rows = []
    for figure in ("5a", "5b"):
        for curve in FIGURES[figure].curves:
            if figure == "5b" and curve.options["machine"] == "dragonfly-MM":
                continue  # as ring-4 in figure 5a
            where = f"{figure}|{curve.label}|1000"
            cells = [fill(f"{{{kind}{where}}}", results)[0] for kind in ("", "flows ", "loggps ", "floor ")]
            name = f"{curve.label}, dragonfly-MM" if figure == "5a" else f"ring-4, {curve.label}"
            rows.append(f"| {name} | {' | '.join(cells)} |\n")
    return MODELS_HEAD + "".join(rows)


def with_tables(page: str, found: dict[str, dict[str, Any]], results: Results) -> str:
    """Return the page with these tables in the place of the old ones."""
    for head, new in ((HEAD, table(found)), (MODELS_HEAD, models_table(results))):
        begin = page.index(head)
        end = page.index("\n\n", begin) + 1
        page = page[:begin] + new + page[end:]
    return page


def main() -> int:
    """Write the tables, or print the verdicts."""
    parser = argparse.ArgumentParser(description="Write the verdicts of the study into docs/exascale.md.")
    parser.add_argument("--json", action="store_true", help="print them with their sources and predictions instead")
    asked = parser.parse_args()
    results = Results(STORED)
    found = verdicts(results)
    if asked.json:
        print(json.dumps(found, indent=1, ensure_ascii=False))
    else:
        write_whole(PAGE, with_tables(PAGE.read_text(), found, results).encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
