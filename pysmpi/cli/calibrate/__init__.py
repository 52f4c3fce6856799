"""pysmpi-calibrate: from a real machine to the files that simulate it, one file a part."""
