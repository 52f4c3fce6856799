"""Writes the C++ source of every MPI function that no file of native code defines: a weak definition for each.

Usage: default_functions.py MPI.H OUTPUT.cpp OUTPUT.ld (run by the build). A definition elsewhere takes the place of the
weak one when libmpi.so.12 is linked. The weak one calls the function that Python implements under that name; if there
is none, it fails with MPI_ERR_UNSUPPORTED_OPERATION: nothing pretends to succeed.

The second output is for the linker, which gives every function its second name, PMPI_…, that profiling libraries call
(MPI 4.1, section 15.2).
"""

import pathlib
import re
import sys

PROTOTYPE = re.compile(r"^int (MPI_\w+)\(([^.]*?)\);$", re.M)  # functions with "..." are defined by hand
FUNCTION = re.compile(r"^\w+ (MPI_\w+)\(", re.M)
PARAMETER = re.compile(r"(\w+)(?:\[\d*\])*$")
HEAD = """// Written by default_functions.py; do not edit.
#include "default_function.hpp"

#define DEFAULT __attribute__((weak))

extern "C" {
"""


def definition(name: str, parameters: str) -> str:
    """The weak definition of one function."""
    names = [match[1] for match in map(PARAMETER.search, parameters.split(", ")) if match and match[1] != "void"]
    communicator = re.search(r"(?:^|, )MPI_Comm (\w+)", parameters)
    arguments = [f'"{name}"', communicator[1] if communicator else "pysmpi::kNoCommunicator", *names]
    return (
        f"DEFAULT int {name}({parameters}) {{\n"
        f'  static const pysmpi::PythonFunction& function = pysmpi::python_function("{name}");\n'
        f"  return pysmpi::call_python<decltype({name})>(function, {', '.join(arguments)});\n"
        "}\n"
    )


def main() -> None:
    """Write the files named second and third on the command line from the header named first."""
    header = re.sub(r"\n +", " ", pathlib.Path(sys.argv[1]).read_text())  # long prototypes stand on several lines
    body = "".join(definition(name, parameters) for name, parameters in PROTOTYPE.findall(header))
    pathlib.Path(sys.argv[2]).write_text(HEAD + body + "}\n")
    names = (f"-Wl,--defsym=P{name}={name}\n" for name in FUNCTION.findall(header))
    pathlib.Path(sys.argv[3]).write_text("".join(names))


if __name__ == "__main__":
    main()
