"""Settings that a compiled library keeps once in the process, with a value for each rank once a rank changes one."""

from collections.abc import Callable
from typing import Any

from pysmpi.native import lib

__all__ = ["ProcessWideSettings"]


class ProcessWideSettings:
    """Settings of one library, as functions that read and assign them.

    Args:
        first_change: function that is called before a rank changes a setting for itself; from then on, the settings are
            exchanged when another rank runs.
        shared_change: function that is called after a setting has changed for all ranks.
    """

    def __init__(self, first_change: Callable[[], None], shared_change: Callable[[], None]) -> None:
        self._first_change = first_change
        self._shared_change = shared_change
        self._settings: list[tuple[Callable[[], Any], Callable[[Any], object]]] = []
        self._first: list[Any] = []  # values with which ranks begin
        self._present: list[Any] = []  # values that were read or assigned last

    def _add(self, read: Callable[[], Any], assign: Callable[[Any], object]) -> None:
        self._settings.append((read, assign))
        self._first.append(read())
        self._present.append(self._first[-1])

    def _following(self, assign: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that assigns a setting and notes for whom: the running rank, or all ranks.

        A module that all ranks share and that assigns a setting while it is imported does so for all of them.
        """

        def assign_for_rank(*arguments: Any, **named: Any) -> Any:
            is_in_rank, is_for_all = lib.pysmpi_running_rank() >= 0, lib.pysmpi_imports_for_all()
            if is_in_rank and not is_for_all:
                self._first_change()
            result = assign(*arguments, **named)
            if is_in_rank and is_for_all:
                self._shared_change()
            return result

        return assign_for_rank

    def share(self) -> dict[int, Any]:
        """Let ranks begin with the values that have changed since they were last read; return these by index."""
        now = [read() for read, _ in self._settings]
        changed = {index: value for index, value in enumerate(now) if value != self._present[index]}
        for index, value in changed.items():
            self._first[index] = value
        self._present = now
        return changed

    def leave(self) -> list[Any]:
        """Return the present values."""
        self._present = [read() for read, _ in self._settings]
        return list(self._present)

    def enter(self, values: list[Any]) -> None:
        """Assign the values that differ from the present ones."""
        for (_, assign), wanted, now in zip(self._settings, values, self._present, strict=True):
            if wanted is not now and wanted != now:
                assign(wanted)
        self._present = list(values)

    def begin(self, _rank: int) -> None:
        """Assign the values with which a rank begins."""
        self.enter(self._first)
