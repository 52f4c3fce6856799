"""Which host each rank runs on."""

import pytest

from pysmpi.errors import PlacementError
from pysmpi.launch.placement import by_hostfile
from pysmpi.platform import Torus


def test_a_hostfile_without_end() -> None:
    with pytest.raises(PlacementError, match="/dev/zero: not a hostfile: it has more than"):
        by_hostfile(2, "/dev/zero", Torus([2, 2]).build())
