"""MPICH's tuning files: decisions, and errors in wrong files."""

import json
import pathlib

import pytest

from pysmpi.errors import ConfigurationError


def _broadcast():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    data = np.full(1_000_000, float(comm.rank))
    comm.Bcast(data)
    assert not data.any()
    return MPI.Wtime()


def _seconds(run, tmp_path, tree, ranks=8):
    file = tmp_path / "tuning.json"
    file.write_text(json.dumps(tree))
    cfg = {"smpi/coll-selector": "mpich-4", "coll/mpich-tuning": str(file)}
    return max(run(_broadcast, ranks, cfg=cfg).values)


def _algorithm(name):
    return {f"algorithm=MPIR_Bcast_intra_{name}": {}}


def test_the_first_condition_that_holds_decides(run, tmp_path):
    """Conditions cover size, number of ranks and parameters."""
    binomial = _seconds(run, tmp_path, {"collective=bcast": _algorithm("binomial")})
    ring = _seconds(run, tmp_path, {"collective=bcast": _algorithm("scatter_ring_allgather")})
    assert ring < binomial / 1.3
    for tree, expected in (
        ({"avg_msg_size<=7999999": _algorithm("binomial"), "any": _algorithm("scatter_ring_allgather")}, ring),
        ({"avg_msg_size<=8000000": _algorithm("binomial"), "any": _algorithm("scatter_ring_allgather")}, binomial),
        ({"avg_msg_size < 8000000": _algorithm("binomial"), "any": _algorithm("scatter_ring_allgather")}, ring),
        ({"comm_size=pow2": _algorithm("binomial"), "comm_size=any": _algorithm("scatter_ring_allgather")}, binomial),
        ({"comm_type=inter": _algorithm("binomial"), "comm_type=intra": _algorithm("scatter_ring_allgather")}, ring),
        ({"comm_size<9": {"per_proc_msg_size<=1": _algorithm("binomial"), "any": _algorithm("scatter_ring_allgather")}},
         ring),
        ({"comm_size<8": _algorithm("binomial"), "any": _algorithm("scatter_ring_allgather")}, ring),
        ({"avg_msg_size<=1": _algorithm("scatter_ring_allgather"), "comm_size<8": _algorithm("binomial")}, binomial),
    ):  # fmt: skip
        assert _seconds(run, tmp_path, {"collective=bcast": tree}) == pytest.approx(expected, rel=1e-9), tree


def _nonblocking_broadcast():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    data = np.full(1_000_000, float(comm.rank))
    comm.Ibcast(data).Wait()
    assert not data.any()
    return MPI.Wtime()


@pytest.mark.parametrize("selector", ["mpich-4", "mpich-5"])
def test_nonblocking_collectives_have_rows_of_their_own(run, tmp_path, selector):
    file = tmp_path / "tuning.json"
    seconds = []
    for algorithm in ("binomial", "scatter_ring_allgather"):
        tree = {"collective=ibcast": {f"algorithm=MPIR_Ibcast_intra_sched_{algorithm}": {}}}
        file.write_text(json.dumps(tree | {"collective=bcast": _algorithm("binomial")}))
        cfg = {"smpi/coll-selector": selector, "coll/mpich-tuning": str(file)}
        seconds.append(max(run(_nonblocking_broadcast, 8, cfg=cfg).values))
    assert seconds[1] < seconds[0] / 1.3


def test_a_tree_that_says_nothing_leaves_it_to_the_default(run, tmp_path):
    """The only condition does not hold."""
    assert _seconds(run, tmp_path, {"collective=bcast": {"comm_size<2": _algorithm("binomial")}}) > 0


@pytest.mark.parametrize(
    ("tree", "what"),
    [
        ({"collective=broadcast": _algorithm("binomial")}, "bcast"),
        ({"bcast": _algorithm("binomial")}, "collective=NAME"),
        ({"collective=bcast": _algorithm("binominal")}, "MPIR_Bcast_intra_binomial"),
        ({"collective=bcast": {"avg_msg_sise<=3": _algorithm("binomial")}}, "avg_msg_size<="),
        ({"collective=bcast": {"avg_msg_size<=3": {}}}, "object with conditions"),
        ({"collective=bcast": {"algorithm=MPIR_Bcast_intra_tree": {"k=x": {}}}}, "k=4"),
        ({"collective=bcast": {"comm_size<4": _algorithm("binomial"),
                               "any": {"composition=MPIDI_Bcast_intra_composition_alpha": {}}}}, "both algorithms and"),
        ({"collective=bcast": {"algorithm=MPIR_Bcast_intra_tree": {"k=9999999999": {}}}}, "2147483647"),
        ({"collective=bcast": {"comm_size<99999999999999999999": _algorithm("binomial")}}, "the number is too large"),
        ([], "object with conditions"),
        ({"collective=ibcast": {"algorithm=MPIR_Ibcast_intra_tsp_tree": {}}}, "MPIR_Ibcast_intra_sched_smp"),
        ({"collective=ibcast": {"composition=MPIDI_Bcast_intra_composition_alpha": {}}}, "have no compositions"),
    ],
)  # fmt: skip
def test_errors_name_the_place_and_what_is_valid(run, tmp_path, tree, what):
    with pytest.raises(ConfigurationError, match=r"tuning\.json") as error:
        _seconds(run, tmp_path, tree)
    assert what in str(error.value)


def test_a_file_that_is_none(run, tmp_path: pathlib.Path):
    """The file is missing or not JSON, or the selector does not use it."""
    broken = tmp_path / "broken.json"
    broken.write_text('{"collective=bcast": {')
    for file, selector, what in (
        (broken, "mpich-4", "broken.json:1: not valid JSON"),
        (tmp_path / "missing.json", "mpich-4", "cannot read"),
        (broken, "default", "no effect"),
        (broken, "impi-2021", "no effect"),
    ):
        with pytest.raises(ConfigurationError, match=what):
            run(_broadcast, 2, cfg={"smpi/coll-selector": selector, "coll/mpich-tuning": str(file)})
