"""From a root to the store and the ledger there.

Nothing of an object store is imported before a root of that kind is named.
"""

from __future__ import annotations

from pathlib import Path

from assay.artifacts.ledger import Ledger
from assay.artifacts.roots import is_shared, normal_root
from assay.artifacts.store import Store


def store_at(root: str | Path) -> Store:
    """Return the store at a root.

    Raises:
        RootError: when it cannot be a root.
    """
    if not is_shared(root):
        return Store(Path(normal_root(root)))
    from assay.artifacts.shared.store import SharedStore  # noqa: PLC0415 - only for shared roots

    return SharedStore.at(normal_root(root))


def ledger_at(root: str | Path) -> Ledger:
    """Return the ledger at a root.

    Raises:
        RootError: when it cannot be a root.
    """
    if not is_shared(root):
        return Ledger(Path(normal_root(root)))
    from assay.artifacts.shared.ledger import SharedLedger  # noqa: PLC0415 - only for shared roots

    return SharedLedger.at(normal_root(root))
