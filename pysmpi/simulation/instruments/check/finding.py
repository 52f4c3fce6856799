"""Findings: mistakes that the checks of ``pysmpirun --check`` have found in a program. Each has a kind with a stable
name, ranks, source lines, and a sentence about the mistake."""

from collections.abc import Iterable, Iterator

from pysmpi.errors import Finding
from pysmpi.util.quantities import ranges

__all__ = ["KINDS", "Finding", "rank_names", "report"]

_LISTED = 20  # largest number of findings shown of each kind

KINDS: dict[str, str] = {
    "mismatched-collective": "ranks call different collective functions at once on one communicator",
    "mismatched-root": "ranks name different roots in one collective",
    "mismatched-operation": "ranks name different reduction operations in one collective",
    "mismatched-in-place": "some ranks give MPI_IN_PLACE where all or none must",
    "mismatched-count": "in a collective, the lengths given by sender and receiver differ",
    "mismatched-datatype": "a message, or data of a collective, is received as another datatype than it was sent as",
    "mismatched-arguments": "ranks give different groups or shapes to a call that creates a communicator",
    "truncated-message": "a message is longer than its receive buffer",
    "modified-send-buffer": "the program changes a send buffer before the send is complete",
    "modified-receive-buffer": "the program writes into a buffer before the receive is complete",
    "overlapping-buffers": "an operation uses memory of a send or receive that is not complete",
    "attached-buffer-too-small": "buffered sends do not fit into the attached buffers",
    "ready-send-without-receive": "a ready send begins before its receive is posted",
    "mpi-error": "a rank ended with an MPI error that it did not catch",
    "unreceived-message": "a message was never received",
    "unreceived-probed-message": "a message found by a matched probe was never received",
    "unfinished-request": "a request was neither completed by a wait or a test, nor freed",
    "unfreed-communicator": "a communicator was not freed",
    "unfreed-group": "a group was not freed",
    "unfreed-datatype": "a datatype was not freed",
    "unfreed-operation": "an operation was not freed",
    "unfreed-window": "a window was not freed",
    "unclosed-file": "a file was not closed",
    "unfreed-info": "an info object was not freed",
    "unfinalized-session": "a session was not finalized",
}


def report(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield one line per finding (a mistake in the use of MPI), up to 20 of each kind, and then the number of omitted
    findings per kind."""
    of_kind: dict[str, int] = {}
    for finding in findings:
        number = of_kind[finding.kind] = of_kind.get(finding.kind, 0) + 1
        if number <= _LISTED:
            yield str(finding)
    for kind, number in of_kind.items():
        if number > _LISTED:
            yield f"{kind}: … and {number - _LISTED:,} more findings of this kind"


def rank_names(ranks: tuple[int, ...]) -> str:
    """Return ranks as text, such as "rank 3" or "ranks 0-2, 5"."""
    return f"rank{'s' if len(ranks) > 1 else ''} {ranges(ranks)}"
