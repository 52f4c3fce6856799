"""Error classes of MPI libraries for mistakes to which pysmpi would give other ones.

pysmpi checks arguments like MPICH and uses its classes. Rules here are for mistakes that another library reports, too,
with another class; if it does not notice the mistake, there is no rule. A rule holds for a whole function, so there is
none if the library distinguishes mistakes that have the same class here.
"""

from collections.abc import Mapping

__all__ = ["OPEN_MPI_CLASSES", "SMPI_CLASSES", "ErrorClasses"]

ErrorClasses = Mapping[str, Mapping[str, str]]
"""Class of the library by name of the function and by the class that the failure would have otherwise."""

_ARG, _OTHER = "MPI_ERR_ARG", "MPI_ERR_OTHER"
_KEYS = [
    f"MPI_{kind}_{what}" for kind in ("Comm", "Type", "Win") for what in ("set_attr", "delete_attr", "free_keyval")
]
_OFFSETS = ["read_at", "read_at_all", "write_at", "write_at_all", "seek", "seek_shared", "set_size"]
_LENGTHS = ["indexed", "create_hindexed", "create_indexed_block", "create_hindexed_block", "create_struct"]

OPEN_MPI_CLASSES: ErrorClasses = {
    "MPI_Dims_create": {_ARG: "MPI_ERR_DIMS"},
    "MPI_Cart_shift": {_ARG: "MPI_ERR_DIMS"},
    "MPI_Dist_graph_create": {"MPI_ERR_RANK": _ARG},
    "MPI_Dist_graph_create_adjacent": {"MPI_ERR_RANK": _ARG},
    "MPI_Intercomm_create": {"MPI_ERR_RANK": _ARG},
    "MPI_Comm_spawn": {"MPI_ERR_ROOT": _ARG},
    "MPI_Session_finalize": {"MPI_ERR_SESSION": _ARG},
    "MPI_Info_get_nthkey": {_ARG: "MPI_ERR_INFO_KEY"},
    "MPI_Buffer_attach": {"MPI_ERR_BUFFER": "MPI_ERR_UNKNOWN"},
    "MPI_Register_datarep": {_ARG: _OTHER},
    **{f"MPI_Type_{name}": {"MPI_ERR_COUNT": _ARG} for name in _LENGTHS},
    **{f"MPI_File_{name}": {_ARG: _OTHER} for name in _OFFSETS},
    **{name: {"MPI_ERR_KEYVAL": _OTHER} for name in _KEYS},
}

SMPI_CLASSES: ErrorClasses = {"MPI_Dims_create": {_ARG: "MPI_ERR_DIMS"}}
