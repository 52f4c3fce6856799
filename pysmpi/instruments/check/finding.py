"""What a check finds: a kind, whose name stays the same, the ranks and lines concerned, and a sentence."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pysmpi.util.quantities import ranges

__all__ = ["KINDS", "Finding", "rank_names", "report"]

_LISTED = 20  # lines of one kind

KINDS: dict[str, str] = {
    "mismatched-collective": "ranks call different collective functions at once on one communicator",
    "mismatched-root": "they name different roots",
    "mismatched-operation": "they name different reduction operations",
    "mismatched-in-place": "some give MPI_IN_PLACE where all or none must",
    "mismatched-count": "what a rank sends, or is to receive, in a collective is not as long as the other side says",
    "mismatched-datatype": "a message, or data of a collective, is received as another datatype than it was sent as",
    "mismatched-arguments": "they give different groups or shapes to what makes a communicator",
    "truncated-message": "a message is longer than the room that its receive has",
    "modified-send-buffer": "the program changes what it sends before the send is complete",
    "modified-receive-buffer": "the program writes into a buffer before the receive is complete",
    "overlapping-buffers": "an operation uses memory that a request that is not complete receives into, or sends from",
    "attached-buffer-too-small": "buffered sends wait that the attached buffers have no room for",
    "ready-send-without-receive": "a ready send begins before its receive is posted",
    "mpi-error": "a rank has ended with an error of MPI that it did not catch",
    "unreceived-message": "nobody has received a message",
    "unreceived-probed-message": "a matched probe has found a message, and nobody has received it",
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


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake, wherever and however often it was made by the same lines.

    Attributes:
        kind: one of `KINDS`.
        text: a sentence that names the first ranks in it, and ``file:line`` of each side.
        ranks: in which it was found, rising, in MPI_COMM_WORLD.
        places: ``file:line`` of one side, or of two.
        times: how often it was found.
    """

    kind: str
    text: str
    ranks: tuple[int, ...]
    places: tuple[str, ...]
    times: int = 1

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


def report(findings: Iterable[Finding]) -> Iterator[str]:
    """A line for each, up to so many of a kind."""
    of_kind: dict[str, int] = {}
    for finding in findings:
        number = of_kind[finding.kind] = of_kind.get(finding.kind, 0) + 1
        if number <= _LISTED:
            yield str(finding)
    for kind, number in of_kind.items():
        if number > _LISTED:
            yield f"{kind}: … and {number - _LISTED:,} more such lines"


def rank_names(ranks: tuple[int, ...]) -> str:
    """Rising numbers: rank 3, or ranks 0-2, 5."""
    return f"rank{'s' if len(ranks) > 1 else ''} {ranges(ranks)}"
