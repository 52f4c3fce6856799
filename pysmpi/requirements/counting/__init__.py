"""Requirements: the bytes, messages, operations and memory that a program asks of a machine, by rank."""
