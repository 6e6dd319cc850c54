"""The manifest: what a pack says about itself (`reference/loading.md` 2.1)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from assay.findings import Severity
from assay.pack.bounds import MAX_DOCUMENT_BYTES
from assay.pack.fields import Fields
from assay.pack.model import TEXT_MILESTONES, ConfirmationProtocol, Manifest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.pack.collector import Collector
    from assay.pack.document import Document
    from assay.values import JsonValue

MANIFEST_KEYS: Final = (
    "pack_id",
    "version",
    "description",
    "languages",
    "default_language",
    "clock",
    "paths",
    "primary_keys",
    "absent_ids",
    "confirmation",
    "assistant_turn_templates",
    "system_prompt",
    "system_prompt_path",
    "surface_guards",
    "held_out",
)


def manifest_fields(document: Document, found: Collector) -> Fields | None:
    """Return the reader of a manifest document; None, reported, when it is no mapping."""
    if isinstance(document.data, dict):
        return Fields(data=document.data, at=document.anchor(), found=found)
    Fields(data={}, at=document.anchor(), found=found).wrong("a mapping", document.data)
    return None


def read_manifest(fields: Fields, prompt_from_file: str | None) -> Manifest:
    """Read a manifest.

    Args:
        fields: its reader. `paths` and `held_out` are read by `assay.pack.paths`.
        prompt_from_file: the text of the file that `system_prompt_path` names. An inline prompt wins over it.
    """
    fields.check_keys(MANIFEST_KEYS)
    return Manifest(
        pack_id=_identity(fields, "pack_id"),
        version=_identity(fields, "version"),
        description=fields.label_text("description", longest=MAX_DOCUMENT_BYTES),
        languages=tuple(fields.distinct_names("languages")),
        default_language=fields.text("default_language"),
        clock=_clock(fields),
        primary_keys=_primary_keys(fields),
        absent_ids=_absent_ids(fields),
        confirmation=_confirmation(fields),
        assistant_turn_templates=read_assistant_texts(fields),
        system_prompt=_system_prompt(fields, prompt_from_file),
        tool_names_exempt=_exempt_tool_names(fields),
        at=fields.at,
    )


def read_assistant_texts(fields: Fields) -> dict[str, dict[str, str]]:
    """Read `assistant_turn_templates` of a manifest or a template: milestone type -> language -> text."""
    below = fields.below("assistant_turn_templates", fields.mapping("assistant_turn_templates"))
    below.check_keys(TEXT_MILESTONES)
    return {kind: below.texts(kind) for kind in TEXT_MILESTONES if isinstance(_mapping_of(below, kind), dict)}


def _mapping_of(fields: Fields, name: str) -> Mapping[str, Any] | None:
    """Return a mapping that is there; None for an absent one, and, reported, for null or anything else."""
    value = fields.get(name)
    if isinstance(value, dict):
        return value
    if name in fields:
        fields.wrong("a mapping", value, name)
    return None


def _identity(fields: Fields, name: str) -> str:
    return (fields.identity(name) or "") if fields.require(name) else ""


def _clock(fields: Fields) -> str | None:
    clock = fields.text("clock")
    if clock is None or is_moment(clock):
        return clock
    message = f'`clock` must be a moment with a UTC offset, such as "2026-03-02T09:00:00+07:00", but it is "{clock}".'
    fields.report("invalid_clock", message, "clock")
    return None


def is_moment(text: str) -> bool:
    """Say whether a text is an ISO-8601 moment with a UTC offset."""
    try:
        return datetime.fromisoformat(text).utcoffset() is not None
    except ValueError:
        return False


def _primary_keys(fields: Fields) -> dict[str, str]:
    below = fields.below("primary_keys", fields.mapping("primary_keys"))
    keys = {collection: below.name(collection) for collection in below.data if below.require(collection)}
    return {collection: key for collection, key in keys.items() if key is not None}


def _absent_ids(fields: Fields) -> dict[str, tuple[JsonValue, ...]]:
    """Read ids that are promised not to exist: collection -> one text or a list of texts and numbers."""
    below = fields.below("absent_ids", fields.mapping("absent_ids"))
    ids: dict[str, tuple[JsonValue, ...]] = {}
    for collection, value in below.data.items():
        listed = value if isinstance(value, list) else [value]
        ids[collection] = tuple(each for each in listed if is_scalar_id(each))
        for index, each in enumerate(listed):
            at = (collection, index) if isinstance(value, list) else (collection,)
            if not is_scalar_id(each):
                below.wrong("an id", each, *at)
            elif isinstance(each, str) and not each.strip():
                below.report("blank_text", f"{below.named(*at)} is blank.", *at, severity=Severity.WARNING)
    return ids


def is_scalar_id(value: Any) -> bool:
    """Say whether a value can be the id of a row: a text or a number, never a boolean."""
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)


def _confirmation(fields: Fields) -> ConfirmationProtocol:
    below = fields.below("confirmation", fields.mapping("confirmation"))
    names = ConfirmationProtocol.__slots__
    below.check_keys(names, unknown=Severity.ERROR)
    given = {name: below.name(name) for name in names if below.get(name) is not None}
    return ConfirmationProtocol(**{name: value for name, value in given.items() if value is not None})


def _system_prompt(fields: Fields, from_file: str | None) -> str | None:
    inline = fields.text("system_prompt")
    if inline is None or not inline.strip():
        return from_file if from_file is not None and from_file.strip() else None
    if fields.get("system_prompt_path") is not None:
        message = "`system_prompt_path` is ignored because `system_prompt` holds a text."
        fields.report("ignored_field", message, "system_prompt_path", key=True)
    return inline


def _exempt_tool_names(fields: Fields) -> tuple[str, ...]:
    below = fields.below("surface_guards", fields.mapping("surface_guards"))
    below.check_keys(("tool_names_exempt",))
    return tuple(below.distinct_names("tool_names_exempt"))
