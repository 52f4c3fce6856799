"""The same without pysmpi: bare.py N makes so many greenlets that run what asleep.py does, all there at once."""

import sys

from greenlet import getcurrent, greenlet

CODE = compile("import time\n\ntime.sleep(1)\n", "asleep.py", "exec")


class Time:
    """What the greenlets take for the module."""

    @staticmethod
    def sleep(_seconds: float) -> None:
        """Give the others a turn."""
        main.switch()


def body() -> None:
    """What a greenlet runs."""
    exec(CODE, {"__name__": "__main__"})


main = getcurrent()
sys.modules["time"] = Time  # type: ignore[assignment]
greenlets = [greenlet(body) for _ in range(int(sys.argv[1]))]
for each in greenlets:
    each.switch()
for each in greenlets:
    each.switch()
