"""The one look of what the command prints: no frames, nothing cut, colour only on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from rich.table import Table

_NEVER_CUT = 10_000


def make_console() -> Console:
    """Return a console that leaves long lines to the terminal: a run id that is cut cannot be copied."""
    return Console(highlight=False, emoji=False, soft_wrap=True, width=_NEVER_CUT)


def make_table(*names: str, right: tuple[str, ...] = ()) -> Table:
    """Return an empty table with these columns; those in `right` hold numbers."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in names:
        table.add_column(name, justify="right" if name in right else "left")
    return table
