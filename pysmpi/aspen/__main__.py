"""MPI program that runs an Aspen application: ``python -m pysmpi.aspen APPLICATION [NAME=VALUE …] [options]``.

Each rank sends the application's messages. In a simulation, its computation takes simulated time. In a real run, it is
skipped.
"""

import sys

from pysmpi.aspen.program import main

if __name__ == "__main__":
    main(sys.argv[1:])
