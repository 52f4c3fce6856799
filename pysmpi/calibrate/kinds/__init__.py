"""Kinds of measurement, one module for each. Its object `KIND` (a `Kind`) describes what differs between kinds.

A new kind is a folder with its measurement and its fit, a module here, and a line in `KINDS`. The command line,
the refusal of implausible results, provenance, resuming and the output files are the same for all kinds.
"""

import importlib

from pysmpi.calibrate.kind import Kind

__all__ = ["KINDS", "kind_named"]

KINDS: dict[str, str] = {
    "blas": "how long the routines of BLAS and LAPACK take: a model for pysmpirun --blas",
    "network": "what messages take, between two ranks of a real MPI: settings and links",
    "node": "what messages take inside a host and through its card, one and several at once: properties of hosts",
    "host": "what a host does by itself: flop/s, bandwidth of memory, Python in a call",
    "noise": "how often and for how long each core serves the operating system: a model for smpi/noise",
    "power": "what a host draws, idle and at work",
}
"""Purpose of each kind, for the help."""


def kind_named(name: str) -> Kind:
    """Return the kind of this name; its module is imported when it is first used."""
    kind: Kind = importlib.import_module(f"pysmpi.calibrate.kinds.{name}").KIND
    return kind
