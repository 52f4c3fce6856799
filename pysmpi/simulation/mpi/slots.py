"""mpi4py's tables of user functions, made private to each rank.

mpi4py keeps the Python functions of reduction operations and error handlers in lists of 32 slots, one list per process.
It needs them because C callbacks have no argument that could identify the Python function. With all ranks in one
process, the lists would soon be full. Here every slot contains a `_Slot` object that stands for the running rank's
function:

- It equals None if the rank has no function in the slot. That is how mpi4py finds a free slot.
- Calling it calls the rank's function.
- When mpi4py stores a function or None in the slot, the list's only reference to the object is dropped. Its
  finaliser runs at once, records the new value for the running rank, and puts another `_Slot` in place.
"""

import gc
from collections.abc import Callable
from typing import Any

from pysmpi.simulation.mpi.bindings import running_rank

__all__ = ["privatise_slots", "reset_slots"]

Function = Callable[..., Any]
_OUTSIDE = -1  # running_rank() outside ranks; all ranks inherit functions stored there, as forked processes do

_tables: list["_Table"] = []


class _Table:
    """One of mpi4py's lists of user functions, and the functions that each rank has stored in it."""

    def __init__(self, slots: list[Any]) -> None:
        self.slots = slots
        self.of_ranks: dict[int, dict[int, Function]] = {}
        for index in range(1, len(slots)):  # slot 0 is never used
            held, slots[index] = slots[index], _Slot(self, index)
            self.note(index, held)

    def function(self, index: int) -> Function | None:
        """Return the function that the running rank has stored in the list's entry `index`, or None.

        If the rank has stored none, the function that was stored there outside ranks is returned.
        """
        for rank in (running_rank(), _OUTSIDE):
            found = self.of_ranks.get(rank, {}).get(index)
            if found is not None:
                return found
        return None

    def note(self, index: int, function: Function | None) -> None:
        """Set the running rank's function in the list's entry `index`, or remove it if `function` is None."""
        mine = self.of_ranks.setdefault(running_rank(), {})
        if function is None:
            mine.pop(index, None)
        else:
            mine[index] = function


class _Slot:
    """Object in one slot of mpi4py's list, which calls the running rank's function."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, table: _Table, index: int) -> None:
        self.table = table
        self.index = index

    def __eq__(self, other: object) -> bool:
        return other is None and self.table.function(self.index) is None

    def __call__(self, *arguments: Any) -> Any:
        function = self.table.function(self.index)
        if function is None:
            raise RuntimeError("the rank has not defined this operation or error handler, or has freed it")
        return function(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        # mpi4py pickles an operation by the function in its slot.
        return _itself, (self.table.function(self.index),)

    def __del__(self) -> None:
        slots, index = self.table.slots, self.index
        held = slots[index]
        if not isinstance(held, _Slot):
            slots[index] = _Slot(self.table, index)
            self.table.note(index, held)


def _itself(function: Function) -> Function:
    """Return the function unchanged. A pickled slot contains a call of this, so that unpickling yields the rank's
    function."""
    return function


def privatise_slots(mpi: Any) -> None:
    """Give each rank its own user functions in mpi4py.

    Each entry of mpi4py's lists of user functions is replaced by a `_Slot`, which calls the running rank's function.

    Call this once per process. `mpi` is the module ``mpi4py.MPI``.
    """
    if _tables:
        return

    def marker(*_: object) -> None:
        """Do nothing. mpi4py's lists are found by letting mpi4py store this function in them and searching for it."""

    operation = mpi.Op.Create(marker)
    operations = _lists_with(marker)
    operation.Free()
    handler = mpi.Comm.Create_errhandler(marker)
    handlers = _lists_with(marker)
    handler.Free()  # mpi4py leaves the function in its slot
    of_communicators = handlers[0]
    of_communicators[of_communicators.index(marker)] = None
    of_all_kinds = [outer for outer in _lists_with(of_communicators) if outer is not handlers]
    for slots in (*operations, *of_all_kinds[0]):
        _tables.append(_Table(slots))


def reset_slots() -> None:
    """Discard all functions of reduction operations and error handlers that ranks have defined.

    Functions that were defined outside ranks stay.
    """
    for table in _tables:
        table.of_ranks = {_OUTSIDE: table.of_ranks.get(_OUTSIDE, {})}


def _lists_with(item: object) -> list[list[Any]]:
    """Return all lists in the process that contain the object."""
    return [holder for holder in gc.get_referrers(item) if isinstance(holder, list)]
