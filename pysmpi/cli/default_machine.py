"""Default machine of commands that simulate: the platform that they use without the option --platform."""

import sys

__all__ = ["DEFAULT_MACHINE", "default_machine"]

DEFAULT_MACHINE = "laptop"


def default_machine(command: str) -> str:
    """Return the name of the default machine, and print a message that it is simulated to standard error.

    Args:
        command: name of the command, for the message.
    """
    print(
        f"{command}: no --platform given: simulating {DEFAULT_MACHINE!r} ('pysmpi platform list' names other machines)",
        file=sys.stderr,
    )
    return DEFAULT_MACHINE
