"""pysmpi."""
