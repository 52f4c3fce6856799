"""Command-line command ``pysmpi aspen`` and its subcommands."""
