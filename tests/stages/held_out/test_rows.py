import pytest

from tests.stages.held_out.leaks import BAKE, CALL, RESERVED, A, B, bakery, bound, entry, passed, rows_of, spoken
from tests.support import records
from tests.support.models import line_of

PART = '["parts","3"]'


def only_row(model, instance, *traces):
    (row,) = rows_of(model, [instance], traces)
    return row


def test_every_row_that_passed_is_scanned_whether_it_would_be_published_or_not():
    model = bakery(entry())
    first, refused, failed, silent = (bound(model, number=number, refs=(B,)) for number in range(4))
    rows = rows_of(
        model,
        [first, refused, failed, silent],
        verdicts=[passed(first), passed(refused), passed(failed, False), passed(silent)],
        conversations=[spoken(first), spoken(refused, "must_omit"), spoken(failed)],
    )
    told = [(row.scanned.task_id, row.scanned.planned) for row in rows]
    assert told == [(first.task_id, True), (refused.task_id, False), (silent.task_id, False)]
    assert all(row.scanned.fixture_refs == (B,) and row.scanned.template_id == "t" for row in rows)


def test_the_proof_of_a_reserved_template_is_no_row():
    model = bakery(entry("kept"))
    assert rows_of(model, [bound(model, "kept", reserved=True)]) == ()
    assert len(rows_of(model, [bound(model, "kept")])) == 1


def test_a_verdict_on_what_binding_did_not_leave_is_a_row_of_which_nothing_is_recorded():
    model = bakery(entry())
    (row,) = rows_of(model, [], verdicts=[passed(bound(model))])
    assert (row.scanned.template_id, row.scanned.fixture_refs, row.sightings) == (None, None, {})


@pytest.mark.parametrize("source", ["literal:['OV-A']", "enum:bake.oven", "absent:ovens", "ovens.neighbour"])
def test_a_slot_that_names_a_reserved_row_whatever_its_source(source):
    made = entry(slots={"o": source, "p": source})
    model = bakery(made)
    row = only_row(model, bound(model, o="OV-A", p="OV-B"))
    assert row.scanned.named_refs == (A,)
    seen = row.sightings[A]
    assert (seen.slot, seen.tool, seen.told) == ("o", None, '`o` is "OV-A"')
    assert (seen.at.file, seen.at.line) == ("task_templates.yaml", line_of(model.templates[0], "slots", "o", "source"))


def test_a_reserved_id_within_a_value():
    model = bakery(entry(slots={"o": "literal:[{'ovens': ['OV-B', 'OV-A']}]"}))
    assert only_row(model, bound(model, o={"ovens": ["OV-B", "OV-A"]})).scanned.named_refs == (A,)


def test_a_correction_that_names_a_reserved_row():
    turn = {"after": "x", "slot_updates": {"o": {"source": "literal:['OV-A']"}}}
    model = bakery(entry(slots={"o": "literal:['OV-B']"}, user_simulator_turns=[{"after": "y"}, turn]))
    row = only_row(model, bound(model, o="OV-B", updates=[(1, {"o": "OV-A"})]))
    place = line_of(model.templates[0], "user_simulator_turns", 1, "slot_updates", "o", "source")
    assert (row.scanned.named_refs, row.sightings[A].at.line) == ((A,), place)


@pytest.mark.parametrize(
    ("slot", "value", "source", "named"),
    [
        ("part_id", 3, "literal:[3]", (PART,)),
        ("amount", 3, "literal:[3]", ()),
        ("part_id", 3.0, "literal:[3.0]", ()),
        ("amount", "3", "literal:['3']", (PART,)),
        ("part_id", True, "literal:[True]", ()),
        ("part_id", 3, "range:{'min': 1, 'max': 4}", ()),
        ("part_id", None, "literal:[None]", ()),
    ],
)
def test_numbers_count_where_binding_counts_them(slot, value, source, named):
    model = bakery(entry(slots={slot: source}))
    assert only_row(model, bound(model, **{slot: value})).scanned.named_refs == named


READING = {**CALL, "id": "second", "args": {"oven": {"from_result": {"call": "first", "path": "found.0.oven_id"}}}}


@pytest.mark.parametrize(("value", "named"), [("OV-A", (A,)), ("OV-B", ()), (3, ())])
def test_a_call_that_reads_a_reserved_id_from_a_result(value, named):
    model = bakery(entry("t", {**CALL, "id": "first"}, READING, turn_policy="dependent_call"))
    instance = bound(model)
    row = only_row(model, instance, records.trace(instance, ("bake", {}), ("bake", {"oven": value})))
    assert row.scanned.named_refs == named
    for seen in row.sightings.values():
        assert (seen.slot, seen.tool) == (None, "bake")
        assert seen.told == '`found.0.oven_id` of `first` is "OV-A"'
        assert seen.at.line == line_of(model.templates[0], "assistant_milestones", 1, "args", "oven")


@pytest.mark.parametrize(("argument", "path"), [("part_id", "found.id"), ("part", "found.part_id")])
def test_a_number_read_from_a_result_counts_by_the_name_of_either_end(argument, path):
    reading = {**CALL, "id": "second", "args": {argument: {"from_result": {"call": "first", "path": path}}}}
    model = bakery(entry("t", {**CALL, "id": "first"}, reading, turn_policy="dependent_call"))
    instance = bound(model)
    row = only_row(model, instance, records.trace(instance, ("bake", {}), ("bake", {argument: 3})))
    assert row.scanned.named_refs == (PART,)


def test_a_text_that_a_template_writes_out_as_an_argument():
    model = bakery(entry("t", {**CALL, "args": {"where": ["OV-B", {"oven": "OV-A"}], "n": 3, "s": "OV-A now"}}))
    instance = bound(model)
    row = only_row(model, instance, records.trace(instance, ("bake", {"where": ["OV-B", {"oven": "OV-A"}]})))
    assert row.scanned.named_refs == (A,)
    seen = row.sightings[A]
    assert (seen.tool, seen.told) == ("bake", '`where[1].oven` of the call of `bake` is "OV-A"')
    assert seen.at.line == line_of(model.templates[0], "assistant_milestones", 0, "args", "where", 1, "oven")


def test_of_several_places_that_name_a_row_the_first_is_kept():
    model = bakery(entry("t", {**CALL, "args": {"a": "OV-A", "b": "{o}"}}, slots={"o": "literal:['OV-A']"}))
    instance = bound(model, o="OV-A")
    row = only_row(model, instance, records.trace(instance, ("bake", {"a": "OV-A", "b": "OV-A"})))
    assert {ref: seen.slot for ref, seen in row.sightings.items()} == {A: "o"}


def test_without_reserved_rows_nothing_is_named():
    model = bakery(entry(slots={"o": "literal:['OV-A']"}), reserved={**RESERVED, "fixtures": {}}, tools=[BAKE])
    assert only_row(model, bound(model, o="OV-A")).scanned.named_refs == ()
