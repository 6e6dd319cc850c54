"""Whether a pack can supply what the run config's mixes ask for (`reference/loading.md` 2.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.pack.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from assay.findings import Place
    from assay.pack.collector import Collector
    from assay.pack.model import Template


def conversation_shape(template: Template) -> str:
    """Return `single_turn` or `multi_turn`: whether the user speaks again after the opening turn."""
    return "multi_turn" if template.simulator_turns else "single_turn"


def tool_call_bucket(template: Template) -> str | None:
    """Return `1`, `2` or `3+`: how many calls the assistant makes; None for a template without calls."""
    calls = sum(milestone.type == "tool_call" for milestone in template.milestones)
    return None if calls == 0 else "3+" if calls > 2 else str(calls)


_NAMED: Final = 10
_SUPPLY: Final[Mapping[str, Callable[[Template], str | None]]] = {
    "difficulty_mix": lambda template: template.difficulty,
    "turn_mix": conversation_shape,
    "tool_call_count_mix": tool_call_bucket,
    "policy_mix": lambda template: template.turn_policy,
}


def check_mixes(
    templates: Sequence[Template], mixes: Mapping[str, Mapping[str, float]], at: Place, found: Collector
) -> None:
    """Report every label with a share above zero that no template carries. Reserved templates count as supply."""
    for mix, supply in _SUPPLY.items():
        there = {label for label in map(supply, templates) if label}
        asked = [label for label, share in mixes.get(mix, {}).items() if share > 0]
        for label in sorted(set(asked) - there):
            message = f"`task_generation.{mix}` asks for {quoted(label)}, but the templates have {_listed(there)}."
            found.add("mix_target_unavailable", message, at=at, detail={"mix": mix, "label": label})


def _listed(labels: Iterable[str]) -> str:
    named = ", ".join(quoted(label) for label in sorted(labels)[:_NAMED])
    return f"only {named}" if named else "none at all"
