"""The `assay` command.

Exit codes (ruling 4): 0 Gold, 2 a verdict that is not Gold, 1 no verdict: a bad command line, an unreadable config, a
fault of the machine. With `--json`, standard output is exactly one JSON object in all three cases.
"""

from flows.command.main import main

__all__ = ["main"]
