"""HPL.dat: what is read, what is refused, and what is said to be ignored."""

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
    """The file with one line, counted from 1, replaced."""
    return "\n".join([*LINES[: number - 1], line, *LINES[number:]])


def test_lists_are_combined() -> None:
    """Every grid with every N and NBMIN; remarks behind the values do not matter."""
    wanted = dat.parse("HPL.dat", "\n".join(LINES))
    assert wanted.threshold == 16.0
    assert len(wanted.variants) == 2 * 2 * 2
    assert wanted.variants[0] == Variant(100, 32, 2, 2, True, 3, 2)
    assert wanted.variants[-1] == Variant(120, 32, 1, 4, True, 3, 4)
    assert wanted.variants[-1].code() == "WC00L3L4"


def test_what_is_not_implemented_is_said() -> None:
    """Choices that this version does not have are named, with what is used instead."""
    notices = dat.parse("HPL.dat", changed(23, "3 BCASTs")).notices
    assert "BCAST 2ringM is not implemented yet: 1ring is used" in notices
    assert not any("DEPTH" in notice for notice in notices)


@pytest.mark.parametrize(
    ("number", "line", "message"),
    [
        (6, "100 Ns", "HPL.dat:6: N is 'Ns', which is not a whole number"),
        (6, "100", "HPL.dat:6: 2 values of N are announced, 1 found"),
        (8, "0", "HPL.dat:8: NB is 0; valid: at least 1"),
        (9, "2", "HPL.dat:9: PMAP is 2; valid: 0 to 1"),
        (13, "high", "HPL.dat:13: the residual's threshold is 'high', which is not a number"),
        (15, "3", "HPL.dat:15: PFACT is 3; valid: 0 to 2"),
        (31, "", "HPL.dat:31: the line of the alignment is missing; HPL.dat has 31 lines"),
    ],
)
def test_errors_name_the_line(number: int, line: str, message: str) -> None:
    """A wrong value is reported with file, line and what is valid."""
    with pytest.raises(dat.DatError) as caught:
        dat.parse("HPL.dat", changed(number, line))
    assert str(caught.value) == message
