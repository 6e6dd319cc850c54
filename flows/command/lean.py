"""Keeping an author's second a second."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


_UNUSED: Final = frozenset({"pandas", "dateutil"})


class _Refusal:
    """Says that there is no pandas and no dateutil: a finder of modules, the first of them all."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in _UNUSED:
            raise ModuleNotFoundError(f"{fullname} is kept out of this process", name=fullname)
        return None


def keep_pandas_out() -> None:
    """Let pyarrow find neither pandas nor dateutil in this process, unless pandas is there already.

    pyarrow imports both for the first array that it makes, wherever they are installed: a third of a second for
    something that `assay validate` never uses. It asks once and remembers the answer, so it is asked here. Only the
    command does this, never the library: whoever imports `assay` may want `table.to_pandas()` afterwards.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    refusal = _Refusal()
    sys.meta_path.insert(0, refusal)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(refusal)
