"""The held-out policy: rows and templates reserved from public benchmarks (`reference/loading.md` 2.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.findings.spelling import did_you_mean
from assay.pack.fields import Fields
from assay.pack.keys import KeyProblem
from assay.pack.manifest import is_scalar_id
from assay.pack.model import HeldOut
from assay.pack.wording import SHOWN, quoted, sentence
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.pack.collector import Collector
    from assay.pack.document import Document
    from assay.pack.fixtures import Collections
    from assay.pack.model import Manifest

_KEYS: Final = ("version", "fixtures", "templates", "policy")
_POLICY_KEYS: Final = ("fixtures_in_backend_state", "seed")


def read_held_out(
    document: Document,
    found: Collector,
    *,
    source: str,
    manifest: Manifest,
    collections: Collections,
    template_ids: Sequence[str] | None,
) -> HeldOut | None:
    """Read a held-out policy; None, reported, when the document is no mapping.

    Reservations of what does not exist are reported and left out.

    Args:
        document: the policy file; an empty one is an empty mapping, which lacks its version.
        found: takes the findings.
        source: the path that the manifest declares.
        manifest: for `absent_ids`, which must not be reserved.
        collections: the fixtures.
        template_ids: ids of all templates; None when the templates could not be read.
    """
    data = {} if document.data is None else document.data
    fields = Fields(data=data if isinstance(data, dict) else {}, at=document.anchor(), found=found)
    if not isinstance(data, dict):
        fields.wrong("a mapping", data)
        return None
    fields.check_keys(_KEYS)
    policy = fields.below("policy", fields.mapping("policy"))
    policy.check_keys(_POLICY_KEYS)
    policy.refuse_null("fixtures_in_backend_state", "true or false")
    policy.refuse_null("seed", "a whole number")
    return HeldOut(
        version=(fields.identity("version") or "") if fields.require("version") else "",
        fixtures=_reserved_rows(fields, manifest, collections),
        templates=_reserved_templates(fields, template_ids),
        fixtures_in_backend_state=policy.flag("fixtures_in_backend_state", default=True),
        seed=policy.whole("seed") or 0,
        source=source.replace("\\", "/"),
        at=fields.at,
    )


def _reserved_templates(fields: Fields, known: Sequence[str] | None) -> tuple[str, ...]:
    kept = []
    for template_id, index in fields.distinct_names("templates").items():
        if known is None or template_id in known:
            kept.append(template_id)
            continue
        message = f"The policy reserves the template {quoted(template_id)}, which does not exist."
        hint = did_you_mean(template_id, known)
        fields.report("held_out_unknown_template", message + hint, "templates", index, template_id=template_id)
    return tuple(sorted(kept))


def _reserved_rows(fields: Fields, manifest: Manifest, collections: Collections) -> dict[str, tuple[str, ...]]:
    below = fields.below("fixtures", fields.mapping("fixtures"))
    reserved = {}
    for collection in below.data:
        listed = _listed_ids(below, collection)
        if listed is not None and _collection_is_usable(below, collection, collections, needs_key=bool(listed)):
            reserved[collection] = _usable_ids(below, collection, listed, manifest, collections)
    return reserved


def _listed_ids(below: Fields, collection: str) -> list[tuple[int, str]] | None:
    """Return the ids listed for a collection, as texts, with their indices; None, reported, when it is no list."""
    value = below.get(collection)
    if not isinstance(value, list):
        below.wrong("a list of ids", value, collection)
        return None
    for index, each in enumerate(value):
        if not is_scalar_id(each):
            below.wrong("a text or a number", each, collection, index)
    return [(index, str(each)) for index, each in enumerate(value) if is_scalar_id(each)]


def _collection_is_usable(below: Fields, collection: str, collections: Collections, *, needs_key: bool) -> bool:
    if not collections.known:
        return False
    if not collection.strip():
        below.report("blank_text", f"{below.named(collection)} is a blank name of a collection.", collection, key=True)
        return False
    if collections.rows(collection) is None:
        message = f"The policy reserves rows of {quoted(collection)}, which is no collection in the fixtures."
        hint = did_you_mean(collection, collections.data or {})
        below.report("held_out_unknown_collection", message + hint, collection, key=True)
        return False
    problem = collections.key(collection)
    if needs_key and isinstance(problem, KeyProblem):
        if collection not in collections.declared:
            below.report("primary_key_ambiguous", sentence(str(problem)), collection, key=True)
        return False
    return True


def _usable_ids(
    below: Fields, collection: str, listed: list[tuple[int, str]], manifest: Manifest, collections: Collections
) -> tuple[str, ...]:
    """Return the reserved ids that exist, sorted; report the others, repeated ones, and ids that are to be absent."""
    existing = collections.ids(collection)
    absent = {str(each) for each in manifest.absent_ids.get(collection, ())}
    first: dict[str, int] = {}
    for index, row_id in listed:
        told = f"{below.named(collection, index)}: {shown(row_id, SHOWN)}"
        if first.setdefault(row_id, index) != index:
            below.report("duplicate_entry", f"{told} is listed twice.", collection, index)
        elif row_id in absent:
            below.report("held_out_id_is_absent", f"{told} is also among its `absent_ids`.", collection, index)
        elif row_id not in existing:
            below.report("held_out_unknown_id", f"{told} is no id of a row of {quoted(collection)}.", collection, index)
    return tuple(sorted(row_id for row_id in first if row_id in existing))
