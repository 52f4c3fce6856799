"""The machine a rank runs on."""

import os
import socket

import pysmpi


def test_outside_a_simulation_it_is_this_machine() -> None:
    assert pysmpi.host() == (socket.gethostname(), None, len(os.sched_getaffinity(0)))
