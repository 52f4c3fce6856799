"""Command-line commands of pysmpi, one module for each."""
