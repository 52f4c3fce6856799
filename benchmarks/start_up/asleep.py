"""Program without state of its own, whose ranks all exist at the same time."""

import time

time.sleep(1)
