"""A module of the pack that is called like one of the standard library, or of our worker."""

SHADOW = True
