"""Communication of a grid-point atmospheric model: the halo of a doubly periodic grid in columns.

halo.py --cx N --cy N [--grid NX NY NZ] [--width W] [--check] [--json], on cx × cy ranks. After Zheng and Marguinaud
(Geoscientific Model Development 11, 3409-3426, 2018). Rank j · cx + i has part i of x and part j of y, with all z.

Semi-Lagrangian models need wide halos, because winds carry the air over several points in a time step. An x sweep
fetches the points on either side, then a y sweep fetches rows together with their x halo, so that corners come along. A
halo that is wider than the neighbour's part needs messages from the neighbours of the neighbour, too.
"""

import sys

# The ranks of a simulation share this module, but each has its own __main__: with the functions here, it would take
# another kilobyte in each rank.
from halos import main

if __name__ == "__main__":
    sys.exit(main())
