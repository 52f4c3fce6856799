"""Datatypes."""

__all__ = ["reset_datatypes"]


def reset_datatypes() -> None:
    """Forgets the datatypes that ranks have made."""
