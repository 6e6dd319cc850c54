"""Assertion strength as text for people: one line, then the templates whose assertions notice least.

Survivors that changed what no call touched are counted and not named: hardly any assertion can know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.checks.strength import Strength, TemplateStrength

MOST_TEMPLATES: Final = 3
MOST_SURVIVORS: Final = 3
_INDENT: Final = " " * 9


def strength_lines(strength: Strength) -> Iterator[Text]:
    """Yield the section: nothing when there was no evidence to mutate, and a word when nobody asked."""
    if not strength.measured:
        yield Text("assertion strength: not measured, mutants were left out", style="yellow")
    elif strength.total:
        yield Text(f"assertion strength: {strength.killed} of {strength.total} wrong replays (mutants) killed")
        weak = [each for each in strength.templates if each.overlooked or each.undecided]
        yield from _weak_lines(sorted(weak, key=lambda each: each.killed / each.total))


def _weak_lines(weak: Sequence[TemplateStrength]) -> Iterator[Text]:
    """Yield a line for each of the weakest; all survivors are in the report's JSON and in the table `mutants`."""
    for each in weak[:MOST_TEMPLATES]:
        yield Text.assemble(_INDENT, f"{each.template_id} {each.killed}/{each.total}", (_told(each), "dim"))
    if len(weak) > MOST_TEMPLATES:
        yield Text(f"{_INDENT}... and {len(weak) - MOST_TEMPLATES} more templates with survivors", style="dim")


def _told(template: TemplateStrength) -> str:
    told = []
    if template.overlooked:
        named = ", ".join(template.survivors[: min(template.overlooked, MOST_SURVIVORS)])
        more = template.overlooked - MOST_SURVIVORS
        told.append(f"survivors: {named}{f' and {more} more' if more > 0 else ''}")
    if template.undecided:
        told.append(f"undecided: {template.undecided}")
    idle = [each.assertion for each in template.assertions if each.total and not each.killed]
    if idle:
        told.append(f"never fails: {', '.join(idle)}")
    return "".join(f"; {each}" for each in told)
