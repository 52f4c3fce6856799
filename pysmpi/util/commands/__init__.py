"""Parts that all commands share: argument parser, warnings, errors with file and line, version."""
