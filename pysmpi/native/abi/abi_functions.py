"""Generator of the functions of another ABI that follow from the prototypes in mpi.h.

Usage: abi_functions.py MPI.H FOLDER (run by the build). It writes to the folder:

- abi_functions.cpp: for each function, such as MPI_Send, one with the parameters of the other ABI, abi_MPI_Send. It
  converts its arguments, calls pysmpi_MPI_Send, which is another name of the function in libmpi.so.12, and converts
  what that returns. This source is the same for all ABIs: conversions.hpp and the ABI's header define the conversions.
- abi_names.txt: options of the linker that export each function as MPI_Send and PMPI_Send.
- openmpi_names.txt: those for the names that persistent collectives have in Open MPI 4, such as MPIX_Bcast_init.
- standard_names.txt: those for the functions that only the standard's ABI has.

Functions that match `BY_HAND` are in by_hand.cpp and callbacks.cpp.
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
# Functions whose pointers to handles are input and output. In other functions they are output.
TAKES_HANDLES = re.compile(
    r"_(free|disconnect|close|finalize)$|MPI_(Wait|Test|Start|Cancel|Request_get_status|Mrecv|Imrecv|Type_commit)"
)
VALUES_IN = {
    **dict.fromkeys(
        ("dest", "source", "rank", "root", "target_rank", "local_leader", "remote_leader"), "internal_rank({})"
    ),
    **dict.fromkeys(("tag", "sendtag", "recvtag"), "internal_tag({})"),
    **dict.fromkeys(("errorcode", "errorclass", "error"), "internal_error({})"),
    **dict.fromkeys(("keyval", "comm_keyval", "type_keyval", "win_keyval"), "internal_key({})"),
    "order": "internal_value(kOrders, {})",
    "lock_type": "internal_value(kLocks, {})",
    "assert": "internal_bits(kAssertions, {})",
    "amode": "internal_bits(kAccessModes, {})",
    "whence": "internal_value(kWhence, {})",
    "required": "internal_value(kThreadLevels, {})",
    "split_type": "internal_split_type({})",
    "typeclass": "internal_value(kTypeClasses, {})",
}
# Values at addresses that functions write.
VALUES_OUT = {
    **dict.fromkeys(("source", "rank_source", "rank_dest"), "program_rank"),
    "tag": "program_tag",
    **dict.fromkeys(("errorcode", "errorclass", "error"), "program_error"),
    "combiner": "program_combiner",
    "amode": "program_access_mode",
    "result": "program_comparison",
    "provided": "program_thread_level",
    "status": "program_topology",
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
# Functions of one form, with MPI_Count, in MPI 4. In MPI 5 one form has int and another, …_c, has MPI_Count.
PARTITIONED_COUNTS = {"MPI_Count": "PartitionedCount"}
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
            self._add(f"{handle} {name}", f"internal({name})")
        elif handle in HANDLES and each.dims:
            self._handles(handle, name, constant)
        elif handle in HANDLES:
            taken = f", HandleArgument<{handle}>::Input{{}}" if TAKES_HANDLES.search(self.name) else ""
            self.before.append(f"HandleArgument<{handle}> internal_{name}({name}{taken});")
            self._add(f"{handle}* {name}", f"internal_{name}.pointer()")
            (self.after if taken else self.after_success).append(f"internal_{name}.store();")
        elif base == "MPI_Status" and name.startswith("array"):
            self.before.append(f"StatusArray internal_{name}({name}, {self.parameters[0].name});")
            self._add(f"Status* {name}", f"internal_{name}.pointer()")
            written = (
                "*outcount" if any(each.name == "outcount" for each in self.parameters) else self.parameters[0].name
            )
            self.after.append(f"internal_{name}.store({name}, {written});")
        elif base == "MPI_Status":
            taken = ", StatusArgument::Input{}" if constant or self.name.startswith("MPI_Status_set") else ""
            self.before.append(f"StatusArgument internal_{name}({name}{taken});")
            self._add(f"{constant}Status* {name}", f"internal_{name}.pointer()")
            if not constant:
                self.after.append(f"internal_{name}.store({name});")
        elif each.type in ("void*", "const void*"):
            self._memory(each)
        elif each.type == "char*" and not each.dims:
            self._text(name)
        elif name in WEIGHTS and each.dims:
            self._add(f"{each.type} {name}{each.dims}", f"internal_weights({name})")
        elif each.type == "int" and not each.dims:
            # The code of MPI_Abort is an exit status.
            convert = "{}" if self.name == "MPI_Abort" else VALUES_IN.get(name, "{}")
            self._add(f"int {name}", convert.format(name))
        elif each.type == "int*" and name in KEYS:
            self.before.append(f"int internal_{name} = internal_key(*{name});")
            self._add(f"int* {name}", f"&internal_{name}")
            self.after_success.append(f"*{name} = program_key(internal_{name});")
        elif each.type == "int*" and name in VALUES_OUT:
            self._add(f"int* {name}", name)
            self.after_success.append(f"*{name} = {VALUES_OUT[name]}(*{name});")
        elif name == "array_of_distribs":
            self._array(name, "internal_distribution", "ndims")
        elif name == "array_of_dargs":
            self._array(name, "internal_darg", "ndims")
        elif name == "array_of_errcodes":
            self._add(f"int {name}[]", name)
            self.after_success.append(f"if (is_root(internal(comm), root)) program_errors({name}, maxprocs);")
        elif name == "disp" and each.type == "MPI_Offset":
            self._add(f"MPI_Offset {name}", f"internal_displacement({name})")
        else:
            self._add(f"{each.type} {name}{each.dims}", name)
            if name == "array_of_integers":
                self.after_success.append(f"program_contents(internal(datatype), {name});")

    def _add(self, declared: str, argument: str) -> None:
        self.declared.append(declared)
        self.arguments.append(argument)

    def _array(self, name: str, convert: str, count: str) -> None:
        self.before.append(f"IntegerArray<{convert}> internal_{name}({name}, {count});")
        self._add(f"const int {name}[]", f"internal_{name}.pointer()")

    def _handles(self, handle: str, name: str, constant: str) -> None:
        """Convert an array of handles."""
        blocks = "blocks_of_neighbours" if "neighbor" in self.name.lower() else "blocks_of_all"
        if name == "sendtypes":
            self.before.append(f"const Blocks blocks = {blocks}(internal(comm));")
        count = {
            "sendtypes": "internal_buffer(sendbuf) == MPI_IN_PLACE ? 0 : blocks.sent",
            "recvtypes": "blocks.received",
            "array_of_datatypes": "0",
        }.get(name, self.parameters[0].name)
        if name == "array_of_datatypes":  # of MPI_Type_get_contents, which gives them
            self.before.append(f"std::vector<int> internal_{name}(std::max<std::int64_t>(0, max_datatypes));")
            self._add(f"{handle} {name}[]", f"internal_{name}.data()")
            store = f"if (internal_{name}[i]) {name}[i] = program_handle<{handle}>(internal_{name}[i]);"
            self.after_success.append(f"for (std::size_t i = 0; i < internal_{name}.size(); ++i) {store}")
            return
        self.before.append(f"HandleArray<{handle}> internal_{name}({name}, static_cast<int>({count}));")
        self._add(f"{constant}{handle} {name}[]", f"internal_{name}.pointer()")
        if not constant and TAKES_HANDLES.search(self.name):
            self.after.append(f"internal_{name}.store({name});")

    def _memory(self, each: Parameter) -> None:
        name = each.name
        if ATTACHED.match(self.name) and name == "buffer":
            self._add(f"{each.type} {name}", f"internal_attached({name})")
        elif name in NO_BUFFER:
            self._add(f"{each.type} {name}", name)
            if name == "buffer_addr":
                self.after_success.append(f"program_attached({name});")
        else:
            self._add(f"{each.type} {name}", f"internal_buffer({name})")

    def _text(self, name: str) -> None:
        if name not in TEXTS:  # the program gives the length, or its buffer is not smaller than that of mpi.h
            self._add(f"char* {name}", name)
            return
        length = "resultlen" if any(each.name == "resultlen" for each in self.parameters) else ""
        self.before.append(f"TextArgument<{TEXTS[name]}> internal_{name}({name});")
        self._add(f"char* {name}", f"internal_{name}.pointer()")
        self.after_success.append(f"internal_{name}.store({length});")

    def text(self) -> str:
        """Return the definition."""
        called = self.name.removesuffix("_c") if self.name.startswith(PARTITIONED) else self.name
        call = f"pysmpi_{called}({', '.join(self.arguments)})"
        kind = self.result.removeprefix("MPI_")
        if self.name.endswith("_toint"):
            head, body = "int", [f"return integer_of({self.parameters[0].name});"]
        elif kind in HANDLES:
            head, body = kind, [f"return program_handle<{kind}>({call});"]
        elif self.result != "int":
            head, body = self.result, [f"return {call};"]
        else:
            head = "int"
            body = [*self.before, f"const int code = {call};", *self.after]
            if self.after_success:
                body.append("if (code == MPI_SUCCESS) {")
                body += [f"  {line}" for line in self.after_success]
                body.append("}")
            body.append("return program_error(code);")
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
            found[-1] = (
                result,
                name,
                [replace(each, type=PARTITIONED_COUNTS.get(each.type, each.type)) for each in small],
            )
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
            text += f"int pysmpi_{name}(void);\nint abi_{name}(void) {{ return program_error(pysmpi_{name}()); }}\n"
            names.append(name)
    (folder / "abi_functions.cpp").write_text(
        f'// {NOTE}\n#include "abi/conversions.hpp"\n\nusing namespace pysmpi::abi;\n\nextern "C" {{\n{text}}}\n'
    )
    for file in ("by_hand.cpp", "callbacks.cpp"):
        names += defined_in(file)
    (folder / "abi_names.txt").write_text("".join(map(both_names, dict.fromkeys(names))))
    (folder / "standard_names.txt").write_text("".join(map(both_names, defined_in("standard_functions.cpp"))))
    collectives = [name for _, name, parameters in functions if is_persistent_collective(name, parameters)]
    lines = (both_names(name, name.replace("MPI_", "MPIX_")) for name in collectives)
    (folder / "openmpi_names.txt").write_text("".join(lines))


def defined_in(file: str) -> list[str]:
    """Return the functions that a file of this folder defines."""
    return re.findall(r"\babi_(MPI_\w+)\([^;]*?\) \{", (HERE / file).read_text())


def both_names(name: str, exported: str | None = None) -> str:
    """Return the options that export a function, under another name if `exported` is given."""
    exported = exported or name
    return f"-Wl,--defsym={exported}=abi_{name}\n-Wl,--defsym=P{exported}=abi_{name}\n"


def is_persistent_collective(name: str, parameters: list[Parameter]) -> bool:
    """Return whether a function makes a persistent collective request."""
    has = {each.name for each in parameters}
    return name.endswith("_init") and {"info", "request"} <= has and "partitions" not in has


if __name__ == "__main__":
    main()
