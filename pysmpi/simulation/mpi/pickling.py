"""``MPI.pickle``, made private to each rank.

mpi4py pickles with the functions of one object, which a program may replace: ``MPI.pickle.__init__(dill.dumps,
dill.loads)``. pysmpi replaces ``MPI.pickle`` by an object that keeps the functions of each rank. mpi4py's own code
still uses the original object. Once a rank has set functions, the original gets functions that call the functions of
the running rank.
"""

from collections.abc import Callable
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.mpi.bindings import running_rank

__all__ = ["privatise_pickle", "reset_pickle"]

_of_ranks: dict[int, Any] = {}  # an mpi4py.MPI.Pickle for each rank that has set functions
_restore: list[Callable[[], None]] = []


def privatise_pickle(mpi: Any) -> None:
    """Replace ``MPI.pickle`` by an object that keeps separate functions and settings for each rank.

    Call this once per process. `mpi` is the module ``mpi4py.MPI``.
    """
    shared, default = mpi.pickle, mpi.Pickle()

    def mine() -> Any:
        return _of_ranks.get(running_rank(), default)

    def dumps(obj: Any, *_: Any) -> Any:
        return mine().dumps(obj)

    def loads(data: Any) -> Any:
        return mine().loads(data)

    def own() -> Any:
        """Return the `Pickle` object that the running rank may change; create it at the rank's first change."""
        if running_rank() < 0:
            return default
        lib.pysmpi_note_own_setting(b"MPI.pickle")
        shared.__init__(dumps, loads)
        return _of_ranks.setdefault(running_rank(), mpi.Pickle())

    def set_protocol(protocol: int | None) -> None:
        own().PROTOCOL = protocol
        if running_rank() < 0:
            shared.PROTOCOL = protocol

    def set_threshold(threshold: int | None) -> None:
        own().THRESHOLD = threshold

    class RankPickle(mpi.Pickle):  # type: ignore[misc]
        """Class of the replacement for ``MPI.pickle``, which uses the functions of the running rank."""

        def __init__(self, *arguments: Any, **keywords: Any) -> None:
            own().__init__(*arguments, **keywords)
            if running_rank() < 0:
                shared.__init__(*arguments, **keywords)

        def dumps(self, obj: Any) -> Any:
            return mine().dumps(obj)

        def loads(self, data: Any) -> Any:
            return mine().loads(data)

        def dumps_oob(self, obj: Any) -> Any:
            return mine().dumps_oob(obj)

        def loads_oob(self, data: Any, buffers: Any) -> Any:
            return mine().loads_oob(data, buffers)

        PROTOCOL = property(lambda _: mine().PROTOCOL, lambda _, protocol: set_protocol(protocol))
        THRESHOLD = property(lambda _: mine().THRESHOLD, lambda _, threshold: set_threshold(threshold))

    _restore.append(shared.__init__)
    mpi.pickle = RankPickle()


def reset_pickle() -> None:
    """Discard the functions that ranks have set."""
    if not _of_ranks:
        return
    _of_ranks.clear()
    for restore in _restore:
        restore()
