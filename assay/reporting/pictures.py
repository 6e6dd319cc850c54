"""What a pack says cannot command whoever shows it: control characters become pictures of themselves."""

from __future__ import annotations

from typing import Final

PICTURES: Final = {
    **{code: 0x2400 + code for code in range(0x20)},
    0x7F: 0x2421,
    **dict.fromkeys([*range(0x80, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A)], 0xFFFD),
}
"""Character that moves the cursor, ends a line or turns the direction of text -> what is shown instead; for
`str.translate`."""
