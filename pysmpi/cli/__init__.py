"""Commands of pysmpi, one file for each."""
