"""Codes of binding slots and drawing instances."""

from typing import Final

from assay.findings.finding import Check, Code, Severity

_SOURCES = Check.TEMPLATE_SLOT_SOURCES
_CONTRACT = Check.REPRESENTATIVE_GENERATION_CONTRACT

_NOTHING_TO_BIND = "The slot has no value, so no instance of the template can be made."


def _source(name: str, meaning: str, fix: str, why: str = _NOTHING_TO_BIND) -> Code:
    return Code(name=name, severity=Severity.ERROR, check=_SOURCES, meaning=meaning, why=why, fix=fix)


_SLOT_SOURCES: Final = (
    _source(
        "missing_source",
        "A slot does not say where its values come from.",
        "Give the slot a `source`, for example `fixture:books.book_id`.",
    ),
    _source(
        "unknown_source_kind:",
        "The text before the colon of a source is no kind of source.",
        "Use one of `fixture`, `enum`, `literal`, `range` and `absent`.",
    ),
    _source(
        "bad_fixture_path",
        "A fixture source does not name a collection and a field.",
        "Write `fixture:<collection>.<field>`.",
    ),
    _source(
        "unknown_collection",
        "A source names a collection that the fixtures do not have as a list of rows.",
        "Correct the name, or add the collection to the fixtures.",
    ),
    _source(
        "unevaluable_filter",
        "A filter does not follow the grammar, or cannot be applied to a row.",
        "Write `field operator literal`, joined by `and`; operators are == != < <= > >= in, and `not in`.",
        "Nobody can tell which rows the slot may take.",
    ),
    _source(
        "filter_matches_zero",
        "No row has the field and passes the filter.",
        "Correct the field or the filter, or add a row that fits.",
    ),
    _source(
        "primary_key_ambiguous",
        "The field that identifies the rows of a collection cannot be told.",
        "Declare `primary_keys.<collection>` in the manifest.",
        "Rows could be bound or reserved under the wrong field, so that neither ids nor reservations hold.",
    ),
    _source(
        "fixture_row_missing_primary_key",
        "A row has no id in the field that identifies the rows of its collection.",
        "Give the row an id, or declare another key under `primary_keys`.",
        "What is bound from the row cannot be traced back to it, nor can the row be reserved.",
    ),
    _source(
        "bad_enum_path",
        "An enum source does not name a tool and a parameter.",
        "Write `enum:<tool>.<parameter>`.",
    ),
    _source(
        "enum_missing",
        "The tool or parameter of an enum source does not exist, or has no list of values under `enum`.",
        "Correct the path, or declare the `enum` in tools.json as a list.",
    ),
    _source(
        "invalid_source",
        "A source has the right kind but gives no values that JSON can carry.",
        "Correct what follows the colon.",
    ),
    Code(
        name="filter_ignored",
        severity=Severity.WARNING,
        check=_SOURCES,
        meaning="A filter stands on a source that has no rows.",
        why="It has no effect, while its author surely meant one.",
        fix="Remove the filter, or draw the slot from a fixture.",
    ),
    Code(
        name="duplicate_source_value",
        severity=Severity.WARNING,
        check=_SOURCES,
        meaning="A source gives the same value more than once; it is used once.",
        why="The repeats would be the same task again, and the source offers fewer values than it seems to.",
        fix="Remove the repeats, narrow the filter, or bind a field that tells the rows apart.",
    ),
)

_CORRECTIONS: Final = (
    _source(
        "invalid_slot_update",
        "An entry of `slot_updates` is not a definition with a `source`.",
        "Write `<slot>: {source: ...}`.",
        "The new value of the slot is unknown, so the correction cannot be spoken.",
    ),
    _source(
        "slot_correction_declaration_invalid",
        "A correction does not replace a visible slot by another value of the same kind under the policy `correction`.",
        "Use the policy `correction`, a slot that the first turn states, the same kind of source, and another value.",
        "Nothing would be corrected, or nobody could tell what.",
    ),
    Code(
        name="slot_alias_conflict",
        severity=Severity.WARNING,
        check=_SOURCES,
        meaning="A `bind_as` name is also the name of another value in the same turn.",
        why="In the text of that turn the name means only one of them.",
        fix="Choose another name for `bind_as`.",
    ),
)

_BUDGETS: Final = (
    Code(
        name="category_budget_too_small",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="A category has more templates than its budget has instances.",
        why="Some templates would silently have no row in the benchmark.",
        fix="Raise the budget to the number of templates, or divide the category.",
    ),
    Code(
        name="category_underfilled",
        severity=Severity.NOTE,
        check=_CONTRACT,
        meaning="A category yields fewer instances than its budget allows.",
        why="The benchmark has fewer rows of this category than was asked for.",
        fix="Add rows or values to its sources, or lower the budget.",
    ),
    Code(
        name="duplicate_task_id",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="Two instances have the same id.",
        why="Tables join on the id, so the two could not be told apart.",
        fix="Rename slots that are named like a correction, such as `n@correction0`.",
    ),
)

_RESERVATIONS: Final = (
    Code(
        name="held_out_binding_starved",
        severity=Severity.ERROR,
        check=_CONTRACT,
        meaning="Reservations of the held-out policy leave too little to bind.",
        why="The public benchmark would lack tasks because of what is kept back from it.",
        fix="Add rows or templates, release reservations, or lower the budget.",
    ),
    Code(
        name="held_out_value_in_source",
        severity=Severity.WARNING,
        check=_SOURCES,
        meaning="A source spells out the id of a reserved row.",
        why="A reserved id that is written into a template is no longer kept back; it is left out of what is bound.",
        fix="Remove the id from the source, or release the row.",
    ),
)

CODES: Final[tuple[Code, ...]] = (*_SLOT_SOURCES, *_CORRECTIONS, *_BUDGETS, *_RESERVATIONS)
