"""Command ``pysmpi aspen`` and its subcommands."""
