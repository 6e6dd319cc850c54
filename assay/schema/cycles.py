"""Finding cycles in a directed graph, in time linear in its size and without recursion."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

NodeT = TypeVar("NodeT", bound="Hashable")


def cycles(edges: Mapping[NodeT, Sequence[NodeT]]) -> Iterator[list[NodeT]]:
    """Yield cycles that a depth-first walk closes: at least one in every tangle, and none where there is none.

    Args:
        edges: node -> the nodes it leads to. Walks start in the order of this mapping.

    Yields:
        The nodes of a cycle in walking order; the last leads back to the first.
    """
    finished: set[NodeT] = set()
    for start in edges:
        trail = [start]
        branches = [iter(edges[start])]
        on_trail = {start}
        while trail and start not in finished:
            following = next(branches[-1], None)
            if following is None:
                branches.pop()
                left = trail.pop()
                on_trail.discard(left)
                finished.add(left)
            elif following in on_trail:
                yield trail[trail.index(following) :]
            elif following not in finished:
                trail.append(following)
                branches.append(iter(edges.get(following, ())))
                on_trail.add(following)
