"""Write docs/functions.md: every function of MPI 4.1, and its status in pysmpi.

    python tools/mpi_functions.py [--check]

The status comes from the sources: prototypes in mpi.h, definitions in C++ (pysmpi/native/mpi) and registrations in
Python (pysmpi/simulation/mpi). With --check, nothing is written, and the exit status is 1 if the page is out of date.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "functions.md"
NATIVE = ROOT / "pysmpi" / "native" / "mpi"
PYTHON = ROOT / "pysmpi" / "simulation" / "mpi"

_COLLECTIVES = (
    r"I?([Bb]arrier|[Bb]cast|[Gg]ather|[Ss]catter|[Aa]llgather|[Aa]lltoall|[Rr]educe|[Aa]llreduce|[Ss]can|[Ee]xscan)"
)
# Chapters of the MPI 4.1 standard, with patterns for names of functions (without MPI_ and _c). The first match counts.
CHAPTERS = [
    ("16 Deprecated interfaces", r"Attr_|Keyval_|(Type|Status)_\w*_x$|Get_elements_x|Info_get(_valuelen)?$"),
    ("19 Language bindings", r"\w+_(c2f|f2c|toint|fromint|c2f08|f082c|f2f08|f082f)$|Type_(create_f90_|match_size)"),
    ("15 Tool support", r"Pcontrol"),
    ("14 Input and output", r"File_(?!\w*errhandler)|Register_datarep"),
    ("9 Environment", r"(Add|Remove)_error|Error_|\w+_errhandler$|Errhandler_|Alloc_mem|Free_mem|Wtime|Wtick"
     r"|Get_(version|library_version|processor_name|hw_resource_info)"),
    ("10 Info", r"Info_"),
    ("11 Processes", r"Init|Finalize|Query_thread|Is_thread_main|Abort|Session_(?!\w*buffer)|(Open|Close)_port"
     r"|Comm_(spawn|get_parent|accept|connect|disconnect|join)|(Publish|Unpublish|Lookup)_name"),
    ("12 One-sided", r"Win_(?!\w*(attr|keyval|name))|Compare_and_swap|Fetch_and_op|R?(Put|Get|Accumulate)$"
     r"|R(put|get|accumulate|get_accumulate)$|Get_accumulate"),
    ("13 External interfaces", r"Grequest_|Status_set_(elements|cancelled)"),
    ("4 Partitioned point-to-point", r"Psend|Precv|Pready|Parrived"),
    ("8 Topologies", r"Cart|Graph|Dist_graph|Dims_|Topo_|I?[Nn]eighbor_"),
    ("6 Collective", rf"{_COLLECTIVES}|Op_"),
    ("7 Groups and communicators", r"Group_|Comm_(?!\w*buffer)|Intercomm_|\w+_(keyval|attr|name)$"),
    ("5 Datatypes", r"Type_|Pack|Unpack|Get_address|Get_elements|Aint_"),
    ("3 Point-to-point", r""),
]  # fmt: skip
# Simulated time that a function takes: a word of the legend, and patterns for names. The first match counts.
COSTS = [
    ("none", r"\w+_init$|\w+_(get|set|call|create|free)_(errhandler|info|name|attr|keyval)|Test_cancelled|Comm_free"
     r"|Win_shared_query"),
    ("start-up", r"Init(_thread)?$|Comm_spawn"),
    ("clock", r"Wtime"),
    ("transfer", r"R?(Put|Get|Accumulate)$|R(put|get|accumulate|get_accumulate)$|Get_accumulate|Fetch_and_op"
     r"|Compare_and_swap|Win_(fence|complete|wait|test|lock|unlock|flush|sync|start|post)"),
    ("disk", r"File_(i?read|i?write|sync|delete)"),
    ("messages", rf"{_COLLECTIVES}(?!_local)|I?[Nn]eighbor_|Comm_(i?dup|create|split|accept|connect|join)|Intercomm_"
     r"|(Cart|Graph|Dist_graph)_(create|sub)|Win_(create|allocate|free)"
     r"|File_(open|close|set_view|set_size|preallocate|seek_shared)"),
    ("message", r"I?([BbSsRr]?[Ss]end|[Rr]ecv)|I?[Mm]?[Pp]robe|I?[Mm]recv|Start|Wait|Test|Pready|Parrived"
     r"|Request_get_status|(Comm|Session|Buffer)_\w*(flush|detach)"),
    ("none", r""),
]  # fmt: skip
LEGEND = {
    "message": "that of a message: overheads of both sides, protocol, route ([models](models.md)); a look that finds "
    "nothing takes `smpi/iprobe` or `smpi/test`",
    "messages": "those of the messages of the algorithm chosen ([collectives](collectives.md))",
    "transfer": "messages, and what the target does for them ([one-sided communication](one_sided.md))",
    "disk": "the disk, shared among its users, and the network where the file is elsewhere ([files](files.md))",
    "start-up": "`smpi/init`, and for new processes `smpi/spawn-time` ([processes](processes.md))",
    "clock": "`smpi/wtime` a reading",
    "none": "no simulated time, besides what the calling program computes",
}
# Functions that are not in mpi.h. Functions that only Fortran has (MPI_Sizeof, MPI_F_sync_reg) are ignored.
TOOLS = {
    "cvar_": "get_num get_info get_index handle_alloc handle_free read write",
    "pvar_": "get_num get_info get_index session_create session_free handle_alloc handle_free start stop read write "
    "reset readreset",
    "event_": "get_num get_info get_index handle_alloc handle_free handle_get_info handle_set_info register_callback "
    "callback_get_info callback_set_info set_dropped_handler read copy get_timestamp get_source",
    "source_": "get_num get_info get_timestamp",
    "category_": "get_num get_info get_num_events get_index get_cvars get_pvars get_events get_categories changed",
    "enum_": "get_info get_item",
    "": "init_thread finalize",
}
REMOVED = "Address Errhandler_create Errhandler_get Errhandler_set Type_extent Type_hindexed Type_hvector Type_lb " \
    "Type_struct Type_ub"  # fmt: skip


def prototypes() -> list[str]:
    """Return the names of the functions in mpi.h and of their large-count forms, without MPI_."""
    header = re.sub(r"\n +", " ", (NATIVE / "mpi.h").read_text())
    found = re.findall(r"^\w+ MPI_(\w+)\((.*)\);", header, re.M)
    large_counts = [f"{name}_c" for name, parameters in found if re.search(r"\w+Or(Count|Aint)\b", parameters)]
    return [name for name, _ in found] + large_counts


def definitions() -> dict[str, str]:
    """Return the source file of each function, of C++ or Python, by its name without MPI_ and _c."""
    found: dict[str, str] = {}
    for path in sorted(NATIVE.glob("*.cpp")):
        text = path.read_text()
        place = str(path.relative_to(ROOT))
        for name in re.findall(r"^[\w*]+ MPI_(\w+)\(", text, re.M):
            found[name.removesuffix("_c")] = place
        # Macros define functions of several names; their arguments are parts of these names.
        for part in re.findall(r"^[A-Z_]+\(((?:\w*, )*\w+)", text, re.M):
            for word in part.split(", "):
                for name in (word, f"{word}_init", f"File_{word}", f"File_{word}_begin", f"File_{word}_end"):
                    found.setdefault(name, place)
                for kind in ("toint", "fromint", "c2f", "f2c"):
                    found.setdefault(f"{word}_{kind}", place)
    for path in sorted(PYTHON.glob("*.py")):
        for name in re.findall(r"^@(?:mpi|file)_function\(\"(\w+)\"", path.read_text(), re.M):
            found[name.removesuffix("_c")] = str(path.relative_to(ROOT))
    return found


def first_match(rules: list[tuple[str, str]], name: str) -> str:
    """Return the first rule whose expression matches the beginning of the name."""
    return next(rule for rule, expression in rules if re.match(expression, name))


def page() -> str:
    """Return the text of the page."""
    names = prototypes()
    places = definitions()
    wide = {name.removesuffix("_c") for name in names if name.endswith("_c")}
    plain = [name for name in names if not (name.endswith("_c") and name.removesuffix("_c") in names)]
    rows: dict[str, list[str]] = {chapter: [] for chapter, _ in CHAPTERS}
    unsupported = []
    for name in sorted(set(plain), key=str.lower):
        place = places.get(name)
        shown = f"MPI_{name}" + (", _c" if name in wide else "")
        if place is None:
            unsupported.append(f"MPI_{name}")
            state, cost = "unsupported", ""
        else:
            state = f"[{place.removeprefix('pysmpi/')}](../{place})"
            cost = first_match(COSTS, name)
        rows[first_match(CHAPTERS, name)].append(f"| {shown} | {state} | {cost} |")
    tools = [f"MPI_T_{kind}{name}" for kind, names_of in TOOLS.items() for name in names_of.split()]
    lines = [
        "# MPI functions",
        "",
        "<!-- Written by tools/mpi_functions.py (make docs); do not edit. -->",
        "",
        "This page lists each C function of MPI 4.1, where it is implemented, and what a call costs.",
        f"pysmpi implements {len(plain) - len(unsupported)} functions, {len(wide)} of them for large counts (`_c`),",
        "in C++ (`native/…`) or in Python (`mpi/…`). Each has its second name, `PMPI_…`, which profiling libraries",
        "call. A function that is marked unsupported fails with MPI_ERR_UNSUPPORTED_OPERATION.",
        "",
        "The costs on the simulated clock:",
        "",
        "| | |",
        "|---|---|",
        *(f"| {word} | {meaning} |" for word, meaning in LEGEND.items()),
        "",
    ]
    for chapter in sorted(rows, key=lambda each: int(each.partition(" ")[0])):
        if rows[chapter]:
            lines += [f"## {chapter}", "", "| function | where | costs |", "|---|---|---|", *rows[chapter], ""]
    lines += [
        "## Functions that do not exist",
        "",
        "A program that needs one of these functions cannot be loaded.",
        "",
        f"The tool information interface (chapter 15), which mpi4py does not use, has {len(tools)} functions:",
        "",
        *(f"- {name}" for name in tools),
        "",
        "MPI 3.0 has removed these functions (chapter 17):",
        "",
        *(f"- MPI_{name}" for name in REMOVED.split()),
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Write the page, or compare it; return 1 if it is out of date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not options.check:
        PAGE.write_text(page())
        return 0
    if PAGE.is_file() and PAGE.read_text() == page():
        return 0
    print(f"{PAGE.relative_to(ROOT)} is out of date; run make docs", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
