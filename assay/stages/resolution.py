"""Giving dependent calls what they read: one episode per instance, up to the last call that reads a result.

The calls before that one are really executed, each reading call with the arguments that the results so far make. An
episode that the oracle does not come through is a finding of the pack like any other; a result that lacks what is read
drops the instance alone, unless no instance of the template is left (ruling 25). What a result reveals of reserved rows
is not used either (ruling 17).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from assay.findings import Check, Finding, finding
from assay.oracle.evidence import CallTool, Episode, Evidence, Reset
from assay.oracle.failures import failure_finding
from assay.pack.fixtures import Collections
from assay.stages.context import episode_context
from assay.stages.dependent import CODE, UnreadResult, resolve
from assay.stages.held_out import Reservations
from assay.stages.patience import Patience
from assay.stages.superseded import value_at
from assay.stages.tally import FindingTally
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from assay.config import RunConfig
    from assay.findings import Place
    from assay.oracle.engine import Engine
    from assay.oracle.evidence import Failure
    from assay.pack.model import Pack
    from assay.stages.dependent import Marker
    from assay.stages.drafts import Draft
    from assay.stages.records import ExpectedCall
    from assay.values import JsonObject, JsonValue

_BEFORE_ANY_TASK = ("import", "reset")
_AT_A_TIME: Final = 1024
"""Drafts that are held at a time, those that wait for the oracle among them."""


@dataclass(slots=True)
class _Drops:
    """Instances of one template that were left without calls because of their own data."""

    first: Finding
    count: int = 0
    tally: FindingTally = field(default_factory=FindingTally)

    def findings(self, drafted: int) -> tuple[Finding, ...]:
        """Return what is told of them, when so many instances of the template were drafted."""
        return self.tally.findings() if self.count < drafted else (_nothing_left(self.first, self.count),)


class Resolution:
    """Resolves the dependent calls of drafts and collects what stands in the way.

    Attributes:
        final: False as soon as a trace rests on a deadline or a dead worker (ruling 40).
    """

    def __init__(self, pack: Pack, config: RunConfig, engine_source: Callable[[], Engine]) -> None:
        """Take the pack, the run config and what gives the engine; it is asked only when a draft waits."""
        self.final = True
        self._engine_source = engine_source
        self._pack = pack
        self._config = config
        self._patience = Patience()
        self._tally = FindingTally()
        self._drafts: Counter[str] = Counter()
        self._dropped: dict[str, _Drops] = {}
        self._reservations: dict[bool, Reservations] = {}

    def resolved(self, drafts: Iterable[Draft]) -> Iterator[Draft]:
        """Pass drafts through, those that wait with the calls that results make, or with why there are none."""
        source = iter(drafts)
        while some := tuple(islice(source, _AT_A_TIME)):
            self._drafts.update(draft.instance.template_id for draft in some)
            waiting = [draft for draft in some if draft.waits]
            if waiting:
                self._resolve(waiting)
            yield from some

    def _resolve(self, waiting: Sequence[Draft]) -> None:
        """Resolve drafts that wait, in place."""
        if not (self._pack.has_usable("backend") or self._pack.has_usable("endpoint")):
            for draft in waiting:
                self._tell_no_oracle(draft)
            return
        skipped: set[str] = set()
        evidence = self._engine_source().run(self._episode(draft, skipped) for draft in waiting)
        for draft, each in zip(waiting, evidence, strict=True):
            if draft.instance.task_id in skipped:
                failure = self._patience.failure(draft.instance.template_id)
                self._take(draft, Evidence(results=(), failure=failure))
            else:
                self._patience.note(draft.instance.template_id, each.failure)
                self._take(draft, each)

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found so far, drops of instances last."""
        drops = (each for name, dropped in self._dropped.items() for each in dropped.findings(self._drafts[name]))
        return (*self._tally.findings(), *drops)

    def _episode(self, draft: Draft, skipped: set[str]) -> Episode:
        """Return the episode of an instance, or a mere reset when its template is not waited for any more."""
        instance = draft.instance
        context = episode_context(self._pack, self._config, task_id=instance.task_id, seed=instance.seed)
        if self._patience.is_spent(instance.template_id):
            skipped.add(instance.task_id)
            return Episode(context=context, steps=(Reset(),))
        return Episode(context=context, steps=(Reset(), *_steps(draft)))

    def _take(self, draft: Draft, evidence: Evidence) -> None:
        """Finish a draft from what its episode came to."""
        if evidence.failure is not None:
            self._tell_failure(draft, evidence.failure)
        elif isinstance(evidence.stopped, UnreadResult):
            self._tell_unread(draft, evidence.stopped)
        else:
            try:
                draft.calls = tuple(_resolved(draft, evidence.results[1:]))
            except UnreadResult as unread:
                self._tell_unread(draft, unread)
            else:
                self._look_for_reserved(draft)

    def _tell_no_oracle(self, draft: Draft) -> None:
        marker = _first_marker(draft)
        draft.drop_reason = "its calls read results, but the pack has no oracle to ask"
        told = finding(
            CODE,
            f"{draft.instance.template_id} reads {marker.source}, but the pack has no oracle that could give a result",
            at=marker.at,
            template_id=draft.instance.template_id,
            task_id=draft.instance.task_id,
            detail={"kind": "no_oracle"},
        )
        self._tally.add(told)

    def _tell_failure(self, draft: Draft, failure: Failure) -> None:
        """Tell how an episode ended; an oracle that cannot start or reset concerns no template in particular."""
        self.final = self.final and not failure.is_transient
        draft.drop_reason = f"the oracle did not come through: {failure.message}"
        general = failure.op in _BEFORE_ANY_TASK
        call = None if failure.step is None or failure.op != "call_tool" else draft.calls[failure.step - 1]
        told = failure_finding(
            failure,
            at=self._place_of(draft, call),
            check=Check.REPRESENTATIVE_GENERATION_CONTRACT,
            template_id=None if general else draft.instance.template_id,
            task_id=draft.instance.task_id,
            tool=None if call is None else call.function_name,
        )
        self._tally.add(told, apart=(failure.op, failure.message if general else None))

    def _place_of(self, draft: Draft, call: ExpectedCall | None) -> Place:
        template = draft.template
        return template.template.at.place() if call is None else template.calls[call.milestone].place_of(())

    def _tell_unread(self, draft: Draft, unread: UnreadResult) -> None:
        if not unread.blames_template:
            self._drop(draft, unread.marker, str(unread))
            return
        draft.drop_reason = str(unread)
        told = finding(
            CODE,
            f"In {draft.instance.template_id}, {unread}",
            at=unread.marker.at,
            template_id=draft.instance.template_id,
            task_id=draft.instance.task_id,
            detail={"kind": "path_does_not_fit"},
        )
        self._tally.add(told)

    def _look_for_reserved(self, draft: Draft) -> None:
        """Drop an instance that would use the id of a reserved row (ruling 17)."""
        reservations = self._reservations_for(draft.instance.template_id)
        for call in draft.calls:
            for marker in draft.template.markers.get(call.milestone, ()):
                value = value_at(call.arguments, marker.path)
                if reservations.read_by(marker, value):
                    why = f"{marker.source} is {shown(value, 60)}, which the held-out policy reserves"
                    self._drop(draft, marker, why)
                    return

    def _reservations_for(self, template_id: str) -> Reservations:
        """Return what a template's instances must not read."""
        policy = self._pack.held_out
        if policy is None:
            return Reservations.none()
        is_reserved = template_id in policy.templates
        if is_reserved not in self._reservations:
            collections = Collections(self._pack.fixtures, self._pack.fixtures_at, self._pack.manifest.primary_keys)
            make = Reservations.for_reserved_template if is_reserved else Reservations.of
            self._reservations[is_reserved] = make(policy, collections)
        return self._reservations[is_reserved]

    def _drop(self, draft: Draft, marker: Marker, why: str) -> None:
        """Leave an instance without calls because of its own data."""
        draft.drop_reason = why
        told = finding(
            "trace_not_derived",
            f"An instance of {draft.instance.template_id} was dropped: {why}",
            at=marker.at,
            template_id=draft.instance.template_id,
            task_id=draft.instance.task_id,
            detail={"reason": why},
        )
        dropped = self._dropped.setdefault(draft.instance.template_id, _Drops(told))
        dropped.count += 1
        dropped.tally.add(told)


def _first_marker(draft: Draft) -> Marker:
    return next(marker for call in draft.calls for marker in draft.template.markers.get(call.milestone, ()))


def _steps(draft: Draft) -> Iterator[CallTool]:
    """Yield the calls before the last one that reads a result; those that read are given their arguments on the way."""
    last = max(index for index, call in enumerate(draft.calls) if call.milestone in draft.template.markers)
    for call in draft.calls[:last]:
        reads = call.milestone in draft.template.markers
        arguments = _asking(draft, call) if reads else call.arguments
        yield CallTool(call.function_name, arguments, call.turn_index)


def _asking(draft: Draft, call: ExpectedCall) -> Callable[[Sequence[JsonValue]], JsonObject]:
    def arguments(results: Sequence[JsonValue]) -> JsonObject:
        return _arguments(draft, call, results)

    return arguments


def _arguments(draft: Draft, call: ExpectedCall, results: Sequence[JsonValue]) -> JsonObject:
    """Return a call's arguments under the results of the calls before it."""
    by_milestone = {each.milestone: result for each, result in zip(draft.calls, results, strict=False)}
    return resolve(call.arguments, draft.template.markers.get(call.milestone, ()), by_milestone)


def _resolved(draft: Draft, results: Sequence[JsonValue]) -> Iterator[ExpectedCall]:
    """Yield the calls with all arguments.

    Raises:
        UnreadResult: when a result does not hold what a call reads.
    """
    for call in draft.calls:
        yield replace(call, arguments=_arguments(draft, call, results))


def _nothing_left(first: Finding, count: int) -> Finding:
    """Return the error that takes the place of the warnings when no instance of a template is left."""
    reason = (first.detail or {}).get("reason")
    how_many = f"all {count} instances" if count > 1 else "the only instance"
    return finding(
        "every_instance_dropped",
        f"No task is left of {first.template_id}: {how_many} dropped, {reason}",
        at=first.place,
        template_id=first.template_id,
        task_id=first.task_id,
        detail={"reason": reason, "instances": count},
    )
