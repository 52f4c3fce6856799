"""HTML page of a run: a single file that needs no other file and no network."""

import base64
import html
import json
import os
import re
from importlib.resources import files
from typing import Any

import numpy as np

from pysmpi.simulation.instruments.profile.profile_text import short_place
from pysmpi.simulation.instruments.saved_run.saved_run import SavedRun, SavedRunError
from pysmpi.util.content_policy import content_policy

__all__ = ["page_of"]

_MOST_BARS = 512  # largest number of bars; with more ranks, several share a bar
_MOST_PLACES = 400
_MOST_ENTRIES = 1 << 18  # entries of the communication matrix: as many as a full matrix of 512 rows has


def page_of(run: SavedRun) -> str:
    """Return the HTML text of a run's page.

    Raises:
        SavedRunError: if the saved run is incomplete.
    """
    here = files("pysmpi.simulation.instruments.saved_run.page")
    text = (here / "page.html").read_text()
    script = (here / "page.js").read_text()
    try:
        data = json.dumps(_data(run), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise SavedRunError(f"{run.directory}: damaged, or written by another version of pysmpi: {error!r}") from None
    parts = {
        "policy": content_policy(f"\n{script}\n"),
        "title": html.escape(f"{os.path.basename(run.result['program'])} on {run.result['platform']}"),
        "style": (here / "page.css").read_text(),
        "script": script,
        "data": data,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda name: parts[name[1]], text)


def _data(run: SavedRun) -> dict[str, Any]:
    profile = run.profile
    return {
        "result": {key: value for key, value in run.result.items() if key != "energy"} | {"energy": _energy(run)},
        "settings": run.settings,
        "categories": profile["categories"],
        "path_kinds": profile["path_kinds"],
        "imbalance": profile["imbalance"],
        "findings": profile["findings"],
        "places": [_shown(place) for place in profile["places"][:_MOST_PLACES]],
        "critical_path": [_shown(step) for step in profile["critical_path"]],
        "peer_waits": [
            _shown(wait) | {"awaited": short_place(wait["awaited"])} for wait in profile["peer_waits"][:100]
        ],
        "link_waits": [_shown(wait) for wait in profile["link_waits"][:100]],
        "ranks": _ranks(profile["ranks"]),
        "overview": _overview(run.overview, run.result["simulated_time"]),
        "links": sorted(run.links, key=lambda link: -link["saturated"])[:_MOST_PLACES],
        "matrix": run.matrix | {"entries": run.matrix["entries"][:_MOST_ENTRIES]},
        "pictures": {
            name: "data:image/svg+xml;base64," + base64.b64encode(picture).decode()
            for name, picture in run.pictures.items()
        },
    }


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return {"source": ""} | row | {"place": short_place(row["place"])}


def _energy(run: SavedRun) -> dict[str, float] | None:
    energy = run.result["energy"]
    return None if energy is None else {key: energy[key] for key in ("total", "used_hosts", "unused_hosts")}


def _ranks(ranks: dict[str, Any]) -> dict[str, Any]:
    """Return the times of each rank; if there are too many ranks to draw, the means of groups of neighbouring ranks."""
    seconds = np.array(ranks["seconds"])
    together = -(-len(seconds) // _MOST_BARS)
    starts = np.arange(0, len(seconds), together)
    sizes = np.diff([*starts, len(seconds)])
    means = np.add.reduceat(seconds, starts, axis=0) / sizes[:, None]
    return {
        "together": together,
        "first": starts.tolist(),
        "host": [ranks["host"][start] for start in starts],
        "caused": np.add.reduceat(np.array(ranks["caused"]), starts).tolist(),
        "seconds": [[float(f"{value:.6g}") for value in row] for row in means.tolist()],
    }


def _overview(overview: dict[str, Any], end: float) -> dict[str, Any]:
    """Return the overview (time of the ranks by row, interval and state) in a short form for the page.

    Each time becomes one byte: 255 if the ranks of a row spent the whole interval in the state.
    """
    rows, intervals, together = overview["rows"], overview["intervals"], overview["ranks_per_row"]
    ranks = np.diff([*range(0, overview["ranks"], together), overview["ranks"]])
    lengths = np.diff([*(np.arange(intervals) * overview["interval"]), end])
    whole = ranks[:, None] * lengths[None, :]
    parts = {
        state: np.clip(np.rint(255 * np.array(seconds).reshape(rows, intervals) / whole), 0, 255).astype(np.uint8)
        for state, seconds in overview["seconds"].items()
    }
    return {key: value for key, value in overview.items() if key != "seconds"} | {
        "parts": {state: base64.b64encode(part.tobytes()).decode() for state, part in parts.items()}
    }
