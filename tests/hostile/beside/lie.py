"""Compiled, and put where Python looks for the byte code of `helper.py`."""

SAYS = "what the byte code says"
