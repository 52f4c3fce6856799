"""A study of two points, with its program and its platform."""

PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-3" speed="1Gf" core="2" bw="{{bandwidth}}" lat="10us"/>
</platform>
"""

PROGRAM = """\
import sys
from helper import size
from mpi4py import MPI
import pysmpi

world = MPI.COMM_WORLD
if len(sys.argv) > 1 and sys.argv[1] == "fail":
    raise ValueError("as asked")
world.Allreduce(bytearray(size), bytearray(size))
pysmpi.report(rank=world.rank, size=world.size)
if world.rank == 0:
    print("WR00L2L2        1000   120     8     8              0.500000000        1.250000000e+02")
"""

STUDY = """\
program = "program.py"
platform = "machine.xml"

[fixed]
ranks = 4
cfg = { "smpi/simulate-computation" = "no" }

[factors.platform]
bandwidth = ["1GBps", "10GBps"]
"""
