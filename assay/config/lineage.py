"""`lineage`: which models had a hand in a benchmark (`reference/loading.md` 11.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from assay.config import values
from assay.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.pack.fields import Fields

POLICIES: Final = ("strict_separation", "smoke_no_publication")
ROLES: Final = ("profile", "paraphrase", "surface_judge")
_KEYS: Final = ("policy", "roles", "profile_influenced_surface", "judge_advisory")
_MODEL_FIELDS: Final = ("alias", "provider", "model", "canonical_id")
_SECRETS: Final = frozenset(
    (
        "api_key",
        "apikey",
        "authorization",
        "bearer_token",
        "password",
        "secret",
        "token",
        "access_token",
        "auth_token",
    )
)
_SECRET_ENDINGS: Final = ("_api_key", "_password", "_secret", "_access_token", "_auth_token")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """What later checks need of `lineage`."""

    policy: str
    profile_enabled: bool
    judge_enabled: bool


def check_lineage(fields: Fields, surface: Fields, quality: Fields) -> Lineage:
    """Check `lineage`, and what it and the wording sections say about one another.

    Args:
        fields: reader of the whole config.
        surface: reader of `surface_generation`.
        quality: reader of `surface_quality_validation`.
    """
    lineage = fields.below("lineage", fields.mapping("lineage"))
    lineage.check_keys(_KEYS, unknown=Severity.ERROR)
    for path in _secret_paths(dict(lineage.data), ()):
        message = f"{lineage.named(*path)} looks like a secret; name where to find it instead of writing it down."
        lineage.report("invalid_setting", message, *path, key=True)
    policy = values.choice(lineage, "policy", POLICIES) or POLICIES[0]
    identities = _enabled_roles(lineage)
    if policy == "strict_separation":
        _check_distinct(lineage, identities)
    paraphrasing = surface.get("model_paraphrase_enabled") is True
    if paraphrasing != ("paraphrase" in identities):
        what = "must say the same as `lineage.roles.paraphrase.enabled`"
        values.invalid(surface, "model_paraphrase_enabled", what)
    if lineage.flag("profile_influenced_surface", default=False) and not (paraphrasing and "profile" in identities):
        what = "needs an enabled profile role and paraphrasing"
        values.invalid(lineage, "profile_influenced_surface", what)
    _check_judge(lineage, quality, enabled="surface_judge" in identities)
    return Lineage(policy=policy, profile_enabled="profile" in identities, judge_enabled="surface_judge" in identities)


def _secret_paths(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of all keys that are named like secrets, at any depth."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in parts:
        name = step.casefold().replace("-", "_") if isinstance(step, str) else ""
        if name in _SECRETS or name.endswith(_SECRET_ENDINGS):
            yield (*path, step)
        yield from _secret_paths(part, (*path, step))


def _enabled_roles(lineage: Fields) -> dict[str, str | None]:
    """Return the enabled roles with the canonical ids of their models."""
    roles = lineage.below("roles", lineage.mapping("roles"))
    roles.check_keys(ROLES, unknown=Severity.ERROR)
    enabled: dict[str, str | None] = {}
    for name in ROLES:
        role = roles.below(name, roles.mapping(name))
        role.check_keys(("enabled", "model_config"), unknown=Severity.ERROR)
        model = role.below("model_config", role.mapping("model_config"))
        model.mapping("inference_parameters")
        if role.flag("enabled", default=False):
            for key in _MODEL_FIELDS:
                if model.require(key):
                    values.nonblank(model, key)
            canonical = model.get("canonical_id")
            enabled[name] = canonical.strip().lower() if isinstance(canonical, str) else None
    return enabled


def _check_distinct(lineage: Fields, identities: dict[str, str | None]) -> None:
    first: dict[str, str] = {}
    for role, identity in identities.items():
        if identity and first.setdefault(identity, role) != role:
            path = ("roles", role, "model_config", "canonical_id")
            message = f"{lineage.named(*path)} is the model of `{first[identity]}` too; strict separation forbids that."
            lineage.report("invalid_setting", message, *path)


def _check_judge(lineage: Fields, quality: Fields, *, enabled: bool) -> None:
    if lineage.get("judge_advisory") is None:
        return
    advisory = lineage.flag("judge_advisory", default=False)
    if not enabled:
        values.invalid(lineage, "judge_advisory", "must be null while the surface judge is off")
    elif advisory == (quality.get("drop_authority") is True):
        what = "must be the opposite of `surface_quality_validation.drop_authority`"
        values.invalid(lineage, "judge_advisory", what)
