"""The worker's end of the channel."""

from __future__ import annotations

import json
import os

from .protocol import REPLY_HEADER, REQUEST_HEADER, TOKEN_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_READ_BYTES = 1 << 16


class Channel:
    """Reads requests and writes replies, in order.

    Args:
        requests: the descriptor to read from.
        replies: the descriptor to write to.

    The first thing that arrives is the token that all replies must carry.
    """

    def __init__(self, requests: int, replies: int) -> None:
        self._requests = requests
        self._replies = replies
        self._received = bytearray()
        self._token = self._take(TOKEN_BYTES)
        self._sequence = 0

    def messages(self) -> Iterator[Any]:
        """Yield requests until our process closes its end."""
        while True:
            try:
                yield json.loads(self.text())
            except EOFError:
                return

    def text(self) -> str:
        """Return the next message as it came.

        Raises:
            EOFError: when our process has closed its end.
        """
        (length,) = REQUEST_HEADER.unpack(self._take(REQUEST_HEADER.size))
        return self._take(length).decode()

    def reply(self, kind: bytes, body: bytes) -> None:
        """Send a reply under the next sequence number.

        Raises:
            OSError: when the channel is gone.
        """
        header = REPLY_HEADER.pack(len(body), self._token, self._sequence, kind)
        self._sequence += 1
        rest = memoryview(header + body)
        while rest:
            rest = rest[os.write(self._replies, rest) :]

    def drain(self) -> None:
        """Pass over whatever still comes, until our process closes its end or kills this one."""
        while os.read(self._requests, _READ_BYTES):
            pass

    def _take(self, count: int) -> bytes:
        while len(self._received) < count:
            part = os.read(self._requests, max(_READ_BYTES, count - len(self._received)))
            if not part:
                raise EOFError
            self._received += part
        taken = bytes(self._received[:count])
        del self._received[:count]
        return taken
