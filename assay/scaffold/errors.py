"""What can keep a starter from being written."""

from __future__ import annotations


class ScaffoldError(Exception):
    """A starter that cannot be written as asked. The text is for people: what is wrong, and with which value."""
