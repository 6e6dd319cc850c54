"""Running things in another order than they were given in, in bounded memory."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")
R = TypeVar("R")


class ReversedChunks(Generic[T]):
    """Hands items out in reversed chunks, and puts what came of them back into the order of the items.

    Args:
        items: read one chunk ahead.
        size: of a chunk; the last one may be smaller.
    """

    def __init__(self, items: Iterable[T], size: int) -> None:
        self._items = iter(items)
        self._size = size
        self._sizes: deque[int] = deque()

    def __iter__(self) -> Iterator[T]:
        while chunk := list(islice(self._items, self._size)):
            self._sizes.append(len(chunk))
            yield from reversed(chunk)

    def restored(self, results: Iterable[R]) -> Iterator[R]:
        """Yield one result per item, in the order of the items, from results in the order of handing out."""
        chunk: list[R] = []
        for result in results:
            chunk.append(result)
            if len(chunk) == self._sizes[0]:
                self._sizes.popleft()
                yield from reversed(chunk)
                chunk = []
