"""Writes the C++ source of every MPI function that no file of native code defines: a weak definition for each.

Usage: default_functions.py MPI.H OUTPUT.cpp (run by the build). A definition elsewhere takes the place of the weak one
when libmpi.so.12 is linked. The weak one calls the function that Python implements under that name; if there is none,
it fails with MPI_ERR_UNSUPPORTED_OPERATION: nothing pretends to succeed.
"""

import pathlib
import re
import sys

PROTOTYPE = re.compile(r"^int (MPI_\w+)\(([^.]*?)\);$", re.M)  # functions with "..." are defined by hand
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
    """Write the source named second on the command line from the header named first."""
    header = re.sub(r"\n +", " ", pathlib.Path(sys.argv[1]).read_text())  # long prototypes stand on several lines
    body = "".join(definition(name, parameters) for name, parameters in PROTOTYPE.findall(header))
    pathlib.Path(sys.argv[2]).write_text(HEAD + body + "}\n")


if __name__ == "__main__":
    main()
