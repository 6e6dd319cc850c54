"""What goes over the channel between our process and a worker.

Two pipes. Requests are a length and a JSON array `[op, ...]`. Replies are a header and a JSON body. The header repeats
a secret token, which the worker received before pack code was loaded, and the sequence number of the request that it
answers: bytes that pack code writes to a descriptor that it guessed carry neither.

Numbers are big-endian. JSON text is UTF-8; requests escape everything beyond ASCII, so that an unpaired surrogate in a
pack's own file can be passed on.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

REQUEST_HEADER: Final = struct.Struct(">I")
"""Length of the body."""

REPLY_HEADER: Final = struct.Struct(">I16sQc")
"""Length of the body, token, sequence number, kind."""

TOKEN_BYTES: Final = 16

STARTED: Final = b"S"
"""The worker is confined and about to import the pack; the body lists the protections in force."""
ANSWER: Final = b"A"
"""The request was served; the body is what it gave."""
FAULT: Final = b"F"
"""Pack code failed; the body says how. The worker serves no further request."""
SETUP_FAILED: Final = b"X"
"""The worker could not be set up, which is no fault of the pack; the body says why."""

MAX_DEPTH: Final = 200
"""How deeply a value of pack code may be nested. Deeper ones make recursive readers fail, ours included."""

MAX_PARTS: Final = 500_000
"""How many parts an answer may have, counted by `parts_of`: about a hundred megabytes as Python objects at worst."""

CHANNEL_LOST: Final = 113
"""Exit code of a worker that finds its end of the channel closed: only pack code can have done that."""


def parts_of(text: bytes) -> int:
    """Return how many parts a JSON text has at most: every value but the first of its container, every container.

    Commas in texts are counted, too, because telling them apart would cost more than reading the text.
    """
    return text.count(b",") + text.count(b"[") + text.count(b"{")
