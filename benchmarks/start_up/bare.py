"""Start-up without pysmpi: bare.py N creates N greenlets that run the code of asleep.py at the same time."""

import sys

from greenlet import getcurrent, greenlet

CODE = compile("import time\n\ntime.sleep(1)\n", "asleep.py", "exec")


class Time:
    """Replacement of the module time for the greenlets."""

    @staticmethod
    def sleep(_seconds: float) -> None:
        """Switch to the other greenlets."""
        main.switch()


def body() -> None:
    """Run the code of asleep.py in a greenlet."""
    exec(CODE, {"__name__": "__main__"})


main = getcurrent()
sys.modules["time"] = Time  # type: ignore[assignment]
greenlets = [greenlet(body) for _ in range(int(sys.argv[1]))]
for each in greenlets:
    each.switch()
for each in greenlets:
    each.switch()
