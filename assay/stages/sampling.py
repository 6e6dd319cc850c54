"""Drawing from a product of values: seeded orders, and a walk that spreads every value evenly.

Two parts, both computed from an index alone, so that a product of any size costs nothing until it is drawn from:

* A `Walk` is a seeded order of `range(n)`: start somewhere, go on by a step that is coprime with `n`. It is the
  reference's permutation, bit for bit (`reference/bind-plan-render.md` 1.6).
* A `Spread` numbers the combinations of several axes so that *every prefix* of the numbering uses the values of every
  axis as evenly as its length allows: counts on one axis never differ by more than one. A larger budget draws a longer
  prefix, so its set contains the smaller one's (ruling 15). The reference samples anew for each budget, which gives
  neither; its sampled sets are therefore not reproduced.

How a `Spread` works. Index `k` has one digit per axis. The first digit is `k mod n`, so the axis is cycled through.
A further axis is cycled through as well, but two cycles of lengths `M` (all axes before it) and `n` come round together
after `lcm(M, n)` steps, having met only `1/gcd(M, n)` of their pairs; there the axis slips by one place and goes on.
After `gcd(M, n)` slips every pair was met exactly once, which makes the numbering exact: `M * n` indices, `M * n`
different combinations. A slip falls on a multiple of `n`, so each run of `n` indices that begins at such a multiple
uses every value once - which is the evenness.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, lcm, prod
from typing import TYPE_CHECKING

from assay.values import digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.values import JsonObject


@dataclass(frozen=True, slots=True)
class Walk:
    """An order of `range(size)`: the k-th is `(start + k * step) mod size`, with `step` coprime to `size`."""

    size: int
    start: int = 0
    step: int = 1

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, k: int) -> int:
        if not 0 <= k < self.size:
            raise IndexError(k)
        return (self.start + k * self.step) % self.size

    def __iter__(self) -> Iterator[int]:
        return map(self.__getitem__, range(self.size))


def seeded_walk(size: int, material: JsonObject) -> Walk:
    """Return the order of `range(size)` that belongs to a seed material; up to one element there is only one."""
    if size <= 1:
        return Walk(size)
    digits = digest(material)
    step = int(digits[16:32], 16) % size or 1
    while gcd(step, size) != 1:
        step = (step + 1) % size or 1
    return Walk(size, int(digits[:16], 16) % size, step)


def candidate_material(template_id: str, seed: int, position: int, combination: int = 0) -> JsonObject:
    """Return the seed material for the order of one position's candidates.

    Args:
        template_id: the template.
        seed: the run's global seed.
        position: 0-based place among slots (by name) and corrections (by delivery).
        combination: the reference orders candidates anew for each combination before them; we use its first order.
    """
    inner: JsonObject = {"template_id": template_id, "seed": seed, "position": position}
    return {"seed": inner, "kind": "candidates", "combination": combination}


class Spread:
    """Numbers the combinations of axes of given sizes; see the module's text for how and why.

    Attributes:
        count: number of combinations, 1 without any axis.
    """

    __slots__ = ("_axes", "count")

    def __init__(self, sizes: Sequence[int]) -> None:
        self.count = prod(sizes)
        self._axes: list[tuple[int, int, int]] = []
        covered = 1
        for size in sizes if self.count else ():
            self._axes.append((size, covered * size, lcm(covered, size)))
            covered *= size

    def digits(self, k: int) -> list[int]:
        """Return the combination of index `k`, 0 <= k < count: one index into each axis."""
        result = []
        for size, covered, cycle in self._axes:
            within = k % covered
            result.append((within + within // cycle) % size)
        return result
