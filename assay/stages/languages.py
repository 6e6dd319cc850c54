"""What holds for the wording of a whole run: its language, its system prompt, the tool names to keep out of texts.

All of it is settled before any conversation is put into words (`reference/bind-plan-render.md` 3.2). One language per
run; there is no falling back from one language to another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.findings import Finding, Severity, finding
from assay.findings.spelling import did_you_mean
from assay.stages.system_prompt import DEFAULT_LANGUAGE, SystemPrompt, system_prompt_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.config import RunConfig
    from assay.pack.model import Pack

SMOKE_POLICY = "smoke_no_publication"


@dataclass(frozen=True, slots=True, kw_only=True)
class WordingContract:
    """What the run settled on.

    Attributes:
        language: None when none could be chosen; then nothing can be rendered.
        guarded_tools: names that user turns must not hold, sorted.
        findings: what is wrong with the above.
    """

    language: str | None
    system_prompt: SystemPrompt
    guarded_tools: tuple[str, ...]
    findings: tuple[Finding, ...]


def settle_wording(pack: Pack, config: RunConfig) -> WordingContract:
    """Settle language, system prompt and guarded tool names of a run."""
    language, trouble = _choose_language(pack, config.surface_generation.language)
    prompt = system_prompt_of(pack.manifest)
    found = [] if trouble is None else [trouble]
    if language is not None and language != DEFAULT_LANGUAGE and prompt.is_default:
        found.append(_foreign_prompt(pack, language, config.lineage_policy))
    found.extend(_unknown_exemptions(pack))
    exempt = set(pack.manifest.tool_names_exempt)
    guarded = sorted({tool.name for tool in pack.tools} - exempt)
    return WordingContract(language=language, system_prompt=prompt, guarded_tools=tuple(guarded), findings=tuple(found))


def available_languages(pack: Pack) -> tuple[str, ...]:
    """Return the languages of all templates' opening turns, sorted; later texts offer no language of their own."""
    return tuple(sorted({language for template in pack.templates for language in template.user_turn_templates}))


def _choose_language(pack: Pack, configured: str | None) -> tuple[str | None, Finding | None]:
    """Return the language, or why there is none: asked for, the default, the first offered one, the only one there."""
    available = available_languages(pack)
    manifest = pack.manifest
    if not available:
        return None, None
    for wanted, key in ((configured, None), (manifest.default_language, "default_language")):
        if wanted is not None:
            return (wanted, None) if wanted in available else (None, _not_offered(pack, wanted, key, available))
    listed = [language for language in manifest.languages if language in available]
    if listed or len(available) == 1:
        return (listed or available)[0], None
    return None, _undecided(pack, available)


def _not_offered(pack: Pack, wanted: str, key: str | None, available: tuple[str, ...]) -> Finding:
    by = "The run config asks for" if key is None else "`default_language` is"
    place = pack.manifest.at.place() if key is None else pack.manifest.at.place(key)
    hint = did_you_mean(wanted, available)
    return finding(
        "language_not_offered",
        f"{by} `{wanted}`, but the opening turns are written in {_listed(available)} only.{hint}",
        at=place,
        detail={"language": wanted, "available": list(available)},
    )


def _undecided(pack: Pack, available: tuple[str, ...]) -> Finding:
    return finding(
        "language_not_offered",
        f"No language of the manifest is one of the opening turns' ({_listed(available)}), and there is no default.",
        at=pack.manifest.at.place("languages"),
        fix="List the languages under `languages` in the manifest, the main one first.",
        detail={"language": None, "available": list(available)},
    )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _foreign_prompt(pack: Pack, language: str, lineage_policy: str) -> Finding:
    return finding(
        "default_system_prompt_in_other_language",
        f"The conversations are in `{language}`, but the pack has no system prompt of its own and the built-in one is"
        f" in `{DEFAULT_LANGUAGE}`.",
        at=pack.manifest.at.place(),
        severity=Severity.WARNING if lineage_policy == SMOKE_POLICY else None,
        detail={"language": language},
    )


def _unknown_exemptions(pack: Pack) -> Iterator[Finding]:
    if "tools" in pack.unusable:
        return
    known = [tool.name for tool in pack.tools]
    for index, name in enumerate(pack.manifest.tool_names_exempt):
        if name not in known:
            yield finding(
                "unknown_exempt_tool",
                f"`tool_names_exempt` names `{name}`, which is no tool of the pack.{did_you_mean(name, known)}",
                at=pack.manifest.at.place("surface_guards", "tool_names_exempt", index),
                tool=name,
            )
