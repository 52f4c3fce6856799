"""Tests of figures parsed from a program's output."""

from pysmpi.study.metrics import printed_metrics

HPL = """\
T/V                N    NB     P     Q               Time                 Gflops
--------------------------------------------------------------------------------
WR00L2L2        1000   120     8     8              2.000000000        1.250000000e+02
WC01R4L2        2000   120     8     8              1.000000000        5.000000000e+02
W is a word 1 2 3 4 5 6
"""


def test_linpack() -> None:
    assert printed_metrics(HPL.splitlines()) == {"hpl_seconds": 1.0, "hpl_gflops": 500.0}
    assert printed_metrics(["pi is 3", "", "WR00L2L2 1000 120 8 8 2.0s 1e", "WR00L2L2 1 1 1 1 2 ½"]) == {}
