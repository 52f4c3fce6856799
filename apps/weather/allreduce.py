"""One allreduce, as a solver's iterations have it: allreduce.py [--numbers 3] [--json].

Its seconds are reported to a study.
"""

import sys

# The ranks of a simulation share this module, but each has its own __main__: with the functions here, it would take
# another kilobyte in each rank.
from allreduces import main

if __name__ == "__main__":
    sys.exit(main())
