"""Requirements: the bytes, messages, operations and memory that a program asks of a machine, by rank."""

from pysmpi.requirements.counting.requirements import Amounts, Requirements

__all__ = ["Amounts", "Requirements"]
