"""Generator of the sources that follow from the prototypes in mpi.h.

Usage: default_functions.py MPI.H FOLDER (run by the build). It writes to the folder:

- large_counts.h: prototypes of the large-count forms, such as MPI_Send_c, of functions with parameters for counts.
- profiling.h: prototypes of the functions' second names, such as PMPI_Send.
- default_functions.cpp: a weak definition of every MPI function. A native definition replaces the weak one when
  libmpi.so.12 is linked. MPI_Send calls MPI_Send_c; functions whose counts are stored in arrays or by the function
  itself cannot do so. Any other weak definition calls the Python function registered under that name. If none is
  registered, the call fails with MPI_ERR_UNSUPPORTED_OPERATION. The functions that only MPICH has are refused when they
  are called: libraries that were compiled with MPICH refer to some, and mostly do not call them, such as PETSc to
  MPIX_Isend_enqueue.
- profiling_names.ld: a linker script that gives every function two more names: PMPI_…, which profiling libraries call
  (MPI 4.1, section 15.2), and pysmpi_MPI_…, which the libraries of other ABIs call (native/abi), because they define
  both of the others themselves.
"""

import pathlib
import re
import sys

PROTOTYPE = re.compile(r"^int (MPI_\w+)\(([^.]*?)\);$", re.M)  # functions with "..." are defined by hand
FUNCTION = re.compile(r"^\w+ (MPIX?_\w+)\(", re.M)
ANY_PROTOTYPE = re.compile(r"^\w+ MPIX?_\w+\(.*\);$", re.M)
PARAMETER = re.compile(r"(\w+)(?:\[\d*\])*$")
LARGE = {"IntOrCount": "MPI_Count", "IntOrAint": "MPI_Aint", "AintOrCount": "MPI_Count"}
COUNT = re.compile(rf"\b({'|'.join(LARGE)})\b")
COUNT_IN_MEMORY = re.compile(rf"{COUNT.pattern}(\*| \w+\[)")
# Functions of MPICH 5.0.2 that mpi.h does not declare, except those of MPI's standard ABI (MPI_Abi_…): mpi4py refers to
# them weakly, and does without them.
OF_MPICH = """
    MPIX_Allreduce_enqueue MPIX_Allreduce_enqueue_c MPIX_Async_get_state MPIX_Async_spawn MPIX_Async_start
    MPIX_Comm_agree MPIX_Comm_failure_ack MPIX_Comm_failure_get_acked
    MPIX_Comm_get_failed MPIX_Comm_get_stream MPIX_Comm_revoke MPIX_Comm_shrink MPIX_Comm_test_threadcomm
    MPIX_GPU_query_support MPIX_Grequest_class_allocate MPIX_Grequest_class_create
    MPIX_Grequest_start MPIX_Info_set_hex MPIX_Irecv_enqueue MPIX_Irecv_enqueue_c MPIX_Isend_enqueue
    MPIX_Isend_enqueue_c MPIX_Query_cuda_support MPIX_Query_hip_support MPIX_Query_ze_support
    MPIX_Recv_enqueue MPIX_Recv_enqueue_c MPIX_Request_is_complete MPIX_Send_enqueue MPIX_Send_enqueue_c
    MPIX_Start_progress_thread MPIX_Stop_progress_thread MPIX_Stream_comm_create
    MPIX_Stream_comm_create_multiplex MPIX_Stream_create MPIX_Stream_free MPIX_Stream_irecv MPIX_Stream_irecv_c
    MPIX_Stream_isend MPIX_Stream_isend_c MPIX_Stream_progress MPIX_Stream_recv MPIX_Stream_recv_c MPIX_Stream_send
    MPIX_Stream_send_c MPIX_Threadcomm_finish MPIX_Threadcomm_free MPIX_Threadcomm_init MPIX_Threadcomm_start
    MPIX_Type_iov MPIX_Type_iov_len MPIX_Wait_enqueue MPIX_Waitall_enqueue
    MPI_T_category_changed MPI_T_category_get_categories MPI_T_category_get_cvars MPI_T_category_get_events
    MPI_T_category_get_index MPI_T_category_get_info MPI_T_category_get_num MPI_T_category_get_num_events
    MPI_T_category_get_pvars MPI_T_cvar_get_index MPI_T_cvar_get_info MPI_T_cvar_get_num MPI_T_cvar_handle_alloc
    MPI_T_cvar_handle_free MPI_T_cvar_read MPI_T_cvar_write MPI_T_enum_get_info MPI_T_enum_get_item
    MPI_T_event_callback_get_info MPI_T_event_callback_set_info MPI_T_event_copy MPI_T_event_get_index
    MPI_T_event_get_info MPI_T_event_get_num MPI_T_event_get_source MPI_T_event_get_timestamp
    MPI_T_event_handle_alloc MPI_T_event_handle_free MPI_T_event_handle_get_info MPI_T_event_handle_set_info
    MPI_T_event_read MPI_T_event_register_callback MPI_T_event_set_dropped_handler MPI_T_finalize MPI_T_init_thread
    MPI_T_pvar_get_index MPI_T_pvar_get_info MPI_T_pvar_get_num MPI_T_pvar_handle_alloc MPI_T_pvar_handle_free
    MPI_T_pvar_read MPI_T_pvar_readreset MPI_T_pvar_reset MPI_T_pvar_session_create MPI_T_pvar_session_free
    MPI_T_pvar_start MPI_T_pvar_stop MPI_T_pvar_write MPI_T_source_get_info MPI_T_source_get_num
    MPI_T_source_get_timestamp
"""
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
    second = re.sub(
        r"\bMPI(?=X?_\w+\()", "PMPI", "".join(match[0] + "\n" for match in ANY_PROTOTYPE.finditer(header + prototypes))
    )
    (folder / "profiling.h").write_text(f"/* {NOTE} */\n{second}")
    body = "".join(definition(name, parameters) for name, parameters in functions + large_counts)
    body += "".join(f'int {name}(void) {{ return pysmpi::refuse_function("{name}"); }}\n' for name in OF_MPICH.split())
    (folder / "default_functions.cpp").write_text(HEAD + body + "}\n")
    all_names = FUNCTION.findall(header + prototypes) + OF_MPICH.split()
    names = (f"-Wl,--defsym=P{name}={name}\n-Wl,--defsym=pysmpi_{name}={name}\n" for name in all_names)
    (folder / "profiling_names.ld").write_text("".join(names))


if __name__ == "__main__":
    main()
