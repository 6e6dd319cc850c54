"""Rendering: every planned conversation in words, held to its surface guards.

What concerns a template as such is worked out once (`texts`, `guards`); an instance only fills in its values. A
template that cannot be rendered costs no other template anything: its instances are left out and its findings say why
(`reference/bind-plan-render.md` 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from assay.findings import Finding, finding
from assay.stages.assistant_guards import named_tools, reveal_finding, revealed_values, tool_name_finding
from assay.stages.by_task import pair_up
from assay.stages.guards import Guards, ineffective_guards, violation_finding
from assay.stages.languages import settle_wording
from assay.stages.matching import composed
from assay.stages.placeholders import fill_text, renders_as_code
from assay.stages.records import RenderedConversation, RenderedTurn
from assay.stages.speech import ASSISTANT, USER, Speech
from assay.stages.tally import FindingTally
from assay.stages.texts import TextReader
from assay.stages.timeline import moments
from assay.stages.tool_names import ToolNames

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.config import RunConfig
    from assay.pack.model import Pack, Template
    from assay.stages.records import ConversationPlan, GuardViolation, PlanStep, TaskInstance
    from assay.stages.texts import TemplateTexts, Text
    from assay.stages.timeline import Moment

_MAX_VALUE: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderResult:
    """What rendering leaves.

    Attributes:
        conversations: in the order of the instances; those that could not be rendered are left out.
        findings: about the run, then about templates, then about instances.
    """

    conversations: tuple[RenderedConversation, ...]
    findings: tuple[Finding, ...]


def render_pack(
    pack: Pack, instances: Iterable[TaskInstance], plans: Iterable[ConversationPlan], config: RunConfig
) -> RenderResult:
    """Render every instance that has a plan, and hold all that comes of it. Plans are in the order of the instances."""
    rendering = Rendering(pack, config)
    conversations = tuple(rendering.conversations(pair_up(instances, plans)))
    return RenderResult(conversations=conversations, findings=rendering.findings())


class Rendering:
    """Renders planned instances as they come, and checks the texts of every template, with or without instances."""

    def __init__(self, pack: Pack, config: RunConfig) -> None:
        wording = settle_wording(pack, config)
        self._scripts: dict[str, _Script] = {}
        self._static = [*wording.findings]
        self._renderer: _Renderer | None = None
        if wording.language is not None:
            reader = TextReader(pack, wording.language)
            tool_names = ToolNames(wording.guarded_tools)
            of_guards = [*self._read_scripts(pack, config, reader, tool_names)]
            self._static += [*reader.findings(), *of_guards]
            self._renderer = _Renderer(wording.language, wording.system_prompt.id, tool_names)

    def _read_scripts(
        self, pack: Pack, config: RunConfig, reader: TextReader, tool_names: ToolNames
    ) -> Iterator[Finding]:
        """Read the texts of every template; yield what is wrong with its guards."""
        for template in pack.templates:
            texts = reader.read(template)
            yield from ineffective_guards(template)
            if texts is not None:
                guards = Guards(template, config.surface_generation, tool_names)
                self._scripts.setdefault(template.template_id, _Script(template, texts, guards))

    def conversations(self, tasks: Iterable[tuple[TaskInstance, ConversationPlan]]) -> Iterator[RenderedConversation]:
        """Yield the conversations of planned instances in their order; those that cannot be rendered are left out."""
        renderer = self._renderer
        for instance, plan in () if renderer is None else tasks:
            script = self._scripts.get(instance.template_id)
            rendered = None if renderer is None or script is None else renderer.render(instance, plan, script)
            if rendered is not None:
                yield rendered

    def findings(self) -> tuple[Finding, ...]:
        """Return what was found so far: about the run, then about templates, then about instances."""
        of_instances = () if self._renderer is None else self._renderer.tally.findings()
        return (*self._static, *of_instances)


class _Script:
    """What rendering needs of a template."""

    def __init__(self, template: Template, texts: TemplateTexts, guards: Guards) -> None:
        self.texts = texts
        self.guards = guards
        self.withheld = tuple(slot.name for slot in template.withheld)

    def text_of(self, step: PlanStep) -> Text:
        """Return the text of a user's step or an assistant's text step."""
        if step.kind == "text":
            return self.texts.steps[step.milestones[0]]
        return self.texts.opening if step.entry_index is None else self.texts.replies[step.entry_index]


class _Renderer:
    """Renders instances and collects what is wrong with them."""

    def __init__(self, language: str, system_prompt_id: str, tool_names: ToolNames) -> None:
        self.tally = FindingTally()
        self._language = language
        self._system_prompt_id = system_prompt_id
        self._tool_names = tool_names

    def render(self, instance: TaskInstance, plan: ConversationPlan, script: _Script) -> RenderedConversation | None:
        """Return an instance's conversation; None when a turn of it is blank, which is told."""
        turns: list[RenderedTurn] = []
        speeches: list[Speech] = []
        for moment in moments(instance, plan):
            step = moment.step
            role = USER if step.kind == "user" else ASSISTANT
            content = None if step.kind == "calls" else self._say(moment, role, script.text_of(step), instance)
            if content is not None:
                milestone = step.milestones[0] if step.milestones else None
                speeches.append(Speech(moment.turn, role, step.entry_index, milestone, composed(content)))
            elif step.kind != "calls":
                return None
            turns.append(RenderedTurn(turn=moment.turn, role=role, content=content, call_group=step.call_group))
        return RenderedConversation(
            task_id=instance.task_id,
            template_id=instance.template_id,
            language=self._language,
            system_prompt_id=self._system_prompt_id,
            turns=tuple(turns),
            guard_violations=self._check(instance, plan, script, speeches),
        )

    def _say(self, moment: Moment, role: str, text: Text, instance: TaskInstance) -> str | None:
        """Return a turn's text with its values; None, told, when that is blank."""
        if not text.names:
            return text.template
        content = fill_text(text.template, {**moment.named, **text.fixed} if text.fixed else moment.named)
        where = f"Turn {moment.turn + 1} ({role}) of {instance.template_id}"
        if not content.strip():
            self._tell("empty_turn", f"{where} is blank", text, instance)
            return None
        for name in text.names if role == USER else ():
            value = moment.named[name]
            if renders_as_code(value):
                message = f"{where} says `{str(value)[:_MAX_VALUE]}` for `{name}`"
                self._tell("value_renders_as_code", message, text, instance, slot=name)
        return content

    def _tell(self, code: str, message: str, text: Text, instance: TaskInstance, slot: str | None = None) -> None:
        told = finding(
            code,
            message,
            at=text.at.place(),
            template_id=instance.template_id,
            task_id=instance.task_id,
            slot=slot,
        )
        self.tally.add(told)

    def _check(
        self, instance: TaskInstance, plan: ConversationPlan, script: _Script, speeches: list[Speech]
    ) -> tuple[GuardViolation, ...]:
        """Hold a conversation to its guards and to those of the assistant's words."""
        ids = {"template_id": instance.template_id, "task_id": instance.task_id}
        violations = script.guards.check(instance, [speech for speech in speeches if speech.role == USER])
        for violation in violations:
            at = script.text_of(plan.steps[violation.turn]).at.place()
            self.tally.add(violation_finding(violation, at, **ids), apart=(violation.guard, violation.phrase))
        withheld = {name: instance.slots[name] for name in script.withheld}
        for speech, slot, value in revealed_values(speeches, withheld):
            at = script.text_of(plan.steps[speech.turn]).at.place()
            self.tally.add(reveal_finding(speech, slot, value, at, **ids))
        for speech, tool in named_tools(speeches, self._tool_names):
            at = script.text_of(plan.steps[speech.turn]).at.place()
            self.tally.add(tool_name_finding(speech, tool, at, **ids))
        return violations
