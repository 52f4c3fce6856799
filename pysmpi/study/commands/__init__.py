"""Command-line command ``pysmpi study`` and its subcommands."""
