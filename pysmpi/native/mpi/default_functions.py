"""Generator of the sources that follow from the prototypes in mpi.h.

Usage: default_functions.py MPI.H FOLDER (run by the build). It writes to the folder:

- large_counts.h: prototypes of the large-count forms, such as MPI_Send_c, of functions with parameters for counts.
- default_functions.cpp: a weak definition of every MPI function. A native definition replaces the weak one when
  libmpi.so.12 is linked. MPI_Send calls MPI_Send_c; functions whose counts are stored in arrays or by the function
  itself cannot do so. Any other weak definition calls the Python function registered under that name. If none is
  registered, the call fails with MPI_ERR_UNSUPPORTED_OPERATION.
- profiling_names.ld: a linker script that gives every function its second name, PMPI_…, which profiling libraries call
  (MPI 4.1, section 15.2).
"""

import pathlib
import re
import sys

PROTOTYPE = re.compile(r"^int (MPI_\w+)\(([^.]*?)\);$", re.M)  # functions with "..." are defined by hand
FUNCTION = re.compile(r"^\w+ (MPI_\w+)\(", re.M)
PARAMETER = re.compile(r"(\w+)(?:\[\d*\])*$")
LARGE = {"IntOrCount": "MPI_Count", "IntOrAint": "MPI_Aint", "AintOrCount": "MPI_Count"}
COUNT = re.compile(rf"\b({'|'.join(LARGE)})\b")
COUNT_IN_MEMORY = re.compile(rf"{COUNT.pattern}(\*| \w+\[)")
NOTE = "Written by default_functions.py; do not edit."
HEAD = f"""// {NOTE}
#include "default_function.hpp"

#define DEFAULT __attribute__((weak))

extern "C" {{
"""


def large(parameters: str) -> str:
    """Return the parameters of the large-count form."""
    return COUNT.sub(lambda match: LARGE[match[1]], parameters)


def definition(name: str, parameters: str) -> str:
    """Return the weak definition of one function."""
    names = [match[1] for match in map(PARAMETER.search, parameters.split(", ")) if match and match[1] != "void"]
    if COUNT.search(parameters) and not COUNT_IN_MEMORY.search(parameters):
        return f"DEFAULT int {name}({parameters}) {{ return {name}_c({', '.join(names)}); }}\n"
    communicator = re.search(r"(?:^|, )MPI_Comm (\w+)", parameters)
    arguments = [f'"{name.removesuffix("_c")}"', communicator[1] if communicator else "pysmpi::kNoCommunicator", *names]
    return (
        f"DEFAULT int {name}({parameters}) {{\n"
        f'  static const pysmpi::PythonFunction& function = pysmpi::python_function("{name}");\n'
        f"  return pysmpi::call_python<decltype({name})>(function, {', '.join(arguments)});\n"
        "}\n"
    )


def main() -> None:
    """Write the files."""
    header = re.sub(r"\n +", " ", pathlib.Path(sys.argv[1]).read_text())  # joins prototypes that span several lines
    folder = pathlib.Path(sys.argv[2])
    functions = PROTOTYPE.findall(header)
    large_counts = [(f"{name}_c", large(parameters)) for name, parameters in functions if COUNT.search(parameters)]
    prototypes = "".join(f"int {name}({parameters});\n" for name, parameters in large_counts)
    (folder / "large_counts.h").write_text(f"/* {NOTE} */\n{prototypes}")
    body = "".join(definition(name, parameters) for name, parameters in functions + large_counts)
    (folder / "default_functions.cpp").write_text(HEAD + body + "}\n")
    names = (f"-Wl,--defsym=P{name}={name}\n" for name in FUNCTION.findall(header + prototypes))
    (folder / "profiling_names.ld").write_text("".join(names))


if __name__ == "__main__":
    main()
