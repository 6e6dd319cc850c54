"""How many instances each category gets, and how its templates share them.

A category's budget is `candidate_tasks_per_category`, else `tasks_per_category`. A run that was given a pack folder
alone has neither: each category then gets as many instances as it has templates. The templates of a category take turns
in declaration order, one instance a turn; one that has no more drops out and the others go on
(`reference/bind-plan-render.md` 1.8).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from assay.config import TaskGeneration
    from assay.pack.model import Pack, Template

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """The templates that draw on one budget.

    Attributes:
        name: the templates' `bucket`.
        templates: those that may be bound, in declaration order.
        reserved: those that the held-out policy keeps back.
        budget: how many instances it was given.
        setting: the run-config key that set the budget; None when nothing did.
    """

    name: str
    templates: tuple[Template, ...]
    reserved: tuple[Template, ...]
    budget: int
    setting: str | None

    @property
    def is_too_small(self) -> bool:
        """Whether the budget cannot keep one instance of each template."""
        return self.budget < len(self.templates)

    @property
    def drawn(self) -> int:
        """How many instances to draw: the budget, and one of each template even where it does not suffice."""
        return max(self.budget, len(self.templates))


def categories_of(pack: Pack, generation: TaskGeneration, reserved: Collection[str]) -> tuple[Category, ...]:
    """Return the categories of a pack, in the order in which its templates first name them."""
    by_name: dict[str, list[Template]] = {}
    for template in pack.templates:
        by_name.setdefault(template.bucket, []).append(template)
    return tuple(_category(name, templates, generation, reserved) for name, templates in by_name.items())


def _category(name: str, templates: list[Template], generation: TaskGeneration, reserved: Collection[str]) -> Category:
    bindable = tuple(each for each in templates if each.template_id not in reserved)
    budget, setting = len(bindable), None
    if generation.candidate_tasks_per_category:
        budget, setting = generation.candidate_tasks_per_category, "candidate_tasks_per_category"
    elif generation.tasks_per_category is not None:
        budget, setting = generation.tasks_per_category or 1, "tasks_per_category"
    return Category(
        name=name,
        templates=bindable,
        reserved=tuple(each for each in templates if each.template_id in reserved),
        budget=budget,
        setting=setting,
    )


def share_out(supplies: Sequence[Iterator[Item]], budget: int) -> list[list[Item]]:
    """Let supplies take turns until the budget is spent or all are exhausted; return what came from each."""
    taken: list[list[Item]] = [[] for _ in supplies]
    going = list(range(len(supplies)))
    left = budget
    while left > 0 and going:
        exhausted = set()
        for index in going:
            if left == 0:
                break
            item = next(supplies[index], None)
            if item is None:
                exhausted.add(index)
            else:
                taken[index].append(item)
                left -= 1
        going = [index for index in going if index not in exhausted]
    return taken
