"""Report of collectives whose algorithm sends about P² messages on many ranks."""

from typing import Any

import pysmpi
from pysmpi.simulation.launch.summary import summary


def _allgather(MPI: Any) -> None:
    MPI.COMM_WORLD.Allgather(bytearray(8), bytearray(8 * MPI.COMM_WORLD.size))
    MPI.COMM_WORLD.Bcast(bytearray(8))


def test_an_algorithm_that_sends_to_all_is_named(MPI: Any) -> None:
    """Only the allgather counts: in a linear broadcast, only the root sends to all."""
    cfg = {"smpi/simulate-computation": "no", "smpi/bcast": "flattree"}
    result = pysmpi.simulate(_allgather, np=300, platform="flat:300", cfg=cfg, args=(MPI,), smpi=True)
    (wide,) = result.wide
    assert (wide.call, wide.setting, wide.ranks, wide.messages) == ("MPI_Allgather", "smpi/allgather", 300, 300 * 299)
    assert "MPI_Allgather 89,700 on 300 ranks (smpi/allgather)" in summary(result, verbose=True)
    assert "MPI_Allgather sends P² messages; " in summary(result)


def test_few_ranks_and_other_algorithms_are_not_named(MPI: Any) -> None:
    cfg = {"smpi/simulate-computation": "no"}
    for ranks, smpi in ((256, True), (300, False)):
        result = pysmpi.simulate(_allgather, np=ranks, platform="flat:300", cfg=cfg, args=(MPI,), smpi=smpi)
        assert result.wide == () and "P² messages" not in summary(result, verbose=True)
    assert result.counters.messages < 300 * 20
