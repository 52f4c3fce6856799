"""Program of an application's ranks: ``python -m pysmpi.aspen APPLICATION [NAME=VALUE …] [options]``.

In a simulation, computation only takes simulated time, and messages are sent. In a real run, messages are sent, and
nothing is computed.
"""

import sys

from pysmpi.aspen.program import main

if __name__ == "__main__":
    main(sys.argv[1:])
