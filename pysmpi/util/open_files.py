"""The limit of open files, which the ranks of a run share because they are one process."""

import contextlib
import errno
import resource

__all__ = ["explain", "hint", "raise_limit"]

_MOST = 1 << 20  # largest limit to set, as some programs that ranks start go through all descriptors up to it


def raise_limit() -> None:
    """Let this process open as many files as the system permits, at most about a million."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST if hard == resource.RLIM_INFINITY else min(hard, _MOST)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def explain(error: BaseException) -> None:
    """Add the hint as a note to an error if it, or one of its causes, is that too many files are open."""
    each: BaseException | None = error
    seen: set[int] = set()
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        if isinstance(each, OSError) and each.errno == errno.EMFILE:
            error.add_note(hint())
            return
        each = each.__cause__ or each.__context__


def hint() -> str:
    """Return a text that says how many files the ranks may open, and how to permit more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (
        f"all ranks are one process, which may have {soft:,} files open at a time (hard limit {hard:,}: "
        "ulimit -Hn); close files earlier, or ask the system's administrator for a higher limit"
    )
