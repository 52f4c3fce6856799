"""Libraries that keep one state in C variables, which all ranks would share.

Each rank has its own variables of the libraries for which this is possible (`private_libraries`). Only one rank may use
each of the others: a second rank is refused when it imports the library's Python package, or when it calls MPI through
the library, in whichever language it has been called.
"""

import functools
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import PurePath

from pysmpi.native import lib
from pysmpi.simulation.isolation.stopping import refuse

__all__ = ["LIBRARIES", "Packages", "register"]


@dataclass(frozen=True)
class SingleLibrary:
    """Library with one state in a process.

    Attributes:
        name: its name in messages.
        state: description of the state that all ranks would share.
        files: beginnings of the names of its shared objects.
        packages: Python packages whose import initialises it, if ranks cannot have their own variables.
        separable: whether ranks can have their own variables: the library is written in C or Fortran, and its variables
            hold no Python objects.
        companions: beginnings of the names of libraries that contain a part of its state, and do not call MPI.
    """

    name: str
    state: str
    files: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    separable: bool = False
    companions: tuple[str, ...] = ()

    def text(self) -> str:
        """Return why a second rank may not use the library, as a sentence."""
        return (
            f"{self.name} keeps {self.state} once in the process, and all ranks share this process; only one rank may "
            "use it."
        )


LIBRARIES = (
    # H5Pset_fapl_mpio makes HDF5 call MPI in the middle of its operations. Files without MPI need no MPI call, so ranks
    # may use them.
    SingleLibrary("parallel HDF5", "its open objects and the state of the operation in progress", ("libhdf5",),
                  separable=True),
    SingleLibrary("PnetCDF", "its table of open files", ("libpnetcdf",), separable=True),
    # PetscInitialize stores rank, size, options, logging and PETSC_COMM_WORLD.
    SingleLibrary("PETSc", "its rank, options and communicators (PetscInitialize)", ("libpetsc", "PETSc."),
                  separable=True),
    SingleLibrary("SLEPc", "its options, and PETSc's rank", ("libslepc", "SLEPc."), separable=True),
    # NEURON keeps its rank in nrnmpi_myid, and one model, which its interpreter hoc builds.
    SingleLibrary("NEURON", "its rank, and the cells of the model", ("libnrn", "libcorenrn"), ("neuron",)),
    SingleLibrary("NEST", "its rank, and the network of the model", ("libnest", "pynestkernel"), ("nest",)),
    SingleLibrary("ESPResSo", "its rank, and the particles", ("Espresso",), ("espressomd",)),
    # FFTW has one planner, whose searches contain collectives. It is a part of the library without MPI.
    SingleLibrary("FFTW's MPI library", "its planner", ("libfftw3_mpi", "libfftw3f_mpi", "libfftw3l_mpi"),
                  separable=True, companions=("libfftw3",)),
    # MUMPS keeps one send buffer, load tables, rank and size in Fortran modules.
    SingleLibrary("MUMPS", "its rank, send buffers and loads",
                  ("libdmumps", "libsmumps", "libzmumps", "libcmumps", "libmumps_common"),
                  separable=True, companions=("libpord",)),
    # BLACS keeps rank and size in BI_Iam and BI_Np, and one table of contexts.
    SingleLibrary("BLACS (ScaLAPACK)", "its rank and its contexts", ("libscalapack", "libblacs", "libmkl_blacs"),
                  separable=True),
    SingleLibrary("hypre", "its handle, error flag and random seed", ("libHYPRE",), separable=True),
    # PT-Scotch has one random state (intRandInit), from which partitions are drawn.
    SingleLibrary("PT-Scotch", "its random state", ("libptscotch",), separable=True, companions=("libscotch",)),
    SingleLibrary("Elemental", "its default grid and its random state", ("libEl.",)),
    SingleLibrary("Horovod", "its rank, and a thread of its own that calls MPI", (), ("horovod",)),
)  # fmt: skip


@functools.cache
def register() -> None:
    """Tell the engine the files of libraries that only one rank may use.

    If such a library calls MPI in a second rank, the engine refuses the call and names the library.
    """
    for library in LIBRARIES:
        for file in () if library.separable else library.files:
            lib.pysmpi_add_single_library(file.encode(), library.text().encode())


class Packages:
    """Python packages that only one rank may import, with the first rank that has imported each."""

    def __init__(self) -> None:
        self._known = {package: library for library in LIBRARIES for package in library.packages}
        self._first: dict[str, int] = {}  # first rank that has imported each package

    def is_single(self, spec: ModuleSpec) -> bool:
        """Return whether only one rank may import the module. A module of the program may have the same name."""
        installed = any(part in ("site-packages", "dist-packages") for part in PurePath(spec.origin or "").parts)
        return spec.name in self._known and installed

    def note_import(self, name: str, rank: int) -> None:
        """Record that a rank imports a package that only one rank may import.

        Raises:
            RankStopped: another rank has imported the package, which ends the simulation.
        """
        first = self._first.setdefault(name, rank)
        if first == rank:
            return
        refuse(f"import {name}: {self._known[name].text()} Rank {first} uses it already")
