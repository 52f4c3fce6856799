"""Tests of reading HPL.dat: values, errors, and ignored lines."""

import dat
import pytest
from variant import Variant

LINES = [
    "HPLinpack benchmark input file",
    "Innovative Computing Laboratory, University of Tennessee",
    "HPL.out      output file name (if any)",
    "6            device out (6=stdout,7=stderr,file)",
    "2            # of problems sizes (N)",
    "100 120      Ns",
    "1            # of NBs",
    "32           NBs",
    "1            PMAP process mapping (0=Row-,1=Column-major)",
    "2            # of process grids (P x Q)",
    "2 1          Ps",
    "2 4          Qs",
    "16.0         threshold",
    "1            # of panel fact",
    "0            PFACTs (0=left, 1=Crout, 2=Right)",
    "2            # of recursive stopping criterium",
    "2 4          NBMINs (>= 1)",
    "1            # of panels in recursion",
    "3            NDIVs",
    "1            # of recursive panel fact.",
    "0            RFACTs (0=left, 1=Crout, 2=Right)",
    "1            # of broadcast",
    "0            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)",
    "1            # of lookahead depth",
    "0            DEPTHs (>=0)",
    "2            SWAP (0=bin-exch,1=long,2=mix)",
    "64           swapping threshold",
    "0            L1 in (0=transposed,1=no-transposed) form",
    "0            U  in (0=transposed,1=no-transposed) form",
    "1            Equilibration (0=no,1=yes)",
    "8            memory alignment in double (> 0)",
]


def changed(number: int, line: str) -> str:
    """Return the file with one line (counted from 1) replaced."""
    return "\n".join([*LINES[: number - 1], line, *LINES[number:]])


def test_lists_are_combined() -> None:
    wanted = dat.parse("HPL.dat", "\n".join(LINES))
    variants = wanted.variants()
    assert wanted.threshold == 16.0
    assert len(variants) == 2 * 2 * 2
    assert variants[0] == Variant(100, 32, 2, 2, column_major=True, ndiv=3, nbmin=2)
    assert variants[-1] == Variant(120, 32, 1, 4, column_major=True, ndiv=3, nbmin=4)
    assert variants[-1].code() == "WC00L3L4"


def test_all_options_are_read() -> None:
    lines = [
        *LINES[:12],
        "8.0",
        "1",
        "2",
        "1",
        "5",
        "1",
        "4",
        "1",
        "1",
        "1",
        "3",
        "1",
        "2",
        "0",
        "80",
        "1",
        "1",
        "0",
        "4",
    ]
    (first, *_) = dat.parse("HPL.dat", "\n".join(lines)).variants()
    assert first == Variant(100, 32, 2, 2, True, 2, 5, 4, 1, 3, 2, 0, 80, False, False, False, 4)
    assert first.code() == "WC23C4R5"


def test_the_last_list_changes_fastest() -> None:
    asked = dat.single(10, 2, 1, 1)._replace(depths=[0, 1], rfacts=[0, 2], ndivs=[2, 3])
    assert [(each.depth, each.rfact, each.ndiv) for each in asked.variants()] == [
        (depth, rfact, ndiv) for depth in (0, 1) for rfact in (0, 2) for ndiv in (2, 3)
    ]


@pytest.mark.parametrize(
    ("number", "line", "message"),
    [
        (6, "100 Ns", "HPL.dat:6: N is 'Ns', not a whole number"),
        (6, "100", "HPL.dat:6: 2 values of N are announced, but 1 found"),
        (8, "0", "HPL.dat:8: NB is 0; valid: at least 1"),
        (9, "2", "HPL.dat:9: PMAP is 2; valid: 0 to 1"),
        (13, "high", "HPL.dat:13: the residual's threshold is 'high', not a number"),
        (15, "3", "HPL.dat:15: PFACT is 3; valid: 0 to 2"),
        (31, "", "HPL.dat:31: the line of the alignment is missing; HPL.dat has 31 lines"),
    ],
)
def test_errors_name_the_line(number: int, line: str, message: str) -> None:
    with pytest.raises(dat.DatError) as caught:
        dat.parse("HPL.dat", changed(number, line))
    assert str(caught.value) == message
