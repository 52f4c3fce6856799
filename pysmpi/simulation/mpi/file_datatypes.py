"""Check of the datatypes that functions on files use."""

from pysmpi.native import lib
from pysmpi.simulation.mpi.bindings import MpiError
from pysmpi.simulation.mpi.constants import DATATYPE_NULL, ERR_TYPE

__all__ = ["check_type"]


def check_type(handle: int, name: str) -> None:
    """Raise an MpiError of class MPI_ERR_TYPE unless the handle is a committed datatype.

    `name` is the name of the argument in the error text.
    """
    if handle == DATATYPE_NULL:
        raise MpiError(ERR_TYPE, f"the {name} is MPI_DATATYPE_NULL")
    if not lib.pysmpi_is_datatype(handle):
        raise MpiError(ERR_TYPE, f"the {name}: unknown datatype {handle:#x}; was it freed?")
    if not lib.pysmpi_datatype_is_committed(handle):
        raise MpiError(ERR_TYPE, f"the {name} {handle:#x} has not been committed; call MPI_Type_commit")
