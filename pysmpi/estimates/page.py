"""HTML page of a saved estimate: a single file that needs no other file and no network."""

import base64
import html
from pathlib import Path
from typing import Any

from pysmpi.estimates.cut_figures import BYTES_PER_WORD
from pysmpi.estimates.errors import EstimateError
from pysmpi.util.content_policy import content_policy
from pysmpi.util.documents import parse_json
from pysmpi.util.own_files import names_of, read_own
from pysmpi.util.quantities import counted

__all__ = ["is_estimate", "page_of_estimate"]

_FILE = "estimate.json"
_PICTURES = ("efficiency", "bytes_per_flop", "matrix", "cut", "statements")
_STYLE = (
    "body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse}td,th{padding:.2em .7em;text-align:right;border-bottom:1px solid #ccc}"
    "img{max-width:100%;margin:1em 0}"
)
_HEAD = ("nodes", "size", "bytes a step", "least", "usual", "cut", "messages", "neighbours", "simulated", "formula")


def is_estimate(folder: Path) -> bool:
    """Return whether a directory has been written by `pysmpi estimate -o`."""
    return (folder / _FILE).is_file()


def page_of_estimate(folder: Path) -> str:
    """Return the text of an HTML page that shows the estimate which `pysmpi estimate -o` has written to a directory.

    Raises:
        EstimateError: a file in the directory cannot be read, or its contents are not those of an estimate.
    """
    try:
        return _page(parse_json(read_own(folder, _FILE), folder / _FILE, EstimateError), folder)
    except OSError as error:
        raise EstimateError(f"{error.filename}: cannot read the estimate: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise EstimateError(f"{folder / _FILE}: damaged, or written by another version of pysmpi: {error!r}") from None


def _page(saved: dict[str, Any], folder: Path) -> str:
    title = html.escape(f"Estimate for {saved['program']}")
    statements = [[each["place"], each["what"], f"{BYTES_PER_WORD * each['words']:,}"] for each in saved["statements"]]
    parts = [
        f"<h1>{title}</h1>",
        *(f"<p>{html.escape(_sentence(stop))}</p>" for stop in saved["stops"]),
        _table(_HEAD, [_cells(row) for row in saved["rows"]]),
        *(f"<p>Note: {html.escape(text)}</p>" for text in saved["warnings"]),
        "<h2>Statements that send most</h2>",
        _table(("statement", "what", "bytes"), statements),
    ]
    for name in _PICTURES:
        if f"{name}.svg" in names_of(folder):
            data = base64.b64encode(read_own(folder, f"{name}.svg")).decode()
            parts.append(f'<img alt="{name}" src="data:image/svg+xml;base64,{data}">')
    body = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{content_policy()}">'
        f"<title>{title}</title><style>{_STYLE}</style>"
        f"</head><body>\n{body}\n</body></html>\n"
    )


def _sentence(stop: dict[str, Any]) -> str:
    percent = f"{100 * stop['efficiency']:.0f} % efficiency"
    if stop["why"] is None:
        return f"{percent}: up to {counted(stop['nodes'], 'node')}" if stop["nodes"] else f"{percent}: not estimated"
    at = f" at {stop['place']}" if stop["place"] else ""
    return f"{percent}: up to {counted(stop['nodes'] or 1, 'node')}; {stop['why']} stops more{at}"


def _cells(row: dict[str, Any]) -> list[str]:
    best = row["best"]
    words = [row[name]["words"] for name in ("best", "least", "usual")]
    sent = [f"{BYTES_PER_WORD * (each['run'] if each['step'] is None else each['step']):,}" for each in words]
    simulated, formula = best["efficiency"]["simulated"], best["efficiency"]["formula"]
    return [
        f"{row['nodes']:,}",
        ", ".join(f"{name} = {value:,}" for name, value in row["size"].items()) or "-",
        *sent,
        best["by"],
        f"{best['messages']:,}",
        f"{best['neighbours']:,}",
        "-" if simulated is None else f"{simulated[0]:.4g} to {simulated[1]:.4g}",
        "-" if formula is None else f"{formula:.4g}",
    ]


def _table(head: tuple[str, ...], rows: list[list[str]]) -> str:
    lines = [f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows]
    return f"<table><tr>{''.join(f'<th>{name}</th>' for name in head)}</tr>\n{chr(10).join(lines)}</table>"
