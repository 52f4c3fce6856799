"""Generator of the Fortran functions that follow from the prototypes in mpi.h.

Usage: fortran_functions.py MPI.H FOLDER (run by the build). It writes to the folder:

- fortran_functions.cpp: for each function of C, such as MPI_Send, the ones that Fortran programs call, with the names
  and parameters that MPICH gives them:

  mpi_send_             of ``mpif.h`` and ``use mpi``; also mpi_comm_rank_f08_, because functions without buffers are
                        the same in ``use mpi_f08``
  mpi_send_f08ts_       of ``use mpi_f08``, whose buffers are descriptors of arrays (TS 29113)
  mpi_send_f08ts_large_ the same with counts of 64 bits; mpi_get_count_f08_large_ without buffers

- fortran_names.ld: a linker script that gives every function its second name, pmpi_…

Functions in `BY_HAND` are in by_hand.cpp and attributes.cpp, because their parameters differ from those of C.
"""

import pathlib
import re
import sys
from dataclasses import dataclass

PROTOTYPE = re.compile(r"^int (MPI_\w+)\(([^.]*?)\);$", re.M)
PARAMETER = re.compile(r"(?P<type>.*?)(?P<name>\w+)(?P<dims>(?:\[\d*\])*)$")
LARGE = {"IntOrCount": "MPI_Count", "IntOrAint": "MPI_Aint", "AintOrCount": "MPI_Count"}
SMALL = {"IntOrCount": "int", "IntOrAint": "int", "AintOrCount": "MPI_Aint"}
COUNT = re.compile(rf"\b({'|'.join(LARGE)})\b")
# Functions without a Fortran form of these names, or with one written by hand.
ONLY_C = re.compile(r"MPI_\w+_(c2f|f2c|fromint|toint|c2f08|f082c)$|MPI_\w+_c$|MPI_Status_(f2f08|f082f)$|MPI_T_")
BY_HAND = {
    "MPI_Init",
    "MPI_Init_thread",
    "MPI_Comm_create_keyval",
    "MPI_Type_create_keyval",
    "MPI_Win_create_keyval",
    "MPI_Comm_set_attr",
    "MPI_Comm_get_attr",
    "MPI_Type_set_attr",
    "MPI_Type_get_attr",
    "MPI_Win_set_attr",
    "MPI_Win_get_attr",
    "MPI_Keyval_create",
    "MPI_Attr_put",
    "MPI_Attr_get",
    "MPI_Address",
    "MPI_Type_struct",
    "MPI_Type_hindexed",
    "MPI_Type_hvector",
    "MPI_Type_extent",
    "MPI_Type_lb",
    "MPI_Type_ub",
    "MPI_Comm_spawn",
    "MPI_Comm_spawn_multiple",
    "MPI_Grequest_start",
    "MPI_Register_datarep",
    "MPI_Info_create_env",
    "MPI_Buffer_detach",
    "MPI_Comm_detach_buffer",
    "MPI_Session_detach_buffer",
}
LOGICAL_OUT = {"flag", "commute"}
LOGICAL_IN = {"reorder", "high"}
LOGICAL_ARRAYS = {"periods", "remain_dims"}
INDEX_OUT = {"indx", "index"}
INDICES_OUT = {"array_of_indices"}
NO_BUFFER = {"baseptr", "extra_state", "attribute_val", "base_ptr"}
NOTE = "Written by fortran_functions.py; do not edit."


@dataclass(frozen=True)
class Parameter:
    """Parameter of a function of C: its type without spaces at the end, its name, and its dimensions."""

    type: str
    name: str
    dims: str

    @property
    def is_buffer(self) -> bool:
        """True for a buffer of any type."""
        return self.type in ("void*", "const void*") and self.name not in NO_BUFFER

    @property
    def is_text(self) -> bool:
        """True for a text, whose length is a further argument."""
        return self.type in ("const char*", "char*") or (self.type == "const char" and self.dims == "[]")


def parameters_of(text: str) -> list[Parameter]:
    """Return the parameters in a prototype."""
    if text == "void":
        return []
    found = []
    for part in text.split(", "):
        match = PARAMETER.match(part)
        assert match, part
        found.append(Parameter(match["type"].strip(), match["name"], match["dims"]))
    return found


class Function:
    """One Fortran function.

    Args:
        name: name of the function of C that it calls.
        parameters: the parameters of that.
        descriptors: whether buffers are descriptors of arrays.
    """

    def __init__(self, name: str, parameters: list[Parameter], *, descriptors: bool) -> None:
        self.name = name
        self.parameters = parameters
        self.descriptors = descriptors
        self.declared: list[str] = []  # parameters of the Fortran function
        self.lengths: list[str] = []  # lengths of texts, which follow all other parameters
        self.before: list[str] = []
        self.arguments: list[str] = []
        self.after: list[str] = []
        has_operation = any(each.type == "MPI_Op" for each in parameters)
        skip = 0
        for number, each in enumerate(parameters):
            if skip:
                skip -= 1
                continue
            rest = parameters[number + 1 : number + 3]
            sized = [(part.type in ("int", "MPI_Count", "MPI_Datatype"), part.dims) for part in rest] == [
                (True, "")
            ] * 2
            sized = sized and rest[1].type == "MPI_Datatype"
            if each.is_buffer and descriptors and sized and not has_operation:
                self._section(each, *rest)
                skip = 2
            else:
                self._convert(each)

    def _section(self, buffer: Parameter, count: Parameter, datatype: Parameter) -> None:
        """Convert a buffer with its count and datatype: a section of an array may need another datatype."""
        self.declared += [f"const ArrayDescriptor* {buffer.name}", f"const {count.type}* {count.name}"]
        self.declared.append(f"const MPI_Fint* {datatype.name}")
        section = f"section_{buffer.name}"
        self.before.append(f"const Section {section}({buffer.name}, *{count.name}, *{datatype.name});")
        self.arguments += [f"{section}.address", f"static_cast<{count.type}>({section}.count)", f"{section}.datatype"]

    def _convert(self, each: Parameter) -> None:
        name, kind = each.name, each.type
        if each.is_buffer and self.descriptors:
            self.declared.append(f"const ArrayDescriptor* {name}")
            self.arguments.append(f"pysmpi::whole({name})")
        elif each.is_buffer:
            self.declared.append(f"void* {name}")
            self.arguments.append(f"pysmpi::buffer({name})")
        elif each.is_text:
            self._text(each)
        elif name in LOGICAL_OUT and kind == "int*":
            self._changed("MPI_Fint", name, "int", "0", "logical({})")
        elif name in INDEX_OUT and kind == "int*":
            self._changed("MPI_Fint", name, "int", "0", "fortran_index({})")
        elif name in INDICES_OUT:
            self.declared.append(f"MPI_Fint* {name}")
            self.arguments.append(name)
            self.after.append(f"to_fortran_indices({name}, *outcount);")
        elif name in LOGICAL_ARRAYS and each.dims:
            self.declared.append(f"MPI_Fint* {name}")
            self.arguments.append(name)
        elif name in LOGICAL_IN and not each.dims and kind == "int":
            self.declared.append(f"const MPI_Fint* {name}")
            self.arguments.append(f"*{name} != 0")
        elif kind == "MPI_File":
            self.declared.append(f"const MPI_Fint* {name}")
            self.arguments.append(f"MPI_File_f2c(*{name})")
        elif kind == "MPI_File*":
            self._changed("MPI_Fint", name, "MPI_File", "MPI_File_f2c(*{})", "MPI_File_c2f({})")
        elif kind in ("MPI_Status*", "const MPI_Status*") or (kind == "MPI_Status" and each.dims):
            convert = "statuses" if name.startswith("array") or each.dims else "status_at"
            self.declared.append(f"void* {name}")
            self.arguments.append(f"{convert}({name})")
        elif name in ("sourceweights", "destweights", "weights"):
            self.declared.append(f"MPI_Fint* {name}")
            self.arguments.append(f"weights_at({name})")
        elif kind.endswith(("_function*", "_function_c*")):
            self.declared.append(f"{kind} {name}")
            self.arguments.append(name)
        elif each.dims or kind.endswith("*"):
            base = kind.removeprefix("const ")
            pointer = f"{base}*" if each.dims in ("[]", "") and each.dims else base
            if each.dims == "[][3]":
                self.declared.append(f"{base} (*{name})[3]")
            else:
                self.declared.append(f"{pointer} {name}")
            self.arguments.append(name)
        else:
            self.declared.append(f"const {kind}* {name}")
            self.arguments.append(f"*{name}")

    def _text(self, each: Parameter) -> None:
        self.lengths.append(f"std::size_t {each.name}_length")
        self.declared.append(f"{'char' if each.type == 'char*' else 'const char'}* {each.name}")
        if each.type == "char*":
            self.before.append(f"OutText text_{each.name}({each.name}, {each.name}_length);")
            self.arguments.append(f"text_{each.name}.begin()")
        else:
            self.before.append(f"const InText text_{each.name}({each.name}, {each.name}_length);")
            self.arguments.append(f"text_{each.name}.begin()")

    def _changed(self, kind: str, name: str, own: str, begin: str, end: str) -> None:
        """Convert a value that the function changes."""
        self.declared.append(f"{kind}* {name}")
        self.before.append(f"{own} own_{name} = {begin.format(name)};")
        self.arguments.append(f"&own_{name}")
        self.after.append(f"*{name} = {end.format(f'own_{name}')};")

    def text(self, symbol: str) -> str:
        """Return the definition, under a symbol."""
        declared = ", ".join([*self.declared, "MPI_Fint* ierror", *self.lengths])
        call = f"{self.name}({', '.join(self.arguments)})"
        body = [*self.before, f"const int code = {call};"]
        body += [f"if (code == MPI_SUCCESS) {{ {' '.join(self.after)} }}"] if self.after else []
        body.append("return_code(ierror, code);")
        return f"void {symbol}({declared}) {{\n  " + "\n  ".join(body) + "\n}\n"


def main() -> None:
    """Write the files."""
    header = re.sub(r"\n +", " ", pathlib.Path(sys.argv[1]).read_text())
    folder = pathlib.Path(sys.argv[2])
    definitions, symbols = [], []
    for name, text in PROTOTYPE.findall(header):
        if ONLY_C.search(name) or name in BY_HAND:
            continue
        small = parameters_of(COUNT.sub(lambda match: SMALL[match[1]], text))
        large = parameters_of(COUNT.sub(lambda match: LARGE[match[1]], text))
        low = name.lower()
        has_buffers = any(each.is_buffer for each in small)
        definitions.append(Function(name, small, descriptors=False).text(f"{low}_"))
        symbols.append(f"{low}_")
        if has_buffers:
            definitions.append(Function(name, small, descriptors=True).text(f"{low}_f08ts_"))
            symbols.append(f"{low}_f08ts_")
        else:
            definitions.append(f"SAME({low}_f08_, {low}_)\n")
            symbols.append(f"{low}_f08_")
        if small != large:
            symbol = f"{low}_f08ts_large_" if has_buffers else f"{low}_f08_large_"
            definitions.append(Function(f"{name}_c", large, descriptors=True).text(symbol))
            symbols.append(symbol)
    (folder / "fortran_functions.cpp").write_text(
        f'// {NOTE}\n#include "fortran/conversions.hpp"\n\nusing namespace pysmpi;\n\nextern "C" {{\n'
        + "".join(definitions)
        + "}\n"
    )
    hand = re.findall(r"^(?:void|double|MPI_Aint) (mpi_\w+_)\(|^SAME\((\w+),", "".join(
        path.read_text() for path in sorted(pathlib.Path(__file__).parent.glob("*.cpp"))
    ), re.M)  # fmt: skip
    symbols += [first or second for first, second in hand]
    names = "".join(f"-Wl,--defsym=p{symbol}={symbol}\n" for symbol in symbols)
    (folder / "fortran_names.ld").write_text(names)


if __name__ == "__main__":
    main()
