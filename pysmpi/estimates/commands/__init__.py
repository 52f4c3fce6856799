"""Command-line command ``pysmpi estimate``: data that a sequential NumPy program would send on many nodes."""
