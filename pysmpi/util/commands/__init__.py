"""Parts that all commands share: parser, warnings, places of errors, version."""
