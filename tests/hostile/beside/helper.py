"""The source."""

SAYS = "what the source says"
