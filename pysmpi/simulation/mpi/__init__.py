"""MPI's objects and rules: communicators, groups, files, info, and support for many ranks in mpi4py.

Importing this package gives libmpi.so.12 the MPI functions that are written in Python.
"""

import functools
from typing import Any

from pysmpi.native import ffi, lib
from pysmpi.simulation.mpi import fatal as fatal
from pysmpi.simulation.mpi import file_access as file_access
from pysmpi.simulation.mpi import file_pointer as file_pointer
from pysmpi.simulation.mpi import file_settings as file_settings
from pysmpi.simulation.mpi import split_type as split_type
from pysmpi.simulation.mpi import virtual_topologies as virtual_topologies
from pysmpi.simulation.mpi.communicator import reset_communicators
from pysmpi.simulation.mpi.file import reset_files
from pysmpi.simulation.mpi.file_view import reset_representations
from pysmpi.simulation.mpi.group import reset_groups
from pysmpi.simulation.mpi.info import reset_infos
from pysmpi.simulation.mpi.intercommunicator import reset_intercommunicators
from pysmpi.simulation.mpi.intracommunicator import reset_group_creations
from pysmpi.simulation.mpi.pickling import privatise_pickle, reset_pickle
from pysmpi.simulation.mpi.port import reset_ports
from pysmpi.simulation.mpi.session import reset_sessions
from pysmpi.simulation.mpi.slots import privatise_slots, reset_slots
from pysmpi.simulation.mpi.spawn import reset_spawning
from pysmpi.simulation.mpi.split_type import reset_split_types
from pysmpi.simulation.mpi.window import reset_windows

__all__ = ["prepare", "reset"]


@functools.cache  # once per process: later, the last attribute key would be a different one
def prepare(mpi: Any) -> None:
    """Make mpi4py's process-wide state private to each rank. `mpi` is ``mpi4py.MPI``, just imported."""
    privatise_slots(mpi)
    privatise_pickle(mpi)
    mpi._comm_lock_table(mpi.COMM_SELF)  # makes mpi4py create the attribute key of its table of thread locks
    lib.pysmpi_set_lock_table_key(lib.pysmpi_last_key())
    lib.pysmpi_isolate_parent(ffi.cast("void *", mpi._addressof(mpi.Comm.Get_parent())), mpi._sizeof(mpi.Comm))


def reset() -> None:
    """Discard all objects that ranks have made. Call this at the beginning and at the end of each simulation."""
    reset_communicators()
    reset_files()
    reset_group_creations()
    reset_split_types()
    reset_intercommunicators()
    reset_groups()
    reset_infos()
    reset_ports()
    reset_representations()
    reset_sessions()
    reset_pickle()
    reset_slots()
    reset_spawning()
    reset_windows()
