"""Command-line command ``pysmpi codesign``: requirements of a program on larger machines."""
