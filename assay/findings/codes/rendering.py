"""Codes of putting conversations into words."""

from typing import Final

from assay.findings.finding import Check, Code, Severity

_CONTRACT = Check.REPRESENTATIVE_GENERATION_CONTRACT

_LANGUAGES: Final = (
    Code(
        name="language_not_offered",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="The language of the run is not one in which the opening turns are written, or none can be chosen.",
        why="Not one conversation can be put into words.",
        fix="Write the opening turns in that language, or name another as the manifest's `default_language`.",
    ),
    Code(
        name="language_gap",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A block of texts lacks the language of the run.",
        why="The conversation would change language in the middle or have no text at all.",
        fix="Add a text in that language to the block.",
    ),
    Code(
        name="default_system_prompt_in_other_language",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="The pack speaks another language than the built-in English system prompt and has none of its own.",
        why="A prompt in another language than the conversation changes how models answer, and so what is measured.",
        fix="Write `system_prompt` in the manifest (or name a file with `system_prompt_path`) in that language.",
    ),
    Code(
        name="unknown_exempt_tool",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="`surface_guards.tool_names_exempt` names something that is no tool of the pack.",
        why="The exemption was meant for a tool whose name stays forbidden instead.",
        fix="Correct the name or remove it.",
    ),
)

_TEXTS: Final = (
    Code(
        name="missing_assistant_turn_templates",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A text milestone has no wording anywhere.",
        why="The assistant's turn would be empty.",
        fix="Add `assistant_turn_templates.<type>` to the manifest, or wording to the template or milestone.",
    ),
    Code(
        name="unbound_placeholder",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A text or an argument has a placeholder to which nothing gives a value.",
        why="The turn cannot be put into words, or the call cannot be made.",
        fix="Correct the name, or declare a slot of that name.",
    ),
    Code(
        name="suspicious_placeholder",
        severity=Severity.WARNING,
        check=_CONTRACT,
        meaning="A brace group looks like a placeholder but is none, so it stays in the text as it is.",
        why="Users and models would read braces where a value was meant.",
        fix="Use an ASCII name in single braces, such as `{book_id}`, or write the text without braces.",
    ),
    Code(
        name="value_renders_as_code",
        severity=Severity.WARNING,
        check=_CONTRACT,
        meaning="A value that a user speaks reads like program code: True, None, a list or 1e+16.",
        why="No user talks like that, and the conversation gives away that it was made from a template.",
        fix="Write the phrase out, or give the user a slot with words and the call a slot with the value.",
    ),
    Code(
        name="slot_name_unresolved",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A text uses `{slot_name}`, but it is not clear which slot is meant.",
        why="The question cannot name what it asks for.",
        fix="Add `slot: <name>` to the milestone, or give it a text without `{slot_name}`.",
    ),
    Code(
        name="label_without_language",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A slot has a label, but not in the language of the run.",
        why="The question would name the slot in another language.",
        fix="Add the label in that language.",
    ),
    Code(
        name="empty_turn",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A turn of the user or the assistant is blank.",
        why="A model would be asked to answer nothing.",
        fix="Write the text, or keep blank values out of the slot that makes it up.",
    ),
)

_GUARDS: Final = (
    Code(
        name="representative_surface_guard_violation",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A user's turn lacks a value that it must state, or holds one (or a name) that it must not.",
        why="The model would have to guess, or would be told what it has to find out; the row is not published.",
        fix="Put the value into the text, take it out, or change the slot's `visible_in_first_turn`.",
    ),
    Code(
        name="ineffective_guard",
        severity=Severity.WARNING,
        check=_CONTRACT,
        meaning="A wording guard names no slot of the template, or is an empty phrase.",
        why="The guard was meant to protect something that stays unprotected.",
        fix="Correct the name or remove the entry.",
    ),
    Code(
        name="assistant_reveals_withheld_value",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="An assistant turn states a withheld value before the user did.",
        why="The assistant knows what nobody has told it, so the question that follows tests nothing.",
        fix="Take the value out of the assistant's text, or let the user state it first.",
    ),
    Code(
        name="assistant_names_tool",
        severity=Severity.WARNING,
        check=_CONTRACT,
        meaning="An assistant text names a tool.",
        why="The context tells the model which tool to call next.",
        fix="Say what is done in words, or list the tool under `surface_guards.tool_names_exempt`.",
    ),
)

CODES: Final[tuple[Code, ...]] = (*_LANGUAGES, *_TEXTS, *_GUARDS)
