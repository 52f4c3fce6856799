"""A program without state of its own, whose ranks are all there at once."""

import time

time.sleep(1)
