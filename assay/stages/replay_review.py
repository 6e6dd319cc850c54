"""What the replays say about the pack.

`ReplayReview` watches the stream of replays go by and collects findings: episodes that did not end, results that the
contract does not allow, expected calls that were refused, and states that changed against the declarations (rulings 24,
30, 33 and 35). A fault of a template is told once, with the number of its tasks.

Within a task the first failing call is the root; what fails after it is marked as its consequence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.findings import Check, Finding, finding
from assay.oracle.evidence import failure_from_json
from assay.oracle.failures import failure_finding
from assay.stages.rejections import Rejections
from assay.stages.results import ResultClass, classify
from assay.stages.tally import FindingTally
from assay.values import canonical_json, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.findings import Place
    from assay.pack.model import Pack, Template
    from assay.stages.records import Replay, ReplayedCall
    from assay.stages.tally import TallyKey

_CONTRACT = Check.REPRESENTATIVE_GENERATION_CONTRACT
_BEFORE_ANY_TASK = ("import", "reset")


class ReplayReview:
    """Collects findings from replays.

    Attributes:
        final: False as soon as a replay rests on a deadline or a dead worker (ruling 40).
    """

    def __init__(self, pack: Pack) -> None:
        self.final = True
        self._pack = pack
        self._tally = FindingTally()
        self._templates = {each.template_id: each for each in reversed(pack.templates)}
        self._mutating = frozenset(tool.name for tool in pack.tools if tool.mutates)
        self._rejections = Rejections(pack)

    def watch(self, replays: Iterable[Replay]) -> Iterator[Replay]:
        """Pass replays through, looking at each."""
        for replay in replays:
            self._look_at(replay)
            yield replay

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found so far, in order of first occurrence."""
        return self._tally.findings()

    def _look_at(self, replay: Replay) -> None:
        template = self._templates.get(replay.template_id)
        if template is None:
            return
        root = self._look_at_results(replay, template)
        if replay.failure is not None:
            self._add_failure(replay, template, root)
        if replay.completed:
            self._look_at_state(replay, template, root)
            self._look_for_rejection(replay, template)

    def _add_failure(self, replay: Replay, template: Template, root: TallyKey | None) -> None:
        """Tell how an episode ended; an oracle that cannot start or reset concerns no template in particular."""
        failure = failure_from_json(replay.failure or {})
        self.final = self.final and not failure.is_transient
        call = replay.calls[-1] if failure.op == "call_tool" and replay.calls else None
        general = failure.op in _BEFORE_ANY_TASK
        place = template.at.place() if call is None else call_place(template, call.call_index)
        told = failure_finding(
            failure,
            at=failure.place or place,
            check=_CONTRACT,
            template_id=None if general else template.template_id,
            task_id=replay.task_id,
            tool=None if call is None else call.tool,
        )
        self._tally.add(told, apart=(failure.op, failure.message if general else None), root=root)

    def _look_at_results(self, replay: Replay, template: Template) -> TallyKey | None:
        """Look at every result; return the key of the first finding, from which later failures of the task follow."""
        root: TallyKey | None = None
        for call in replay.calls:
            told = self._told_of_result(replay, template, call)
            if told is not None:
                key = self._tally.add(told, apart=call.call_index, root=root)
                root = root or key
        return root

    def _told_of_result(self, replay: Replay, template: Template, call: ReplayedCall) -> Finding | None:
        if replay.failure is not None and call is replay.calls[-1] and call.result is None:
            return None
        kind = classify(call.result, self._pack.manifest.confirmation)
        where = f"Call {call.call_index + 1} ({call.tool}) of {template.template_id}"
        answer = shown(call.result)
        if kind is ResultClass.NON_OBJECT:
            code, message = "non_object_result", f"{where} returned {answer}, which is not an object."
        elif kind is ResultClass.MALFORMED_ERROR:
            code, message = "malformed_error", f"{where} returned {answer}, whose `error` is not an object."
        elif kind is ResultClass.STRUCTURED_ERROR and template.turn_policy != "negative_path":
            code, message = "expected_call_failed", f"{where} was answered with {answer}."
        else:
            return None
        return finding(
            code,
            message,
            at=call_place(template, call.call_index),
            check=_CONTRACT,
            template_id=template.template_id,
            task_id=replay.task_id,
            tool=call.tool,
            detail={"arguments": shown(call.arguments, 1000)},
        )

    def _look_at_state(self, replay: Replay, template: Template, root: TallyKey | None) -> None:
        """Hold the change of state against the declarations (ruling 24)."""
        changed = canonical_json(replay.state_before) != canonical_json(replay.state_after)
        if template.mutates and not changed:
            message = (
                f"Template {template.template_id} declares `mutates: true`, but its replay leaves the state as it was."
            )
            self._add(replay, "template_mutation_not_observed", message, template.at.place("mutates"), root)
        elif changed and not self._may_mutate(template, replay):
            tools = ", ".join(dict.fromkeys(call.tool for call in replay.calls)) or "no tool"
            message = f"Replaying {template.template_id} changes the state, but neither it nor {tools} declares that."
            self._add(replay, "undeclared_mutation", message, template.at.place("mutates"), root)

    def _may_mutate(self, template: Template, replay: Replay) -> bool:
        return template.mutates or any(call.tool in self._mutating for call in replay.calls)

    def _look_for_rejection(self, replay: Replay, template: Template) -> None:
        if template.turn_policy == "negative_path" and not self._rejections.shown_by(replay, template):
            last = shown(replay.calls[-1].result) if replay.calls else "nothing"
            message = f"No result of negative path {template.template_id} shows a rejection; the last one is {last}."
            self._add(replay, "negative_path_shows_no_rejection", message, template.at.place("turn_policy"), None)

    def _add(self, replay: Replay, code: str, message: str, place: Place, root: TallyKey | None) -> None:
        told = finding(code, message, at=place, check=_CONTRACT, template_id=replay.template_id, task_id=replay.task_id)
        self._tally.add(told, root=root)


def call_place(template: Template, call_index: int) -> Place:
    """Return the place of the milestone that issues a call, or of the template when there is none."""
    calls = [milestone for milestone in template.milestones if milestone.type == "tool_call"]
    return calls[call_index].at.place() if call_index < len(calls) else template.at.place()
