"""Our end of the channel to a worker: non-blocking, so that neither side can make the other wait for ever.

One `poll` watches everything at once: room for requests, replies, what pack code prints, and the end of the process.
Whatever comes is read, so a worker never blocks on a full pipe while we wait for it. What pack code prints is kept up
to a bound and counted beyond it.
"""

from __future__ import annotations

import math
import os
import secrets
import select
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from assay.oracle.worker.protocol import ANSWER, FAULT, REPLY_HEADER, REQUEST_HEADER, SETUP_FAILED, STARTED, TOKEN_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

_READ_BYTES: Final = 1 << 18
_KINDS: Final = frozenset({ANSWER, FAULT, SETUP_FAILED, STARTED})
_ROOM_FOR_FAULTS: Final = 1 << 20
"""A fault's own description may be this long, however small the limit on results."""


class ChannelClosed(Exception):
    """The worker's end is gone: its process ended, or pack code closed the channel."""


class BadReply(Exception):
    """What came is not our own program's next reply."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply: its kind and its JSON text."""

    kind: bytes
    body: bytes


@dataclass(slots=True)
class Printed:
    """What a worker printed, the first so many bytes of it.

    Attributes:
        count: how many bytes there were in all.
    """

    limit: int
    kept: bytearray = field(default_factory=bytearray)
    count: int = 0

    @property
    def text(self) -> str:
        """What was kept, as text."""
        return self.kept.decode("utf-8", "replace")

    def add(self, part: bytes) -> None:
        """Keep what still fits."""
        self.count += len(part)
        self.kept += part[: max(self.limit - len(self.kept), 0)]


class Channel:
    """Requests out, replies in, printed text aside.

    Args:
        requests: descriptor to write to.
        replies: descriptor to read from.
        output: descriptor on which everything arrives that pack code prints.
        process_end: a descriptor that becomes readable when the process ends; None where the system has no such thing.
        frame_bytes: the longest answer allowed.
        printed: takes what pack code prints.

    The channel owns the descriptors. Replies are read only while `receive` is waiting.
    """

    def __init__(
        self,
        *,
        requests: int,
        replies: int,
        output: int,
        process_end: int | None,
        frame_bytes: int,
        printed: Printed,
    ) -> None:
        self._requests = requests
        self._replies = replies
        self._output = output
        self._process_end = process_end
        self._longest = max(frame_bytes, _ROOM_FOR_FAULTS)
        self._printed = printed
        self._token = secrets.token_bytes(TOKEN_BYTES)
        self._outgoing = bytearray(self._token)
        self._incoming = bytearray()
        self._expected = 0
        self._closed = False
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[], object]] = {}
        for descriptor in (requests, replies, output):
            os.set_blocking(descriptor, False)
        self._watch(replies, self._read_replies)
        self._watch(output, self._read_output)
        if process_end is not None:
            self._watch(process_end, self._read_what_is_left)

    def send(self, *messages: bytes) -> None:
        """Queue messages for the worker."""
        for message in messages:
            self._outgoing += REQUEST_HEADER.pack(len(message))
            self._outgoing += message

    def receive(self, timeout_s: float) -> Reply | None:
        """Return the next reply, or None when none came in time.

        Raises:
            ChannelClosed: when no reply can come any more.
            BadReply: when something else came.
        """
        deadline = time.monotonic() + timeout_s
        self.push()
        while (reply := self._next_reply()) is None:
            if self._closed:
                raise ChannelClosed
            rest = deadline - time.monotonic()
            self._pump(rest)
            if rest <= 0:
                return self._next_reply()
        return reply

    def close(self) -> None:
        """Close all descriptors, after a last look at what was printed."""
        if self._output in self._handlers:
            self._read_output()
        for descriptor in (self._requests, self._replies, self._output, self._process_end):
            if descriptor is not None:
                os.close(descriptor)

    def _next_reply(self) -> Reply | None:
        """Take a whole reply off what has come, if there is one."""
        if len(self._incoming) < REPLY_HEADER.size:
            return None
        length, token, sequence, kind = REPLY_HEADER.unpack_from(self._incoming)
        if token != self._token or sequence != self._expected or kind not in _KINDS or length > self._longest:
            raise BadReply
        end = REPLY_HEADER.size + length
        if len(self._incoming) < end:
            return None
        body = bytes(self._incoming[REPLY_HEADER.size : end])
        del self._incoming[:end]
        self._expected += 1
        return Reply(kind, body)

    def _pump(self, timeout_s: float) -> None:
        """Wait until something can be moved, and move it."""
        for descriptor, _ in self._poll.poll(max(math.ceil(timeout_s * 1000), 0)):
            handler = self._handlers.get(descriptor)
            if handler is not None:
                handler()

    def push(self) -> None:
        """Write what there is room for, and watch for more room while something is left."""
        if self._outgoing:
            try:
                del self._outgoing[: os.write(self._requests, self._outgoing)]
            except BlockingIOError:
                pass
            except OSError:  # nobody reads any more; the end shows on the other descriptors
                self._outgoing.clear()
        if self._outgoing and self._requests not in self._handlers:
            self._watch(self._requests, self.push, select.POLLOUT)
        elif not self._outgoing and self._requests in self._handlers:
            self._forget(self._requests)

    def _read_replies(self) -> bool:
        """Read once and say whether there may be more."""
        try:
            part = os.read(self._replies, _READ_BYTES)
        except BlockingIOError:
            return False
        self._incoming += part
        if not part:
            self._closed = True
            self._forget(self._replies)
        return bool(part)

    def _read_output(self) -> None:
        with suppress(BlockingIOError):
            part = os.read(self._output, _READ_BYTES)
            self._printed.add(part)
            if not part:
                self._forget(self._output)

    def _read_what_is_left(self) -> None:
        """The process has ended: what is in the pipe is all that will come, unless a child of it still writes."""
        most = self._longest + REPLY_HEADER.size
        while self._replies in self._handlers and len(self._incoming) <= most and self._read_replies():
            pass
        self._closed = True
        if self._process_end is not None:
            self._forget(self._process_end)

    def _watch(self, descriptor: int, handler: Callable[[], object], event: int = select.POLLIN) -> None:
        self._handlers[descriptor] = handler
        self._poll.register(descriptor, event)

    def _forget(self, descriptor: int) -> None:
        del self._handlers[descriptor]
        self._poll.unregister(descriptor)
