"""Generator of the functions of another ABI that follow from the prototypes in mpi.h.

Usage: abi_functions.py MPI.H FOLDER (run by the build). It writes to the folder:

- abi_functions.cpp: for each function, such as MPI_Send, one with the parameters of the other ABI, abi_MPI_Send. It
  converts its arguments, calls pysmpi_MPI_Send, which is another name of the function in libmpi.so.12, and converts
  what that returns. The text is the same for all ABIs: conversions.hpp gives it its meaning.
- abi_names.ld: a linker script that gives each its names in the library: MPI_Send and PMPI_Send.
- openmpi_names.ld: the names that persistent collectives have in Open MPI 4, such as MPIX_Bcast_init.
- standard_names.ld: the names of the functions that only the standard's ABI has.

Functions in `BY_HAND` are in by_hand.cpp and callbacks.cpp.
"""

import pathlib
import re
import sys
from dataclasses import replace

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "fortran"), str(HERE.parent / "mpi")]
from default_functions import COUNT, LARGE, OF_MPICH  # noqa: E402
from fortran_functions import SMALL, Parameter, parameters_of  # noqa: E402

PROTOTYPE = re.compile(r"^(\w+) (MPI_\w+)\(([^.]*?)\);$", re.M)
HANDLES = {"Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win"}
BY_HAND = re.compile(r"""
    MPI_(Comm|Type|Win)_create_keyval | MPI_Keyval_create | MPI_(Comm|Win)_get_attr | MPI_Attr_get
    | MPI_(Comm|File|Session|Win)_create_errhandler | MPI_Errhandler_create
    | MPI_Op_create(_c)? | MPI_Grequest_start | MPI_Register_datarep(_c)?
    | MPI_Get_version | MPI_Get_library_version | MPI_Group_translate_ranks | MPI_Comm_spawn_multiple
    | MPI_Status_(c2f|f2c|c2f08|f082c|f2f08|f082f)
    """, re.X)  # fmt: skip
# Functions that take the handles to which their parameters point. Others only give them.
TAKES_HANDLES = re.compile(
    r"_(free|disconnect|close|finalize)$|MPI_(Wait|Test|Start|Cancel|Request_get_status|Mrecv|Imrecv|Type_commit)"
)
VALUES_IN = {
    **dict.fromkeys(("dest", "source", "rank", "root", "target_rank", "local_leader", "remote_leader"), "own_rank({})"),
    **dict.fromkeys(("tag", "sendtag", "recvtag"), "own_tag({})"),
    **dict.fromkeys(("errorcode", "errorclass", "error"), "own_error({})"),
    **dict.fromkeys(("keyval", "comm_keyval", "type_keyval", "win_keyval"), "own_key({})"),
    "order": "own_value(kOrders, {})",
    "lock_type": "own_value(kLocks, {})",
    "assert": "own_bits(kAssertions, {})",
    "amode": "own_bits(kAccessModes, {})",
    "whence": "own_value(kWhence, {})",
    "required": "own_value(kThreadLevels, {})",
    "split_type": "own_split_type({})",
    "typeclass": "own_value(kTypeClasses, {})",
}
# Values at addresses that functions write.
VALUES_OUT = {
    **dict.fromkeys(("source", "rank_source", "rank_dest"), "their_rank"),
    "tag": "their_tag",
    **dict.fromkeys(("errorcode", "errorclass", "error"), "their_error"),
    "combiner": "their_combiner",
    "amode": "their_access_mode",
    "result": "their_comparison",
    "provided": "their_thread_level",
    "status": "their_topology",
}
KEYS = {"keyval", "comm_keyval", "type_keyval", "win_keyval"}
TEXTS = {
    "string": "MPI_MAX_ERROR_STRING, kMaxErrorString",
    "comm_name": "MPI_MAX_OBJECT_NAME, kMaxObjectName",
    "type_name": "MPI_MAX_OBJECT_NAME, kMaxObjectName",
    "win_name": "MPI_MAX_OBJECT_NAME, kMaxObjectName",
    "key": "MPI_MAX_INFO_KEY + 1, kMaxInfoKey",
}
ATTACHED = re.compile(r"MPI_(Buffer|Comm|Session)_(attach|detach)")
NO_BUFFER = {"baseptr", "base_ptr", "extra_state", "attribute_val", "base", "location", "buffer_addr"}
WEIGHTS = {"sourceweights", "destweights", "weights"}
# Functions of one form in MPI 4, with a large count, and of two in MPI 5.
COUNTS = {"MPI_Count": "PartitionedCount"}
PARTITIONED = ("MPI_Psend_init", "MPI_Precv_init")
NOTE = "Written by abi_functions.py; do not edit."


class Function:
    """One function of the ABI.

    Args:
        result: its type in mpi.h.
        name: its name.
        parameters: those in mpi.h.
    """

    def __init__(self, result: str, name: str, parameters: list[Parameter]) -> None:
        self.result = result
        self.name = name
        self.parameters = parameters
        self.declared: list[str] = []
        self.before: list[str] = []
        self.arguments: list[str] = []
        self.after: list[str] = []  # in any case
        self.after_success: list[str] = []
        for each in parameters:
            self._convert(each)

    def _convert(self, each: Parameter) -> None:
        name = each.name
        base = each.type.removeprefix("const ").removesuffix("*")
        handle = base.removeprefix("MPI_")
        constant = "const " if each.type.startswith("const ") else ""
        if handle in HANDLES and not each.dims and not each.type.endswith("*"):
            self._add(f"{handle} {name}", f"own({name})")
        elif handle in HANDLES and each.dims:
            self._handles(handle, name, constant)
        elif handle in HANDLES:
            taken = f", Changed<{handle}>::Taken{{}}" if TAKES_HANDLES.search(self.name) else ""
            self.before.append(f"Changed<{handle}> own_{name}({name}{taken});")
            self._add(f"{handle}* {name}", f"own_{name}.pointer()")
            (self.after if taken else self.after_success).append(f"own_{name}.store();")
        elif base == "MPI_Status" and name.startswith("array"):
            self.before.append(f"ChangedStatuses own_{name}({name}, {self.parameters[0].name});")
            self._add(f"Status* {name}", f"own_{name}.pointer()")
            self.after.append(f"own_{name}.store({name});")
        elif base == "MPI_Status":
            self.before.append(f"ChangedStatus own_{name}({name});")
            self._add(f"{constant}Status* {name}", f"own_{name}.pointer()")
            self.after.append(f"own_{name}.store({name});")
        elif each.type in ("void*", "const void*"):
            self._memory(each)
        elif each.type == "char*" and not each.dims:
            self._text(name)
        elif name in WEIGHTS and each.dims:
            self._add(f"{each.type} {name}{each.dims}", f"own_weights({name})")
        elif each.type == "int" and not each.dims:
            # The code of MPI_Abort is an exit status.
            convert = "{}" if self.name == "MPI_Abort" else VALUES_IN.get(name, "{}")
            self._add(f"int {name}", convert.format(name))
        elif each.type == "int*" and name in KEYS:
            self.before.append(f"int own_{name} = own_key(*{name});")
            self._add(f"int* {name}", f"&own_{name}")
            self.after_success.append(f"*{name} = their_key(own_{name});")
        elif each.type == "int*" and name in VALUES_OUT:
            self._add(f"int* {name}", name)
            self.after_success.append(f"*{name} = {VALUES_OUT[name]}(*{name});")
        elif name == "array_of_distribs":
            self._array(name, "own_distribution", "ndims")
        elif name == "array_of_dargs":
            self._array(name, "own_darg", "ndims")
        elif name == "disp" and each.type == "MPI_Offset":
            self._add(f"MPI_Offset {name}", f"own_displacement({name})")
        else:
            self._add(f"{each.type} {name}{each.dims}", name)
            if name == "array_of_integers":
                large = "true" if self.name.endswith("_c") else "false"
                self.after_success.append(f"restore_contents(own(datatype), {large}, {name});")

    def _add(self, declared: str, argument: str) -> None:
        self.declared.append(declared)
        self.arguments.append(argument)

    def _array(self, name: str, convert: str, count: str) -> None:
        self.before.append(f"Converted<int, {convert}> own_{name}({name}, {count});")
        self._add(f"const int {name}[]", f"own_{name}.pointer()")

    def _handles(self, handle: str, name: str, constant: str) -> None:
        """Convert an array of handles."""
        blocks = "blocks_of_neighbours" if "neighbor" in self.name.lower() else "blocks_of_all"
        if name == "sendtypes":
            self.before.append(f"const Blocks blocks = {blocks}(own(comm));")
        count = {
            "sendtypes": "own_buffer(sendbuf) == MPI_IN_PLACE ? 0 : blocks.sent",
            "recvtypes": "blocks.received",
            "array_of_datatypes": "0",
        }.get(name, self.parameters[0].name)
        if name == "array_of_datatypes":  # of MPI_Type_get_contents, which gives them
            self.before.append(f"std::vector<int> own_{name}(max_datatypes);")
            self._add(f"{handle} {name}[]", f"own_{name}.data()")
            store = f"if (own_{name}[i]) {name}[i] = theirs<{handle}>(own_{name}[i]);"
            self.after_success.append(f"for (std::size_t i = 0; i < own_{name}.size(); ++i) {store}")
            return
        self.before.append(f"Handles<{handle}> own_{name}({name}, static_cast<int>({count}));")
        self._add(f"{constant}{handle} {name}[]", f"own_{name}.pointer()")
        if not constant and TAKES_HANDLES.search(self.name):
            self.after.append(f"own_{name}.store({name});")

    def _memory(self, each: Parameter) -> None:
        name = each.name
        if ATTACHED.match(self.name) and name == "buffer":
            self._add(f"{each.type} {name}", f"own_attached({name})")
        elif name in NO_BUFFER:
            self._add(f"{each.type} {name}", name)
            if name == "buffer_addr":
                self.after_success.append(f"restore_attached({name});")
        else:
            self._add(f"{each.type} {name}", f"own_buffer({name})")

    def _text(self, name: str) -> None:
        if name not in TEXTS:  # with a length that the program gives, or no longer than in this ABI
            self._add(f"char* {name}", name)
            return
        length = "resultlen" if any(each.name == "resultlen" for each in self.parameters) else ""
        self.before.append(f"ChangedText<{TEXTS[name]}> own_{name}({name});")
        self._add(f"char* {name}", f"own_{name}.pointer()")
        self.after_success.append(f"own_{name}.store({length});")

    def text(self) -> str:
        """Return the definition."""
        called = self.name.removesuffix("_c") if self.name.startswith(PARTITIONED) else self.name
        call = f"pysmpi_{called}({', '.join(self.arguments)})"
        kind = self.result.removeprefix("MPI_")
        if kind in HANDLES:
            head, body = kind, [f"return theirs<{kind}>({call});"]
        elif self.result != "int" or self.name.endswith("_toint"):
            head, body = self.result, [f"return {call};"]
        else:
            head = "int"
            body = [*self.before, f"const int code = {call};", *self.after]
            if self.after_success:
                body.append("if (code == MPI_SUCCESS) {")
                body += [f"  {line}" for line in self.after_success]
                body.append("}")
            body.append("return their_error(code);")
        lines = "".join(f"  {line}\n" for line in body)
        return (
            f"decltype({called}) pysmpi_{called};\n{head} abi_{self.name}({', '.join(self.declared)}) {{\n{lines}}}\n"
        )


def prototypes(header: str) -> list[tuple[str, str, list[Parameter]]]:
    """Return result, name and parameters of all functions, forms for large counts among them."""
    found = []
    for result, name, text in PROTOTYPE.findall(header):
        small = parameters_of(COUNT.sub(lambda match: SMALL[match[1]], text))
        large = parameters_of(COUNT.sub(lambda match: LARGE[match[1]], text))
        found.append((result, name, small))
        if small != large:
            found.append((result, f"{name}_c", large))
        elif name in PARTITIONED:
            found[-1] = (result, name, [replace(each, type=COUNTS.get(each.type, each.type)) for each in small])
            found.append((result, f"{name}_c", small))
    return found


def main() -> None:
    """Write the files."""
    header = re.sub(r"\n +", " ", pathlib.Path(sys.argv[1]).read_text())
    folder = pathlib.Path(sys.argv[2])
    functions = [each for each in prototypes(header) if not BY_HAND.fullmatch(each[1])]
    names = [name for _, name, _ in functions]
    text = "".join(Function(*each).text() for each in functions)
    for name in OF_MPICH.split():  # refused by name when they are called
        if name.startswith("MPI_T_"):
            text += f"int pysmpi_{name}(void);\nint abi_{name}(void) {{ return their_error(pysmpi_{name}()); }}\n"
            names.append(name)
    (folder / "abi_functions.cpp").write_text(
        f'// {NOTE}\n#include "abi/conversions.hpp"\n\nusing namespace pysmpi::abi;\n\nextern "C" {{\n{text}}}\n'
    )
    for file in ("by_hand.cpp", "callbacks.cpp"):
        names += defined_in(file)
    (folder / "abi_names.ld").write_text("".join(map(both_names, dict.fromkeys(names))))
    (folder / "standard_names.ld").write_text("".join(map(both_names, defined_in("standard_functions.cpp"))))
    collectives = [name for _, name, parameters in functions if is_persistent_collective(name, parameters)]
    lines = (both_names(name, name.replace("MPI_", "MPIX_")) for name in collectives)
    (folder / "openmpi_names.ld").write_text("".join(lines))


def defined_in(file: str) -> list[str]:
    """Return the functions that a file of this folder defines."""
    return re.findall(r"\babi_(MPI_\w+)\([^;]*?\) \{", (HERE / file).read_text())


def both_names(name: str, exported: str | None = None) -> str:
    """Return the lines of the linker script for a function, whose name in the library may be another one."""
    exported = exported or name
    return f"-Wl,--defsym={exported}=abi_{name}\n-Wl,--defsym=P{exported}=abi_{name}\n"


def is_persistent_collective(name: str, parameters: list[Parameter]) -> bool:
    """Return whether a function makes a persistent collective request."""
    has = {each.name for each in parameters}
    return name.endswith("_init") and "info" in has and "partitions" not in has


if __name__ == "__main__":
    main()
