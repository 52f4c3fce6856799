"""Name of the BLAS library that SciPy uses."""

from typing import Any

__all__ = ["library_text"]


def library_text(threads: int) -> str:
    """Return the BLAS library's name, version and `threads` as text, such as "scipy-openblas 0.3.31, one thread"."""
    import scipy

    built: dict[str, Any] = scipy.show_config(mode="dicts") or {}
    found = built.get("Build Dependencies", {}).get("blas", {})
    name = " ".join(str(found[key]) for key in ("name", "version") if found.get(key)) or "unknown BLAS"
    return f"{name}, {'one thread' if threads == 1 else f'{threads} threads'}"
