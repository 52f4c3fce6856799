"""Every MPI function that is collective is compared with the calls of other ranks: the list is that of mpi.h."""

import pathlib
import re

import pytest

import pysmpi
from pysmpi.errors import PysmpiError

# The two ranks of a pair share a host, and so may share memory.
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" core="2" bw="1GBps" lat="1us"
           loopback_bw="1GBps" loopback_lat="1us"/>
</platform>
"""

# Functions with a communicator, window or file that are not collective over it.
LOCAL = set(
    re.findall(
        r"\w+",
        """
    Abort Accumulate Attr_delete Attr_get Attr_put Bsend Bsend_init Cart_coords Cart_get Cart_map Cart_rank Cart_shift
    Cartdim_get Comm_attach_buffer Comm_call_errhandler Comm_compare Comm_delete_attr Comm_detach_buffer
    Comm_flush_buffer Comm_get_attr Comm_get_errhandler Comm_get_info Comm_get_name Comm_get_parent Comm_group
    Comm_iflush_buffer Comm_join Comm_rank Comm_remote_group Comm_remote_size Comm_set_attr Comm_set_errhandler
    Comm_set_name Comm_size Comm_test_inter Comm_toint Compare_and_swap Dist_graph_neighbors
    Dist_graph_neighbors_count Errhandler_get Errhandler_set
    Fetch_and_op File_call_errhandler File_get_amode File_get_atomicity
    File_get_byte_offset File_get_errhandler File_get_group File_get_info File_get_position File_get_position_shared
    File_get_size File_get_type_extent File_get_view File_iread File_iread_at File_iread_shared File_iwrite
    File_iwrite_at File_iwrite_shared File_read File_read_at File_read_shared File_seek File_set_errhandler File_toint
    File_write File_write_at File_write_shared Get Get_accumulate Graph_get Graph_map Graph_neighbors
    Graph_neighbors_count Graphdims_get Ibsend Improbe Iprobe Irecv Irsend Isend Isendrecv Isendrecv_replace Issend
    Mprobe Pack Pack_size Precv_init Probe Psend_init Put Raccumulate Recv Recv_init Rget Rget_accumulate Rput Rsend
    Rsend_init Send Send_init Sendrecv Sendrecv_replace Ssend Ssend_init Topo_test Unpack Win_attach
    Win_call_errhandler Win_complete Win_delete_attr Win_detach Win_flush Win_flush_all Win_flush_local
    Win_flush_local_all Win_get_attr Win_get_errhandler Win_get_group Win_get_info Win_get_name Win_lock Win_lock_all
    Win_post Win_set_attr Win_set_errhandler Win_set_name Win_shared_query Win_start Win_sync Win_test Win_toint
    Win_unlock Win_unlock_all Win_wait
    """,
    )
)
# Functions that are collective over a group: a rank that does not call them makes no call to compare.
OF_GROUPS = {"Comm_create_from_group", "Comm_create_group", "Intercomm_create_from_groups"}

# Arguments of mpi4py's methods; x and y are arrays of two numbers.
_V, _W = "[{}, [1, 1], [0, 1], MPI.DOUBLE]", "[{}, [1, 1], [0, 8], [MPI.DOUBLE] * 2]"
_ARGUMENTS = {
    "Barrier": "",
    "Bcast": "x",
    "Reduce": "x, y",
    "Allreduce": "x, y",
    "Scan": "x, y",
    "Exscan": "x, y",
    "Reduce_scatter": "x, y[:1], [1, 1]",
    "Reduce_scatter_block": "x, y[:1]",
    "Gather": "x[:1], y",
    "Gatherv": f"x[:1], {_V.format('y')}",
    "Scatter": "x, y[:1]",
    "Scatterv": f"{_V.format('x')}, y[:1]",
    "Allgather": "x[:1], y",
    "Allgatherv": f"x[:1], {_V.format('y')}",
    "Alltoall": "x, y",
    "Alltoallv": f"{_V.format('x')}, {_V.format('y')}",
    "Alltoallw": f"{_W.format('x')}, {_W.format('y')}",
}
_NEIGHBOURHOOD = ("Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw")


def collectives() -> dict[str, str]:
    """Return a statement that calls each collective function. Its objects are: `c`, a communicator of two ranks; `g`, a
    ring of them; `i`, an intercommunicator; `w`, a window; `f`, a file."""
    calls = {}
    for name, arguments in _ARGUMENTS.items():
        for form in (name, f"I{name.lower()}", f"{name}_init"):
            calls[form] = f"c.{form}({arguments})"
        if name in _NEIGHBOURHOOD:
            for form in (f"Neighbor_{name.lower()}", f"Ineighbor_{name.lower()}", f"Neighbor_{name.lower()}_init"):
                calls[form] = f"g.{form}({arguments})"
    for way, buffer in (("read", "y"), ("write", "x")):
        for at, offset in (("", ""), ("_at", "0, ")):
            call = f"{way}{at}_all"
            calls[f"File_{call}"] = f"f.{call.capitalize()}({offset}{buffer})"
            calls[f"File_i{call}"] = f"f.I{call}({offset}{buffer})"
            calls[f"File_{call}_begin"] = f"f.{call.capitalize()}_begin({offset}{buffer})"
            calls[f"File_{call}_end"] = f"f.{call.capitalize()}_end({buffer})"
        calls[f"File_{way}_ordered"] = f"f.{way.capitalize()}_ordered({buffer})"
        calls[f"File_{way}_ordered_begin"] = f"f.{way.capitalize()}_ordered_begin({buffer})"
        calls[f"File_{way}_ordered_end"] = f"f.{way.capitalize()}_ordered_end({buffer})"
    return calls | {
        "Cart_create": "c.Create_cart([2])",
        "Cart_sub": "g.Sub([True])",
        "Comm_accept": "c.Accept('port')",
        "Comm_connect": "c.Connect('port')",
        "Comm_create": "c.Create(c.group)",
        "Comm_disconnect": "c.Disconnect()",
        "Comm_dup": "c.Dup()",
        "Comm_dup_with_info": "c.Dup(MPI.Info.Create())",
        "Comm_free": "c.Free()",
        "Comm_idup": "c.Idup()",
        "Comm_idup_with_info": "c.Idup(MPI.Info.Create())",
        "Comm_set_info": "c.Set_info(MPI.Info.Create())",
        "Comm_spawn": "c.Spawn('program')",
        "Comm_spawn_multiple": "c.Spawn_multiple(['program', 'program'])",
        "Comm_split": "c.Split()",
        "Comm_split_type": "c.Split_type(MPI.COMM_TYPE_SHARED)",
        "Dist_graph_create": "c.Create_dist_graph([0], [1], [1])",
        "Dist_graph_create_adjacent": "c.Create_dist_graph_adjacent([0], [1])",
        "File_close": "f.Close()",
        "File_open": "MPI.File.Open(c, 'other.bin', MPI.MODE_CREATE | MPI.MODE_RDWR)",
        "File_preallocate": "f.Preallocate(8)",
        "File_seek_shared": "f.Seek_shared(0)",
        "File_set_atomicity": "f.Set_atomicity(True)",
        "File_set_info": "f.Set_info(MPI.Info.Create())",
        "File_set_size": "f.Set_size(8)",
        "File_set_view": "f.Set_view()",
        "File_sync": "f.Sync()",
        "Graph_create": "c.Create_graph([1, 2], [1, 0])",
        "Intercomm_create": "c.Create_intercomm(0, c, 0)",
        "Intercomm_merge": "i.Merge()",
        "Win_allocate": "MPI.Win.Allocate(8, comm=c)",
        "Win_allocate_shared": "MPI.Win.Allocate_shared(8, comm=c)",
        "Win_create": "MPI.Win.Create(x, comm=c)",
        "Win_create_dynamic": "MPI.Win.Create_dynamic(comm=c)",
        "Win_fence": "w.Fence()",
        "Win_free": "w.Free()",
        "Win_set_info": "w.Set_info(MPI.Info.Create())",
    }


_OBJECTS = {
    "c": "c",
    "g": "c.Create_cart([2], [True])",
    "i": "MPI.COMM_SELF.Create_intercomm(0, c, 1 - c.rank)",
    "w": "MPI.Win.Allocate(8, comm=c)",
    "f": "MPI.File.Open(c, name + '.bin', MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE)",
}
# Call of the other rank, and its replacement if the tested function is the same.
_OTHERS = {
    "c": ("c.Bcast(x)", "c.Barrier()"),
    "g": ("g.Bcast(x)",),
    "i": ("i.Bcast(x, MPI.ROOT)",),
    "w": ("w.Fence()", "w.Set_info(MPI.Info.Create())"),
    "f": ("f.Sync()", "f.Set_atomicity(True)"),
}


def program(calls: dict[str, str]) -> str:
    """Return a program in which each pair of ranks makes one pair of different calls, each in a separate line."""
    cases = []
    for name, call in calls.items():
        kind = call[0] if call[1] == "." else "c"
        other = next(each for each in _OTHERS[kind] if each != call)
        begin = calls[name.replace("_end", "_begin")] if name.endswith("_end") else "0"
        cases.append(
            f"({name!r}, lambda c, name: {_OBJECTS[kind]}, lambda {kind}: {begin},\n"
            f" lambda {kind}: {call},\n lambda {kind}: {other}),"
        )
    return "\n".join(
        [
            "import numpy as np",
            "from mpi4py import MPI",
            "x, y = np.zeros(2), np.zeros(2)",
            "c = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank // 2)",
            f"cases = [{chr(10).join(cases)}]",
            "name, make, begin, call, other = cases[MPI.COMM_WORLD.rank // 2]",
            "made = make(c, name)",
            "begin(made)",
            "if c.rank == 0:",
            "    c.send(0, 1)",
            "    other(made)",
            "else:",
            "    c.recv(source=0)",
            "    try:",
            "        call(made)",
            "    except MPI.Exception as error:",
            "        assert 'do not match' in str(error), error",
        ]
    )


def declared() -> set[str]:
    """Return the functions of mpi.h that have a communicator, a window or a file."""
    header = pathlib.Path(__file__).parents[4] / "pysmpi" / "native" / "mpi" / "mpi.h"
    text = re.sub(r"\n +", " ", header.read_text())
    found = re.findall(r"^int MPI_(\w+)\((.*?)\);", text, re.M)
    return {name for name, arguments in found if re.search(r"\bMPI_(Comm|Win|File)\b", arguments)}


def test_all_collective_functions_are_listed() -> None:
    names = {name.removesuffix("_c") for name in declared()}
    assert names == LOCAL | OF_GROUPS | set(collectives())


def test_every_collective_function_is_compared(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rank that calls another function is found, and the error or the deadlock names the communicator."""
    monkeypatch.chdir(tmp_path)
    calls = collectives()
    script = tmp_path / "pairs.py"
    script.write_text(program(calls))
    lines = script.read_text().splitlines()
    cfg = {"smpi/simulate-computation": False}
    platform = tmp_path / "pairs.xml"
    platform.write_text(PLATFORM.format(last=len(calls) - 1))
    try:
        found = pysmpi.simulate(script, np=2 * len(calls), platform=platform, check=True, cfg=cfg).findings
    except PysmpiError as error:
        found = error.findings
    places = {place for finding in found if finding.kind == "mismatched-collective" for place in finding.places}
    text = "\n".join(finding.text for finding in found)
    for name, call in calls.items():
        line = next(number for number, code in enumerate(lines, 1) if code.endswith(f": {call},"))
        assert f"{script}:{line}" in places, name
        assert f"calls MPI_{name} at {script}:{line}" in text, name
