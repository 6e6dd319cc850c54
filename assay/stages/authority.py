"""Confirmed changes that the user has not agreed to, seen in the template alone.

The schema check looks at every expected call. A template whose conversation breaks its policy has no calls to look at,
yet a call that confirms outright is there to be seen; it is told as a consequence of the broken conversation.

Source: the seed on task templates ("an unauthorized confirmed mutation"); `reference/trace-replay.md` 2.6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.findings import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.findings import Finding
    from assay.pack.model import Milestone, Pack, Template
    from assay.stages.conversation import PlanShape


def unauthorised_mutations(pack: Pack, template: Template, shape: PlanShape, root: Finding) -> Iterator[Finding]:
    """Yield the calls that set the confirmation parameter to true in a turn that no answered `ask_confirm` covers."""
    for step in shape.steps:
        if step.kind == "calls" and step.turn_index not in shape.confirmed_call_turns:
            for index in step.milestones:
                milestone = template.milestones[index]
                if _confirms(pack, milestone):
                    yield _told(pack, template, milestone).following(root)


def _confirms(pack: Pack, milestone: Milestone) -> bool:
    tool = pack.tool_named(milestone.tool)
    parameter = pack.manifest.confirmation.parameter
    return tool is not None and tool.requires_confirmation and milestone.args.get(parameter) is True


def _told(pack: Pack, template: Template, milestone: Milestone) -> Finding:
    parameter = pack.manifest.confirmation.parameter
    return finding(
        "confirmed_mutation_without_user_confirmation",
        f"The call of {milestone.tool} in {template.template_id} sets `{parameter}: true`, "
        "but the user has not agreed to it at this point.",
        at=milestone.at.place("args", parameter),
        template_id=template.template_id,
        tool=milestone.tool,
    )
