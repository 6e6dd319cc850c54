"""Fixtures: collections of rows, and the field that identifies the rows of each (ruling 9).

A collection whose rows are told apart by others (a slot binds one, the held-out policy reserves one, the manifest
declares its key) must have a key in every row, and no value of it twice. Ids are compared as texts, so 1 and "1" are
the same id (`reference/loading.md` 2.6).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.pack.fields import Fields
from assay.pack.keys import KeyProblem, primary_key
from assay.pack.manifest import is_scalar_id
from assay.pack.sources import FixtureSource, SourceError, parse_source
from assay.pack.wording import SHOWN, described, quoted, sentence, spot
from assay.values import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.findings import Place
    from assay.pack.collector import Collector
    from assay.pack.document import Anchor, Document
    from assay.pack.model import Manifest, Pack, Template
    from assay.values import JsonObject

_ROWS_NAMED = 10


def read_fixtures(document: Document, found: Collector) -> JsonObject | None:
    """Return the collections as they stand in the file; None, reported, when the document is no object.

    Every row of a list is an object. What is no list is no collection of rows, and nothing is said about it.
    """
    top = Fields(data={}, at=document.anchor(), found=found)
    if not isinstance(document.data, dict):
        top.wrong("an object of collections", document.data)
        return None
    for collection, rows in document.data.items():
        for index, row in enumerate(rows if isinstance(rows, list) else ()):
            if not isinstance(row, dict):
                message = f"Row {index + 1} of {quoted(collection)} must be an object, but it is {described(row)}."
                top.report("fixture_row_not_object", message, collection, index)
    collections: JsonObject = document.data
    return collections


@dataclass(slots=True)
class Collections:
    """The collections of one pack with their keys, each resolved once.

    Attributes:
        data: the fixtures; None when the pack has none.
        at: where they stand; None without any.
        declared: manifest `primary_keys`.
        known: False when a fixtures file exists but could not be read.
    """

    data: JsonObject | None
    at: Anchor | None
    declared: Mapping[str, str]
    known: bool = True
    _keys: dict[str, str | KeyProblem] = field(default_factory=dict)

    def rows(self, collection: str) -> list[Any] | None:
        """Return the rows of a collection; None when there is no such list."""
        rows = (self.data or {}).get(collection)
        return rows if isinstance(rows, list) else None

    def key(self, collection: str) -> str | KeyProblem:
        """Return the field that identifies the rows of a collection, or why it cannot be told."""
        if collection not in self._keys:
            try:
                self._keys[collection] = primary_key(
                    collection, self.rows(collection) or (), self.declared.get(collection)
                )
            except KeyProblem as problem:
                self._keys[collection] = problem
        return self._keys[collection]

    def ids(self, collection: str) -> dict[str, int]:
        """Return the ids of a collection as texts, each with the index of the first row that has it."""
        key = self.key(collection)
        first: dict[str, int] = {}
        for index, row in enumerate(self.rows(collection) or ()):
            if isinstance(key, str) and has_id(row, key):
                first.setdefault(str(row[key]), index)
        return first


def has_id(row: Any, key: str) -> bool:
    """Say whether a row carries an id: a number, or a text that is not blank."""
    return isinstance(row, dict) and is_scalar_id(row.get(key)) and str(row[key]).strip() != ""


def bound_collections(templates: Iterable[Template]) -> set[str]:
    """Return the collections that slots or corrections of templates bind rows of."""
    sources = [slot.source for template in templates for slot in template.slots]
    sources += [each for template in templates for turn in template.simulator_turns for each in turn.slot_updates]
    texts = {each.source for each in sources if isinstance(each.source, str)}
    return {collection for text in texts if (collection := _collection_of(text)) is not None}


def _collection_of(source: str) -> str | None:
    try:
        parsed = parse_source(source)
    except SourceError:
        return None
    return parsed.collection if isinstance(parsed, FixtureSource) else None


def check_declared_keys(collections: Collections, manifest: Manifest, found: Collector) -> None:
    """Report manifest `primary_keys` of collections that do not exist, or whose rows do not carry the field."""
    if not collections.known:
        return
    for collection in manifest.primary_keys:
        at = manifest.at.place("primary_keys", collection)
        if collections.rows(collection) is None:
            message = f"`primary_keys` has an entry for {quoted(collection)}, which is no collection in the fixtures."
            found.add("primary_key_without_collection", message, at=at)
        problem = collections.key(collection)
        if isinstance(problem, KeyProblem):
            found.add("primary_key_ambiguous", sentence(str(problem)), at=at, detail={"collection": collection})


def check_row_ids(collections: Collections, wanted: Iterable[str], found: Collector) -> None:
    """Report rows without an id and ids that stand twice, in collections whose rows are told apart.

    A collection whose key cannot be told is passed over: whoever asks for the key reports that.
    """
    for collection in sorted(wanted):
        key, rows = collections.key(collection), collections.rows(collection)
        if isinstance(key, str) and rows and collections.at is not None:
            _report_missing_ids(collection, key, rows, collections.at, found)
            _report_repeated_ids(collection, key, rows, collections.at, found)


def _report_missing_ids(collection: str, key: str, rows: list[Any], at: Anchor, found: Collector) -> None:
    without = [index for index, row in enumerate(rows) if isinstance(row, dict) and not has_id(row, key)]
    if not without:
        return
    listed = ", ".join(str(index + 1) for index in without[:_ROWS_NAMED]) + (", ..." if without[_ROWS_NAMED:] else "")
    found.add(
        "fixture_row_missing_primary_key",
        f"{len(without)} of {len(rows)} rows of {quoted(collection)} carry no id in {quoted(key)}: row {listed}.",
        at=at.place(collection, without[0], key),
        detail={"collection": collection, "primary_key": key, "rows": without[:_ROWS_NAMED], "count": len(without)},
    )


def _report_repeated_ids(collection: str, key: str, rows: list[Any], at: Anchor, found: Collector) -> None:
    first: dict[str, int] = {}
    for index, row in enumerate(rows):
        if not has_id(row, key) or first.setdefault(str(row[key]), index) == index:
            continue
        earlier = at.place(collection, first[str(row[key])], key)
        found.add(
            "fixture_primary_key_duplicate",
            f"Row {index + 1} of {quoted(collection)} has the same {quoted(key)} {shown(row[key], SHOWN)} as the row "
            f"at {spot(earlier)}.",
            at=at.place(collection, index, key),
            detail={"collection": collection, "primary_key": key, "rows": [first[str(row[key])], index]},
        )


def check_absent_ids(collections: Collections, manifest: Manifest, found: Collector) -> None:
    """Report ids that the manifest promises not to exist and that do (ruling 9)."""
    for collection, absent in manifest.absent_ids.items():
        ids = collections.ids(collection)
        for index, value in enumerate(absent):
            if str(value) not in ids or collections.at is None:
                continue
            key = str(collections.key(collection))
            row = collections.at.place(collection, ids[str(value)], key)
            found.add(
                "absent_id_exists",
                f"`absent_ids` promises that {shown(value, SHOWN)} does not exist in {quoted(collection)}, but the row "
                f"at line {row.line} of {row.file} has that {quoted(key)}.",
                at=_absent_place(manifest.at, collection, index),
                detail={"collection": collection, "id": value},
            )


def _absent_place(manifest: Anchor, collection: str, index: int) -> Place:
    """Return the place of an absent id; the file may hold one id or a list, from which the unusable were left out."""
    written = manifest.data("absent_ids", collection)
    if not isinstance(written, list):
        return manifest.place("absent_ids", collection)
    positions = [place for place, each in enumerate(written) if is_scalar_id(each)]
    return manifest.place("absent_ids", collection, positions[index])


def visible_fixtures(pack: Pack) -> JsonObject | None:
    """Return the fixtures that an oracle may see: without reserved rows, if the held-out policy withholds them.

    Without fixtures, without a policy, or when the policy leaves reserved rows in the state, it is the same object.
    Rows that are no objects or carry no id stay (`reference/loading.md` 3.3).
    """
    policy = pack.held_out
    if pack.fixtures is None or policy is None or policy.fixtures_in_backend_state:
        return pack.fixtures
    collections = Collections(pack.fixtures, pack.fixtures_at, pack.manifest.primary_keys)
    visible = dict(pack.fixtures)
    for collection, reserved in policy.fixtures.items():
        key, rows, ids = collections.key(collection), collections.rows(collection), frozenset(reserved)
        if isinstance(key, str) and rows is not None:
            visible[collection] = [row for row in rows if not (has_id(row, key) and str(row[key]) in ids)]
    return visible
