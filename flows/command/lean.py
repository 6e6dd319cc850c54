"""Keeping an author's second a second."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


class _NoPandas(MetaPathFinder):
    """Says that there is no pandas."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is kept out of this process", name=fullname)
        return None


def keep_pandas_out() -> None:
    """Let pyarrow find no pandas in this process, unless it is there already.

    pyarrow imports pandas for the first array that it makes, wherever pandas is installed: a third of a second for
    something that `assay validate` never uses. It asks once and remembers the answer, so it is asked here. Only the
    command does this, never the library: whoever imports `assay` may want `table.to_pandas()` afterwards.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    refusal = _NoPandas()
    sys.meta_path.insert(0, refusal)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(refusal)
