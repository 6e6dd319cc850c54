"""Starters for new packs.

`scaffold` writes a folder that is a complete, runnable pack. With the Python transport it is Gold as it stands, so that
an author changes a thing that works instead of building one that does not yet.
"""

from assay.scaffold.errors import ScaffoldError
from assay.scaffold.starter_files import TRANSPORTS
from assay.scaffold.write import scaffold

__all__ = ["TRANSPORTS", "ScaffoldError", "scaffold"]
