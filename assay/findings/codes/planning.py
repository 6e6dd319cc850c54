"""Codes of planning conversations."""

from typing import Final

from assay.findings.finding import Check, Code, Severity

_NAMES = Check.TEMPLATE_TOOL_NAMES

CODES: Final[tuple[Code, ...]] = (
    Code(
        name="invalid_conversation_plan",
        severity=Severity.ERROR,
        check=_NAMES,
        meaning="Milestones and user turns do not make the conversation that the template's policy claims.",
        why="The task would be counted under a skill that it does not test, or could not be played at all.",
        fix="Change the milestones, the user turns or the `turn_policy` so that they agree.",
    ),
    Code(
        name="ask_for_slot_without_a_named_slot",
        severity=Severity.ERROR,
        check=_NAMES,
        meaning="An `ask_for_slot` milestone does not say which of several withheld slots it asks for.",
        why="Nobody can tell what the user has to answer, nor which value is known afterwards.",
        fix="Add `slot: <name>` to the milestone.",
    ),
    Code(
        name="ambiguous_milestone_reference",
        severity=Severity.WARNING,
        check=_NAMES,
        meaning="An `after` could mean several milestones, and the first of them is taken.",
        why="Moving a milestone would silently move the user's answer with it.",
        fix="Give the milestone an id that is neither a milestone type nor `<type>@<index>`, and refer to that.",
    ),
    Code(
        name="conversation_not_closed",
        severity=Severity.WARNING,
        check=_NAMES,
        meaning="A conversation ends on a user turn or on tool results.",
        why="The assistant never answers, so the row shows no finished exchange.",
        fix="Add a closing milestone, for example `final_answer`.",
    ),
)
