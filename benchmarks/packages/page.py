"""The table of results in docs/packages.md."""

import collections
import pathlib
import re
from typing import Any

from corpus import Corpus

__all__ = ["summary", "write"]

BEGIN, END = "<!-- table: make packages -->", "<!-- end of table -->"
MEBI = 1 << 20


def summary(result: dict[str, Any]) -> str:
    """Return the verdict on a program with seconds and memory in one line."""
    text = str(result["verdict"])
    if "pysmpi" in result:
        here, there = result["pysmpi"], result["mpich"]
        text += f" ({here['seconds']:.1f} s, MPICH {there['seconds']:.1f} s, {here['memory'] / MEBI:.0f} MiB)"
    return f"{text}: {result['cause']}" if result["cause"] else text


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ")


def table(corpus: Corpus, results: dict[str, dict[str, Any]], page: str = "") -> str:
    """Return the table of all programs, the counts of verdicts, and the packages that cannot run here.

    Programs without a result keep their rows in `page`, the text of the page that held the table before.
    """
    before = {line.split(" | ", 1)[0].removeprefix("| "): line for line in page.splitlines() if line.startswith("| ")}
    rows = [
        "| program | package | exercises | verdict | seconds | under MPICH | MiB |",
        "|---|---|---|---|---|---|---|",
    ]
    counts: collections.Counter[str] = collections.Counter()
    for program in corpus.programs.values():
        package = f"{program.package} {corpus.version(program)}".strip()
        beginning = "| " + " | ".join(map(_cell, (program.name, package, program.exercises)))
        row = before.get(program.name, "")
        if program.name not in results and row.startswith(f"{beginning} | "):
            counts[row[len(beginning) + 3 :].split(" | ", 1)[0].split(":", 1)[0]] += 1
            rows.append(row)
            continue
        result = results.get(program.name, {"verdict": "not run"})
        counts[result["verdict"]] += 1
        here, there = result.get("pysmpi"), result.get("mpich")
        numbers = ["", "", ""]
        if here and there:
            beside = f"{there['seconds']:.1f}" if there["status"] == 0 else "fails"
            numbers = [f"{here['seconds']:.1f}", beside, f"{here['memory'] / MEBI:.0f}"]
        verdict = f"{result['verdict']}: {program.reason}" if program.reason else result["verdict"]
        rows.append(" | ".join((beginning, *map(_cell, (verdict, *numbers)))) + " |")
    text = "\n".join(rows)
    counted = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    text += f"\n\n{sum(counts.values())} programs: {counted}.\n"
    if corpus.unavailable:
        text += "\n| not in the table | reason |\n|---|---|\n"
        text += "".join(f"| {_cell(name)} | {_cell(reason)} |\n" for name, reason in corpus.unavailable.items())
    return text


def write(path: pathlib.Path, corpus: Corpus, results: dict[str, dict[str, Any]]) -> None:
    """Replace the table in a page, between its two marks."""
    page = path.read_text(encoding="utf-8")
    fresh = f"{BEGIN}\n\n{table(corpus, results, page)}\n{END}"
    path.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: fresh, page, flags=re.DOTALL), encoding="utf-8")
