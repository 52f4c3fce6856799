"""Generator of the C++ source with a weak default definition of every MPI function.

Usage: default_functions.py MPI.H OUTPUT.cpp OUTPUT.ld (run by the build). A native definition replaces the weak one
when libmpi.so.12 is linked. The weak definition calls the Python function registered under that name. If none is
registered, the call fails with MPI_ERR_UNSUPPORTED_OPERATION.

The second output is a linker script. It gives every function its second name, PMPI_…, which profiling libraries call
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
    """Return the weak definition of one function."""
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
    """Generate the two output files from the header; all three paths are command-line arguments."""
    header = re.sub(r"\n +", " ", pathlib.Path(sys.argv[1]).read_text())  # joins prototypes that span several lines
    body = "".join(definition(name, parameters) for name, parameters in PROTOTYPE.findall(header))
    pathlib.Path(sys.argv[2]).write_text(HEAD + body + "}\n")
    names = (f"-Wl,--defsym=P{name}={name}\n" for name in FUNCTION.findall(header))
    pathlib.Path(sys.argv[3]).write_text("".join(names))


if __name__ == "__main__":
    main()
