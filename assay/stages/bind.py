"""Binding: from templates to task instances.

Every slot of every template is checked; instances come from the templates that are sound. Each category's budget is
shared out among its templates, and each template's share is drawn by a walk that spreads values evenly
(`assay.stages.sampling`), after corrections that change nothing were left out. A template whose combinations all fit is
listed in the order of its sources instead. Its representative is the first of the instances that the real budget draws
(ruling 38).

Contract: `reference/bind-plan-render.md` 1, rulings 13 to 17.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from assay.findings import Finding, finding
from assay.pack.finder import CandidateFinder
from assay.stages.bindable import make_bindable
from assay.stages.budget import categories_of, share_out
from assay.stages.held_out import HeldOutLedger, Reservations
from assay.stages.instances import make_instance
from assay.stages.shortfall import check_category, check_policy_leaves_templates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assay.config import RunConfig
    from assay.pack.model import Pack
    from assay.stages.bindable import Bindable
    from assay.stages.budget import Category
    from assay.stages.combinations import Combinations
    from assay.stages.records import TaskInstance


@dataclass(frozen=True, slots=True, kw_only=True)
class BindResult:
    """What binding leaves.

    Attributes:
        instances: public instances: categories in order of first appearance, their templates taking turns.
        reserved: one instance of each reserved template, for its proof only; never published.
        findings: of templates in file order, then of categories.
        ledger: what the held-out policy withheld; None without a policy.
    """

    instances: tuple[TaskInstance, ...]
    reserved: tuple[TaskInstance, ...]
    findings: tuple[Finding, ...]
    ledger: HeldOutLedger | None


def bind_pack(pack: Pack, config: RunConfig) -> BindResult:
    """Bind the templates of a pack under a run config's budgets and seed, and hold all that comes of it."""
    binding = Binding(pack, config)
    instances = tuple(binding.instances())
    return BindResult(
        instances=instances,
        reserved=tuple(binding.reserved()),
        findings=binding.findings(),
        ledger=binding.ledger,
    )


class Binding:
    """Binds the templates of a pack under a run config's budgets and seed, one instance after the other.

    What is held is small: which combinations were drawn, and the ids of the instances, of which each must be unique.
    """

    def __init__(self, pack: Pack, config: RunConfig) -> None:
        policy = pack.held_out
        self._pack = pack
        self._reserved = frozenset(() if policy is None else policy.templates)
        self._bindable = _make_all_bindable(pack, config.random_seed)
        self._maker = _InstanceMaker(pack, config.random_seed)
        self._categories = categories_of(pack, config.task_generation, self._reserved)
        self._times: Counter[str] = Counter()
        self._repeated: dict[str, str] = {}

    @cached_property
    def _drawn(self) -> tuple[_Drawn, ...]:
        return tuple(_draw(category, self._bindable) for category in self._categories)

    @property
    def ledger(self) -> HeldOutLedger | None:
        """What the held-out policy withheld; None without a policy."""
        if self._pack.held_out is None:
            return None
        return _ledger(self._bindable.values(), self._reserved, sum(each.count for each in self._drawn))

    def instances(self) -> Iterator[TaskInstance]:
        """Yield the public instances: categories in order of first appearance, their templates taking turns."""
        for drawn in self._drawn:
            for instance in drawn.instances(self._maker):
                self._note(instance)
                yield instance

    def reserved(self) -> Iterator[TaskInstance]:
        """Yield one instance of each sound reserved template, for its proof only (`reference/validation.md` 8.2)."""
        for each in self._bindable.values():
            if each.template.template_id in self._reserved and each.combinations is not None:
                yield from self._maker.make(each, each.combinations, [next(iter(each.combinations))])

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found: of templates in file order, of categories, and of the instances so far."""
        nothing_left = [*check_policy_leaves_templates(self._pack, self._reserved)]
        of_templates = chain.from_iterable(each.findings for each in self._bindable.values())
        return (*of_templates, *nothing_left, *(() if nothing_left else self._shortfalls()), *self._repeated_ids())

    def _shortfalls(self) -> Iterator[Finding]:
        for category, drawn in zip(self._categories, self._drawn, strict=True):
            yield from check_category(self._pack, category, self._bindable, drawn.count)

    def _note(self, instance: TaskInstance) -> None:
        """Count an id, to find those that two instances share."""
        self._times[instance.task_id] += 1
        if self._times[instance.task_id] > 1:
            self._repeated.setdefault(instance.task_id, instance.template_id)

    def _repeated_ids(self) -> Iterator[Finding]:
        """Report ids that two instances share, which slot names like `n@correction0` can bring about."""
        for task_id, template_id in self._repeated.items():
            template = self._pack.template_named(template_id)
            place = None if template is None else template.at.place("slots")
            message = f"{self._times[task_id]} instances have the id {task_id}."
            yield finding("duplicate_task_id", message, at=place, template_id=template_id, task_id=task_id)


def _make_all_bindable(pack: Pack, seed: int) -> dict[int, Bindable]:
    """Return every template's `Bindable` by the template's index; ids may be repeated in a faulty file."""
    finder = CandidateFinder(pack)
    public, for_proof = Reservations.of(pack.held_out, finder.collections), Reservations.none()
    if pack.held_out is not None:
        for_proof = Reservations.for_reserved_template(pack.held_out, finder.collections)
    reserved = () if pack.held_out is None else pack.held_out.templates
    return {
        template.index: make_bindable(template, finder, for_proof if template.template_id in reserved else public, seed)
        for template in pack.templates
    }


@dataclass(frozen=True, slots=True)
class _InstanceMaker:
    """Makes instances of one pack under one seed."""

    pack: Pack
    seed: int

    def make(
        self, bindable: Bindable, combinations: Combinations, choices: Iterable[Sequence[int]]
    ) -> Iterator[TaskInstance]:
        """Yield the instance of each choice; the first one is the representative."""
        for number, choice in enumerate(choices):
            yield make_instance(
                bindable.template,
                self.pack.manifest,
                combinations.positions,
                choice,
                global_seed=self.seed,
                representative=number == 0,
            )


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What a category's budget drew of its sound templates: choices of each, in the order in which they are listed."""

    shares: tuple[tuple[Bindable, Combinations, list[tuple[int, ...]]], ...]

    @property
    def count(self) -> int:
        """How many instances there are."""
        return sum(len(choices) for _, _, choices in self.shares)

    def instances(self, maker: _InstanceMaker) -> Iterator[TaskInstance]:
        """Yield the instances, the templates taking turns."""
        made = [maker.make(*share) for share in self.shares]
        return (instance for turn in zip_longest(*made) for instance in turn if instance is not None)


def _draw(category: Category, bindable: Mapping[int, Bindable]) -> _Drawn:
    sound = [
        (each, each.combinations)
        for template in category.templates
        if (each := bindable[template.index]).combinations is not None
    ]
    supplies = [iter(combinations) for _, combinations in sound if combinations is not None]
    budget = len(sound) if category.setting is None else category.drawn
    shares = share_out(supplies, budget)
    for supply, share in zip(supplies, shares, strict=True):
        if next(supply, None) is None:
            share.sort()
    return _Drawn(
        tuple(
            (each, combinations, share)
            for (each, combinations), share in zip(sound, shares, strict=True)
            if combinations is not None
        )
    )


def _ledger(bindable: Iterable[Bindable], reserved: frozenset[str], tasks: int) -> HeldOutLedger:
    public = [each for each in bindable if each.template.template_id not in reserved]
    return HeldOutLedger(
        bind_attempts=sum(each.attempts for each in public),
        blocked_templates=tuple(sorted(reserved)),
        blocked_fixture_refs=tuple(sorted({ref for each in public for ref in each.blocked})),
        tasks_expanded=tasks,
    )
