"""mpi4py's tables of user functions, made private to each rank.

mpi4py keeps the Python functions of reduction operations and of error handlers in lists of 32 slots, one list a
process, since C callbacks carry no argument that would say which Python function is meant. With all ranks in one
process they would be full at once. So every slot is filled with an object that is, to whoever looks, the running rank's
content of that slot: it compares equal to None when the rank has none there, which is how mpi4py searches for a free
slot, and calls the rank's function when it is called. mpi4py stores a function, or None, into a slot when an operation
is created or freed; nothing but the list holds the object, so it is finalised there and then, notes the change as the
running rank's, and puts another object in its place.
"""

import gc
from collections.abc import Callable
from typing import Any

from pysmpi.mpi.bindings import running_rank

__all__ = ["privatise_slots", "reset_slots"]

Function = Callable[..., Any]
_OUTSIDE = -1  # the main greenlet: what it has made, all ranks have, like processes forked from it

_tables: list["_Table"] = []


class _Table:
    """One of mpi4py's lists, and what each rank has in its slots."""

    def __init__(self, slots: list[Any]) -> None:
        self.slots = slots
        self.of_ranks: dict[int, dict[int, Function]] = {}
        for index in range(1, len(slots)):  # slot 0 is never used
            held, slots[index] = slots[index], _Slot(self, index)
            self.note(index, held)

    def function(self, index: int) -> Function | None:
        """The running rank's function in a slot."""
        for rank in (running_rank(), _OUTSIDE):
            found = self.of_ranks.get(rank, {}).get(index)
            if found is not None:
                return found
        return None

    def note(self, index: int, function: Function | None) -> None:
        """The running rank has now this, or nothing, in a slot."""
        mine = self.of_ranks.setdefault(running_rank(), {})
        if function is None:
            mine.pop(index, None)
        else:
            mine[index] = function


class _Slot:
    """The running rank's content of a slot."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, table: _Table, index: int) -> None:
        self.table = table
        self.index = index

    def __eq__(self, other: object) -> bool:
        return other is None and self.table.function(self.index) is None

    def __call__(self, *arguments: Any) -> Any:
        function = self.table.function(self.index)
        if function is None:
            raise RuntimeError("this rank has no such operation or error handler")
        return function(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        # mpi4py pickles an operation as its function, which it takes out of the slot.
        return _itself, (self.table.function(self.index),)

    def __del__(self) -> None:
        slots, index = self.table.slots, self.index
        held = slots[index]
        if not isinstance(held, _Slot):
            slots[index] = _Slot(self.table, index)
            self.table.note(index, held)


def _itself(function: Function) -> Function:
    """What is left of a slot when it is unpickled."""
    return function


def privatise_slots(mpi: Any) -> None:
    """Finds mpi4py's lists and fills them, once a process. `mpi` is the module ``mpi4py.MPI``."""
    if _tables:
        return

    def marker(*_: object) -> None:
        """Put into a slot, to be found there."""

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
    """Forgets what ranks have put into slots."""
    for table in _tables:
        table.of_ranks = {_OUTSIDE: table.of_ranks.get(_OUTSIDE, {})}


def _lists_with(item: object) -> list[list[Any]]:
    """The lists that hold the object: one, of mpi4py's."""
    return [holder for holder in gc.get_referrers(item) if isinstance(holder, list)]
