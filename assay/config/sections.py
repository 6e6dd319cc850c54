"""The sections of a run config that shape a benchmark (`reference/loading.md` 11.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from assay.config import values
from assay.findings import Severity
from assay.pack.model import TURN_POLICIES
from assay.pack.wording import described

if TYPE_CHECKING:
    from assay.pack.fields import Fields

_SURFACE_FLAGS: Final = {"preserve_slot_values": True, "prevent_tool_name_leakage": True}
_SURFACE_KEYS: Final = (
    "language",
    "model_paraphrase_enabled",
    "paraphrases_per_template",
    "surface_style_axes",
    *_SURFACE_FLAGS,
)
_BUILT_IN_STYLE_AXES: Final = 20

_COUNTS: Final = (
    "tasks_per_category",
    "candidate_tasks_per_category",
    "target_published_tasks",
    "max_turns",
    "max_tool_calls",
)
_MIXES: Final[dict[str, tuple[str, ...] | None]] = {
    "difficulty_mix": None,
    "turn_mix": ("single_turn", "multi_turn"),
    "tool_call_count_mix": ("1", "2", "3+"),
    "policy_mix": TURN_POLICIES,
}

_WHEN_ENABLED: Final = ("model_identifier", "n_clusters", "eps", "remove_duplicates")
_CAPS: Final = ("max_exact_surface_reuse", "max_rows_per_intent", "max_execution_case_reuse")
_DEDUPLICATION_KEYS: Final = (
    "contract_version",
    "enabled",
    *_WHEN_ENABLED,
    *_CAPS,
    "min_exact_surface_ratio",
    "representative_source_preference",
    "unmet_target_policy",
)


def check_surface(surface: Fields) -> dict[str, Any]:
    """Check `surface_generation` and return what stages read of it."""
    surface.check_keys(_SURFACE_KEYS, unknown=Severity.ERROR)
    enabled = surface.flag("model_paraphrase_enabled", default=False)
    count = surface.whole("paraphrases_per_template", at_least=0)
    axes = _style_axes(surface)
    if enabled and not count:
        values.invalid(surface, "paraphrases_per_template", "must be at least 1 while paraphrasing is on")
    elif count and not enabled:
        values.invalid(surface, "paraphrases_per_template", "must be 0 while paraphrasing is off")
    elif count is not None and count > axes:
        values.invalid(surface, "paraphrases_per_template", f"must not exceed the number of style axes, {axes}")
    return {"language": values.nonblank(surface, "language"), **values.flags(surface, _SURFACE_FLAGS)}


def _style_axes(surface: Fields) -> int:
    """Return how many style axes there are."""
    if surface.get("surface_style_axes") is None:
        return _BUILT_IN_STYLE_AXES
    axes = surface.distinct_names("surface_style_axes")
    if surface.get("surface_style_axes") == []:
        values.invalid(surface, "surface_style_axes", "must not be empty")
    return len(axes) or _BUILT_IN_STYLE_AXES


def check_quality(quality: Fields, *, judge_enabled: bool) -> None:
    """Check `surface_quality_validation`."""
    quality.check_keys(("contract_version", "enabled", "drop_authority"), unknown=Severity.ERROR)
    values.choice(quality, "contract_version", ("1.1",))
    if judge_enabled and not quality.flag("enabled", default=False):
        values.invalid(quality, "enabled", "must be true while the surface judge is on")
    elif not judge_enabled:
        quality.flag("enabled", default=False)
    if quality.flag("drop_authority", default=False) and not judge_enabled:
        values.invalid(quality, "drop_authority", "needs an enabled surface judge")


def check_tasks(tasks: Fields) -> dict[str, Any]:
    """Check `task_generation` and return what stages read of it; in a file, one task per category is the default."""
    tasks.check_keys((*_COUNTS, *_MIXES, "max_intent_share"), unknown=Severity.ERROR)
    counts = {name: tasks.whole(name, at_least=1) for name in _COUNTS}
    values.share(tasks, "max_intent_share")
    per_category = counts["tasks_per_category"] or 1
    candidates = counts["candidate_tasks_per_category"]
    if candidates is not None and candidates < per_category:
        what = f"must be at least `task_generation.tasks_per_category`, {per_category}, but it is {candidates}"
        values.invalid(tasks, "candidate_tasks_per_category", what)
    mixes = {name: values.mix(tasks, name, labels) for name, labels in _MIXES.items()}
    return {
        "tasks_per_category": per_category,
        "candidate_tasks_per_category": candidates,
        "mixes": {name: shares for name, shares in mixes.items() if shares},
    }


def check_deduplication(deduplication: Fields, quality: Fields) -> None:
    """Check `semantic_deduplication_config`. Its caps and words are checked even while it is off."""
    deduplication.check_keys(_DEDUPLICATION_KEYS, unknown=Severity.ERROR)
    values.choice(deduplication, "contract_version", ("1.0",))
    values.nonblank(deduplication, "model_identifier")
    deduplication.whole("n_clusters", at_least=1)
    values.share(deduplication, "eps", below_one=True)
    deduplication.flag("remove_duplicates", default=False)
    for name in _CAPS:
        deduplication.whole(name, at_least=1)
    values.share(deduplication, "min_exact_surface_ratio")
    values.choice(deduplication, "unmet_target_policy", ("abort", "publish_non_gold"))
    _check_preference(deduplication)
    if deduplication.flag("enabled", default=False):
        if quality.get("enabled") is not True:
            values.invalid(deduplication, "enabled", "needs `surface_quality_validation.enabled`")
        for name in _WHEN_ENABLED:
            deduplication.require(name)


def _check_preference(deduplication: Fields) -> None:
    name, known = "representative_source_preference", ("template", "model")
    if deduplication.get(name) == []:
        values.invalid(deduplication, name, "must not be empty")
    for word, index in deduplication.distinct_names(name).items():
        if word not in known:
            what = f"must be one of `template`, `model`, but it is {described(word)}"
            deduplication.report("invalid_setting", f"{deduplication.named(name, index)} {what}.", name, index)


def check_exports(exports: Fields) -> None:
    """Check `exports`."""
    names = {"bfcl_json": False, "nemo_evaluator_bundle": False}
    exports.check_keys(names, unknown=Severity.ERROR)
    values.flags(exports, names)
