"""How large a pack may be: what a hostile file can cost is bounded before it is parsed (ruling 8).

The figures are far above any pack that people write (a pack of 500 templates has about 40,000 nodes) and low enough
that one document takes seconds and some hundred megabytes at the very worst.
"""

from __future__ import annotations

from typing import Final

MAX_DOCUMENT_BYTES: Final = 16 * 1024 * 1024
"""Bytes of one parsed file; also the characters that its aliases may stand for together."""

MAX_NODES: Final = 500_000
"""Values in one document, every use of an alias counted anew."""

MAX_DEPTH: Final = 100
"""Lists and mappings within one another."""

MAX_DIGITS: Final = 300
"""Characters of one number; anything longer is no number that a double, a table or a model could carry."""

MAX_NAME: Final = 500
"""Characters of one name or key: every finding about a thing, and every row of every table, repeats its name."""

MAX_TEXT: Final = 50_000
"""Characters of one turn's text, and of one slot's value as JSON: each conversation that uses it holds a copy."""

MAX_PATH: Final = 4096
"""Characters of a path in a run config; no system opens a longer one."""

MAX_DIRECTIVES: Final = 20
"""YAML directives: the parser compares each with all before it."""

MAX_PACK_BYTES: Final = 128 * 1024 * 1024
"""Bytes of all files of a pack together; they are held in memory while the snapshot is made."""

MAX_PACK_ENTRIES: Final = 20_000
"""Files and folders of a pack, the ignored ones included."""

MAX_LISTED: Final = 500
"""Findings of one code in one file that are listed; the rest is counted."""
