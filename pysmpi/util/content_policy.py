"""Content-Security-Policy of HTML pages: nothing is loaded from elsewhere, and only the page's own script runs."""

import base64
import hashlib

__all__ = ["content_policy"]


def content_policy(script: str | None = None) -> str:
    """Return the policy of a page with pictures as data and, if given, one script with this text."""
    scripts = "'none'"
    if script is not None:
        scripts = f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
