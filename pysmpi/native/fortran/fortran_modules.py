"""Generator of what Fortran programs are compiled with: mpif.h, and the sources of the modules mpi and mpi_f08.

Usage: fortran_modules.py MPI.H FOLDER (run by the build). Modules are in the form of the compiler that reads them, so
that pysmpif90 compiles them where it is used. Their procedures are in libmpifort.so.12: the names of modules and
procedures are those of MPICH, so that programs which MPICH's mpif90 has compiled call the same ones.
"""

import pathlib
import re
import sys

from fortran_functions import (
    BY_HAND,
    COUNT,
    LARGE,
    LOGICAL_ARRAYS,
    LOGICAL_IN,
    LOGICAL_OUT,
    NO_BUFFER,
    ONLY_C,
    PROTOTYPE,
    SMALL,
    Parameter,
    parameters_of,
)

DEFINED = re.compile(
    r"^#define (MPI_\w+) (?:\(\((?P<type>MPI_\w+)\)\s*(?P<handle>\(?-? ?\w+\)?)\)|(?P<number>\(?-?\w+\)?))$", re.M
)
ENUMERATED = re.compile(r"^\s+(MPI_\w+) = (-?\w+)", re.M)
HANDLES = ["Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win"]
KEYS = {"MPI_TAG_UB", "MPI_HOST", "MPI_IO", "MPI_WTIME_IS_GLOBAL", "MPI_UNIVERSE_SIZE", "MPI_LASTUSEDCODE",
        "MPI_APPNUM", "MPI_WIN_BASE", "MPI_WIN_SIZE", "MPI_WIN_DISP_UNIT", "MPI_WIN_CREATE_FLAVOR",
        "MPI_WIN_MODEL"}  # fmt: skip
# Constants that Fortran has in another form, or not at all.
OTHER = re.compile(r"MPI_(\w*_FN|BOTTOM|IN_PLACE|\w*_IGNORE|ARGVS?_NULL|UNWEIGHTED|WEIGHTS_EMPTY|F_\w+|FILE_NULL)$")
OWN = {
    "MPI_STATUS_SIZE": 5, "MPI_SOURCE": 3, "MPI_TAG": 4, "MPI_ERROR": 5, "MPI_ADDRESS_KIND": 8, "MPI_OFFSET_KIND": 8,
    "MPI_COUNT_KIND": 8, "MPI_INTEGER_KIND": 4,
}  # fmt: skip
SUBROUTINES = ["COMM_NULL_COPY_FN", "COMM_DUP_FN", "COMM_NULL_DELETE_FN", "TYPE_NULL_COPY_FN", "TYPE_DUP_FN",
               "TYPE_NULL_DELETE_FN", "WIN_NULL_COPY_FN", "WIN_DUP_FN", "WIN_NULL_DELETE_FN", "NULL_COPY_FN", "DUP_FN",
               "NULL_DELETE_FN"]  # fmt: skip
SIZES = {"ch": "character", "i1": "integer(1)", "i2": "integer(2)", "i": "integer", "i8": "integer(8)", "l": "logical",
         "r": "real", "d": "double precision", "cx": "complex"}  # fmt: skip
# Procedures by hand, as the lines that declare their arguments.
DECLARED = {
    "MPI_Init": [],
    "MPI_Init_thread": ["integer :: required", "integer :: provided"],
    "MPI_Comm_spawn": ["character(len=*) :: command", "character(len=*) :: argv(*)", "integer :: maxprocs",
                       "type(MPI_Info) :: info", "integer :: root", "type(MPI_Comm) :: comm",
                       "type(MPI_Comm) :: intercomm", "integer :: array_of_errcodes(*)"],
    "MPI_Grequest_start": ["external :: query_fn", "external :: free_fn", "external :: cancel_fn",
                           "integer(MPI_ADDRESS_KIND) :: extra_state", "type(MPI_Request) :: request"],
    "MPI_Buffer_detach": ["type(c_ptr) :: buffer_addr", "integer :: size"],
}  # fmt: skip
for _object, _type in (("Comm", "Comm"), ("Type", "Datatype"), ("Win", "Win")):
    _first = f"type(MPI_{_type}) :: object"
    _key, _value = f"integer :: {_object.lower()}_keyval", "integer(MPI_ADDRESS_KIND) :: attribute_val"
    DECLARED[f"MPI_{_object}_create_keyval"] = [
        "external :: copy_fn", "external :: delete_fn", _key, "integer(MPI_ADDRESS_KIND) :: extra_state",
    ]  # fmt: skip
    DECLARED[f"MPI_{_object}_set_attr"] = [_first, _key, _value]
    DECLARED[f"MPI_{_object}_get_attr"] = [_first, _key, _value, "logical :: flag"]


def constants_of(header: str) -> dict[str, tuple[str, int]]:
    """Return type of handle (or "") and value of each constant."""
    values: dict[str, tuple[str, int]] = {name: ("", value) for name, value in OWN.items()}
    for match in [*DEFINED.finditer(header)] * 2:  # some names stand for constants that follow
        name = match[1]
        if OTHER.match(name) or name in values:
            continue
        text = (match["handle"] or match["number"]).strip("()").replace("- ", "-")
        if text in values:  # another name of a constant
            values[name] = values[text]
            continue
        try:
            value = int(text, 0)
        except ValueError:
            continue
        value -= 1 if name.startswith("MPI_MAX_") and "RMA" not in name else 0  # no zero ends texts
        value += 1 if name in KEYS else 0
        values[name] = ((match["type"] or "").removeprefix("MPI_"), value - (1 << 32) if value >= 1 << 31 else value)
    for name, text in ENUMERATED.findall(header):
        values.setdefault(name, ("", int(text, 0)))
    values["MPI_FILE_NULL"] = ("File", 0)
    return values


def number(value: int) -> str:
    """Return a value as Fortran writes it: the smallest integer has no literal."""
    return "-2147483647-1" if value == -(1 << 31) else str(value)


def mpif_h(constants: dict[str, tuple[str, int]]) -> str:
    """Return the contents of mpif.h, which is valid in both source forms."""
    lines = ["! Constants of MPI, with MPICH's values."]
    for name, (kind, value) in constants.items():
        lines += [
            f"      INTEGER{'*8' if kind == 'Offset' else ''} {name}",
            f"      PARAMETER ({name}={number(value)})",
        ]
    for name in ("SUBARRAYS_SUPPORTED", "ASYNC_PROTECTS_NONBLOCKING"):
        lines += [f"      LOGICAL MPI_{name}", f"      PARAMETER (MPI_{name}=.FALSE.)"]
    lines += [
        "      CHARACTER*1 MPI_ARGVS_NULL(1,1), MPI_ARGV_NULL(1)",
        "      INTEGER MPI_STATUS_IGNORE(MPI_STATUS_SIZE)",
        "      INTEGER MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)",
        "      INTEGER MPI_ERRCODES_IGNORE(1), MPI_BOTTOM, MPI_IN_PLACE",
        "      INTEGER MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY",
        "      COMMON /MPIFCMB5/ MPI_UNWEIGHTED",
        "      COMMON /MPIFCMB9/ MPI_WEIGHTS_EMPTY",
        "      COMMON /MPIPRIV1/ MPI_BOTTOM,MPI_IN_PLACE,MPI_STATUS_IGNORE",
        "      COMMON /MPIPRIV2/ MPI_STATUSES_IGNORE,MPI_ERRCODES_IGNORE",
        "      COMMON /MPIPRIVC/ MPI_ARGVS_NULL,MPI_ARGV_NULL",
        "      SAVE /MPIFCMB5/,/MPIFCMB9/",
        "      SAVE /MPIPRIV1/,/MPIPRIV2/,/MPIPRIVC/",
    ]
    lines += [f"      EXTERNAL MPI_{name}" for name in SUBROUTINES]
    lines += [
        "      DOUBLE PRECISION MPI_WTIME, MPI_WTICK",
        "      INTEGER*8 MPI_AINT_ADD, MPI_AINT_DIFF",
        "      EXTERNAL MPI_WTIME, MPI_WTICK",
        "      EXTERNAL MPI_AINT_ADD, MPI_AINT_DIFF",
    ]
    return "\n".join(lines) + "\n"


def size_procedures(names: dict[str, str], suffixes: tuple[str, ...]) -> list[str]:
    """Return module procedures that give the sizes of variables; their code is in the library."""
    lines = []
    for name, kind in names.items():
        for suffix, dims in zip(suffixes, ("", "(*)"), strict=False):
            lines += [
                f"  subroutine mpi_sizeof_{name}{suffix}(x, size, ierror)",
                f"    {kind} :: x{dims}",
                "    integer, intent(out) :: size, ierror",
                "    size = 0; ierror = 0",
                "  end subroutine",
            ]
    return lines


def module_mpi() -> str:
    """Return the source of the module mpi."""
    generic = ", ".join(f"mpi_sizeof_{name}{suffix}" for name in SIZES for suffix in ("", "v"))
    lines = [
        "module mpi_sizeofs",
        "  implicit none",
        "  private",
        "  public :: MPI_Sizeof",
        "  interface MPI_Sizeof",
        *(f"    module procedure {name.strip()}" for name in generic.split(",")),
        "  end interface",
        "contains",
        *size_procedures(SIZES, ("", "v")),
        "end module",
        "module mpi",
        "  use mpi_sizeofs",
        "  implicit none",
        "  include 'mpif.h'",
        "end module",
    ]
    return "\n".join(lines) + "\n"


def type_of(each: Parameter) -> str:
    """Return the declaration of a Fortran argument."""
    name, kind = each.name, each.type.removeprefix("const ")
    array = "(*)" if each.dims else ""
    base = kind.rstrip("*")
    if each.is_buffer:
        return f"type(*), dimension(..), asynchronous :: {name}"
    if each.name in NO_BUFFER:
        return f"type(c_ptr) :: {name}"
    if each.is_text:
        return f"character(len=*) :: {name}"
    if name in LOGICAL_OUT or name in LOGICAL_IN:
        return f"logical :: {name}"
    if name in LOGICAL_ARRAYS:
        return f"logical :: {name}(*)"
    if "function" in kind:
        return f"external :: {name}"
    if base == "MPI_Status":
        return f"type(MPI_Status) :: {name}{'(*)' if name.startswith('array') or array else ''}"
    if base.removeprefix("MPI_") in HANDLES:
        return f"type({base}) :: {name}{array}"
    if name in ("sourceweights", "destweights", "weights"):
        return f"integer :: {name}(*)"
    kinds = {"MPI_Aint": "(MPI_ADDRESS_KIND)", "MPI_Offset": "(MPI_OFFSET_KIND)", "MPI_Count": "(MPI_COUNT_KIND)"}
    if each.dims == "[][3]":
        array = "(3, *)"
    return f"integer{kinds.get(base, '')} :: {name}{array}"


def procedure(symbol: str, arguments: list[str]) -> list[str]:
    """Return the interface of a subroutine, given the declarations of its arguments."""
    names = [text.split(":: ")[1].partition("(")[0] for text in arguments]
    lines = [f"    subroutine {symbol}({', '.join([*names, 'ierror'])})"]
    lines = [re.sub(r", (?=\w)", ", &\n      ", lines[0])]
    lines += ["      use, intrinsic :: iso_c_binding, only: c_ptr", "      use mpi_f08_types"]
    lines += [f"      {text}" for text in arguments]
    lines += ["      integer, optional, intent(out) :: ierror", "    end subroutine"]
    return lines


def interfaces(header: str) -> list[str]:
    """Return the generic interfaces of all procedures."""
    lines: list[str] = []
    for name, text in PROTOTYPE.findall(header):
        if ONLY_C.search(name) or (name in BY_HAND and name not in DECLARED):
            continue
        low = name.lower()
        small = parameters_of(COUNT.sub(lambda match: SMALL[match[1]], text))
        large = parameters_of(COUNT.sub(lambda match: LARGE[match[1]], text))
        ending = "f08ts" if any(each.is_buffer for each in small) else "f08"
        arguments = DECLARED.get(name) if name in DECLARED else [type_of(each) for each in small]
        lines += [f"  interface {name}", *procedure(f"{low}_{'f08' if name in DECLARED else ending}", arguments or [])]
        larger = [type_of(each) for each in large]
        same_kind = [
            [each.replace("COUNT_KIND", "ADDRESS_KIND") for each in form] for form in (arguments or [], larger)
        ]
        if same_kind[0] != same_kind[1] and name not in DECLARED:
            lines += procedure(f"{low}_{ending}_large", larger)
        lines.append("  end interface")
    return lines


def module_f08(header: str, constants: dict[str, tuple[str, int]]) -> str:
    """Return the source of the module mpi_f08 and of those that it uses."""
    lines = ["module mpi_f08_types", "  use, intrinsic :: iso_c_binding, only: c_int, c_char", "  implicit none"]
    lines += [f"  integer, parameter :: {name} = {value}" for name, value in OWN.items()]
    for handle in HANDLES:
        lines += [f"  type, bind(C) :: MPI_{handle}", "    integer(c_int) :: MPI_VAL", "  end type"]
    lines += [
        "  type, bind(C) :: MPI_Status",
        "    integer(c_int) :: count_lo, count_hi_and_cancelled, MPI_SOURCE, MPI_TAG, MPI_ERROR",
        "  end type",
        "  integer(c_int), bind(C, name='MPIR_F08_MPI_BOTTOM'), asynchronous, target :: MPI_BOTTOM",
        "  integer(c_int), bind(C, name='MPIR_F08_MPI_IN_PLACE'), asynchronous, target :: MPI_IN_PLACE",
        "  type(MPI_Status), bind(C, name='MPIR_F08_MPI_STATUS_IGNORE_OBJ'), target :: MPI_STATUS_IGNORE",
        "  type(MPI_Status), bind(C, name='MPIR_F08_MPI_STATUSES_IGNORE_OBJ'), target :: MPI_STATUSES_IGNORE(1)",
    ]
    lines += [f"  interface operator({sign})\n" + "\n".join(
        f"    module procedure mpi_{handle.lower()}_{name}" for handle in HANDLES
    ) + "\n  end interface" for sign, name in (("==", "eq"), ("/=", "neq"))]  # fmt: skip
    lines.append("contains")
    for handle in HANDLES:
        for sign, name in (("==", "eq"), ("/=", "neq")):
            lines += [
                f"  elemental logical function mpi_{handle.lower()}_{name}(x, y)",
                f"    type(MPI_{handle}), intent(in) :: x, y",
                f"    mpi_{handle.lower()}_{name} = x%MPI_VAL {sign} y%MPI_VAL",
                "  end function",
            ]
    lines += ["end module", "module mpi_f08_link_constants", "  implicit none"]
    lines += ["  integer, target :: MPI_ERRCODES_IGNORE(1), MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)"]
    lines += ["  character(len=1), target :: MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1, 1)", "end module"]
    lines += ["module mpi_f08_callbacks", "  use mpi_f08_types", "  implicit none", "contains"]
    for name in SUBROUTINES[:9]:
        arguments = "object, keyval, attribute_val, extra_state, ierror"
        if not name.endswith("DELETE_FN"):
            arguments = "object, keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror"
        kind = {"COMM": "Comm", "TYPE": "Datatype", "WIN": "Win"}[name.partition("_")[0]]
        lines += [f"  subroutine MPI_{name}({arguments})", f"    type(MPI_{kind}) :: object"]
        lines += [f"    integer(MPI_ADDRESS_KIND) :: {each}" for each in arguments.split(", ")
                  if each.startswith(("attribute", "extra"))]  # fmt: skip
        lines += ["    logical :: flag"] if "flag" in arguments else []
        lines += ["    integer :: keyval, ierror", "    ierror = 0", "  end subroutine"]
    lines += ["end module", "module mpi_f08", "  use mpi_f08_types", "  use mpi_f08_link_constants"]
    lines += ["  use mpi_f08_callbacks", "  implicit none"]
    for name, (kind, value) in constants.items():
        if name in OWN:
            continue
        if kind in HANDLES:
            lines.append(f"  type(MPI_{kind}), parameter :: {name} = MPI_{kind}({number(value)})")
        else:
            lines.append(f"  integer{'(8)' if kind == 'Offset' else ''}, parameter :: {name} = {number(value)}")
    lines += [
        "  logical, parameter :: MPI_SUBARRAYS_SUPPORTED = .true., MPI_ASYNC_PROTECTS_NONBLOCKING = .true.",
        *interfaces(header),
    ]
    for name in ("Wtime", "Wtick"):
        lines += [f"  interface MPI_{name}", f"    double precision function mpi_{name.lower()}_f08()"]
        lines += ["    end function", "  end interface"]
    for name in ("add", "diff"):
        lines += [f"  interface MPI_Aint_{name}", f"    integer(8) function mpi_aint_{name}_f08(a, b)"]
        lines += ["      integer(8) :: a, b", "    end function", "  end interface"]
    lines.append("end module")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the files."""
    text = pathlib.Path(sys.argv[1]).read_text()
    header = re.sub(r"\n +", " ", text)
    folder = pathlib.Path(sys.argv[2])
    constants = constants_of(text)
    (folder / "mpif.h").write_text(mpif_h(constants))
    (folder / "mpi.f90").write_text(module_mpi())
    (folder / "mpi_f08.f90").write_text(module_f08(header, constants))


if __name__ == "__main__":
    main()
