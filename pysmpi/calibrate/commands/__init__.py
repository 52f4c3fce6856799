"""pysmpi-calibrate: measure a real machine and write the files that simulate it."""
