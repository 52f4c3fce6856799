"""Tests of the output of apps/hpl, which must equal that of HPL 2.3 (HPL_pdinfo.c, HPL_pdtest.c and HPL_pddriver.c)."""

import pathlib
import re

import pytest

import pysmpi

HPL = pathlib.Path(__file__).parents[2] / "apps" / "hpl" / "hpl.py"

PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="10Gbps" lat="1us"/>
</platform>
"""

# Two tests, with times, rates, dates and residuals masked.
GOLDEN = """\
================================================================================
HPLinpack 2.3  --  High-Performance Linpack benchmark  --   December 2, 2018
Written by A. Petitet and R. Clint Whaley,  Innovative Computing Laboratory, UTK
Modified by Piotr Luszczek, Innovative Computing Laboratory, UTK
Modified by Julien Langou, University of Colorado Denver
================================================================================

An explanation of the input/output parameters follows:
T/V    : Wall time / encoded variant.
N      : The order of the coefficient matrix A.
NB     : The partitioning blocking factor.
P      : The number of process rows.
Q      : The number of process columns.
Time   : Time in seconds to solve the linear system.
Gflops : Rate of execution for solving the linear system.

The following parameter values will be used:

N      :      50~
NB     :       8~
PMAP   : Row-major process mapping
P      :       2~
Q      :       2~
PFACT  :   Crout~
NBMIN  :       2~
NDIV   :       2~
RFACT  :   Right~
BCAST  :   1ring   2ringM~
DEPTH  :       1~
SWAP   : Mix (threshold = 64)
L1     : transposed form
U      : no-transposed form
EQUIL  : yes
ALIGN  : 8 double precision words

--------------------------------------------------------------------------------

- The matrix A is randomly generated for each test.
- The following scaled residual check will be computed:
      ||Ax-b||_oo / ( eps * ( || x ||_oo * || A ||_oo + || b ||_oo ) * N )
- The relative machine precision (eps) is taken to be               1.110223e-16
- Computational tests pass if scaled residuals are less than                16.0

================================================================================
T/V                N    NB     P     Q               Time                 Gflops
--------------------------------------------------------------------------------
WR10R2C2          50     8     2     2            SECONDS                   RATE
HPL_pdgesv() start time DATE

HPL_pdgesv() end time   DATE

--------------------------------------------------------------------------------
||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=         RESIDUAL ...... PASSED
================================================================================
T/V                N    NB     P     Q               Time                 Gflops
--------------------------------------------------------------------------------
WR13R2C2          50     8     2     2            SECONDS                   RATE
HPL_pdgesv() start time DATE

HPL_pdgesv() end time   DATE

--------------------------------------------------------------------------------
||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=         RESIDUAL ...... PASSED
================================================================================

Finished      2 tests with the following results:
              2 tests completed and passed residual checks,
              0 tests completed and failed residual checks,
              0 tests skipped because of illegal input values.
--------------------------------------------------------------------------------

End of Tests.
================================================================================
""".replace("~", " ")  # HPL ends lists with a space

MASKS = [
    (r"(?m)^(W\S+(?: +\d+){4}) {1,8}\d+\.\d{9} {1,9}\d\.\d{9}e[-+]\d\d$", f"\\1 {'SECONDS':>18} {'RATE':>22}"),
    (r"(?m)(start time|end time  ) \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$", r"\1 DATE"),
    (r"=   \d\.\d{8}e[-+]\d\d \.", f"= {'RESIDUAL':>16} ."),
]


def printed(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], ranks: int, words: str, *options: str) -> str:
    (tmp_path / "HPL.dat").write_text(words.replace(" ", "\n").replace(",", " "))
    (tmp_path / "platform.xml").write_text(PLATFORM)
    pysmpi.simulate(HPL, np=ranks, platform=tmp_path / "platform.xml", args=[*options, str(tmp_path / "HPL.dat")])
    return capsys.readouterr().out


def test_the_whole_output_is_hpls(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Banner, explanations, parameters, two results with residuals, and summary are as the C program prints them."""
    words = "t t f 6 1 50 1 8 0 1 2 2 16.0 1 1 1 2 1 2 1 2 2 0,3 1 1 2 64 0 1 1 8"
    output = printed(tmp_path, capsys, 4, words, "--exact")
    for pattern, mask in MASKS:
        output = re.sub(pattern, mask, output)
    assert output == GOLDEN


def test_long_lists_are_folded(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ",".join(str(size) for size in [1, *range(1, 18)])
    output = printed(tmp_path, capsys, 1, f"t t f 6 1 4 18 {sizes} 1 1 1 1 16.0 1 0 1 2 1 2 1 0 1 0 1 0 2 64 0 0 0 4")
    rows = [[1, *range(1, 8)], range(8, 16), range(16, 18)]
    first, second, third = ("".join(f"{size:8} " for size in row) for row in rows)
    assert f"\nNB     :{first}\n        {second}\n        {third}\nPMAP   : Column-major" in output
    assert "\nEQUIL  : no\nALIGN  : 4 double precision words\n" in output


def test_a_threshold_of_zero_checks_nothing(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "t t f 6 2 20,30 1 8 0 1 1 1 0.0 1 0 1 2 1 2 1 0 1 0 1 0 0 64 0 0 1 8"
    output = printed(tmp_path, capsys, 1, words, "--exact")
    assert "||" not in output
    assert output.count("T/V  ") == 2  # explanation and heading
    assert output.count("\nWR00L2L2 ") == 2
    assert "\nSWAP   : Binary-exchange\n" in output
    assert "\n              2 tests completed without checking,\n              0 tests skipped" in output
