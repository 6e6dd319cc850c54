from __future__ import annotations

import pytest

from assay.findings import Severity
from assay.pack.candidates import Candidate, RangeCandidates
from assay.pack.finder import CandidateFinder
from tests.support.models import line_of, pack, template

BOOKS = [
    {"book_id": "BK-1", "title": "Algorithms", "copies": 2},
    {"book_id": "BK-2", "title": "Databases", "copies": 0},
    {"book_id": "BK-3", "copies": 2},
]
TOOL = {
    "function": {
        "name": "place_order",
        "parameters": {
            "properties": {
                "finish": {"enum": ["glazed", "plain", None]},
                "loaves": {"type": "integer"},
                "worded": {"enum": "glazed"},
                "empty": {"enum": []},
                "odd": 5,
            }
        },
    }
}


def find(source, row_filter=None, *, replacement=False, **parts):
    slot = {"source": source, **({} if row_filter is None else {"filter": row_filter})}
    model = template(template_id="t", slots={"s": slot})
    whole = pack(model, **{"tools": [TOOL], "fixtures": {"books": BOOKS}, **parts})
    return CandidateFinder(whole).find(model.slots[0].source, template_id="t", replacement=replacement)


def values(pool):
    return [candidate.value for candidate in pool.candidates]


def codes(pool):
    return [each.code for each in pool.findings]


def test_fixture_candidates_know_their_rows():
    pool = find("fixture:books.book_id", "copies > 0")
    assert list(pool.candidates) == [
        Candidate("BK-1", '["books","BK-1"]', 0),
        Candidate("BK-3", '["books","BK-3"]', 2),
    ]
    assert (pool.kind, pool.collection, pool.key, pool.usable) == ("fixture", "books", "book_id", True)


def test_rows_without_the_field_offer_nothing():
    assert values(find("books.title")) == ["Algorithms", "Databases"]


def test_a_null_value_counts_and_so_does_any_json():
    rows = [{"id": 1, "x": None}, {"id": 2, "x": [1]}, {"id": 3, "x": True}, {"id": 4, "x": 1}]
    assert values(find("r.x", fixtures={"r": rows})) == [None, [1], True, 1]


def test_rows_that_are_no_objects_or_have_no_id_offer_nothing():
    rows = [5, {"id": None, "x": 1}, {"id": " ", "x": 2}, {"id": 7, "x": 3}]
    assert list(find("r.x", fixtures={"r": rows}).candidates) == [Candidate(3, '["r","7"]', 3)]


def test_repeated_values_are_kept_once_with_a_warning():
    pool = find("books.copies")
    assert values(pool) == [2, 0]
    assert [candidate.row for candidate in pool.matched] == [0, 1, 2]
    (found,) = pool.findings
    assert (found.code, found.severity) == ("duplicate_source_value", Severity.WARNING)
    assert "3 candidates hold 2 different values; repeated: 2." in found.message
    assert pool.usable


def test_one_and_one_point_zero_repeat_each_other_but_true_does_not():
    assert values(find("literal:[1, 1.0, True, '1']")) == [1, True, "1"]


def test_enum_literal_range_and_absent():
    assert values(find("enum:place_order.finish")) == ["glazed", "plain", None]
    assert values(find("literal:['a', 2]")) == ["a", 2]
    assert values(find("range:{'min': 3, 'max': 1, 'step': -1}")) == [3, 2, 1]
    assert values(find("absent:books", absent_ids={"books": ["BK-X", 9]})) == ["BK-X", 9]
    assert values(find("absent: books ", absent_ids={"books": "BK-X"})) == ["BK-X"]
    assert all(candidate.ref is None for candidate in find("literal:['a', 2]").candidates)


def test_a_huge_range_is_not_listed():
    pool = find("range:{'min': 1, 'max': 9000000000000000}")
    assert isinstance(pool.candidates, RangeCandidates)
    assert len(pool.candidates) == 9_000_000_000_000_000
    assert pool.candidates[-1] == Candidate(9_000_000_000_000_000)
    assert list(pool.candidates[:2]) == [Candidate(1), Candidate(2)]


@pytest.mark.parametrize(
    ("source", "code", "about"),
    [
        (None, "missing_source", "`s`"),
        ("", "missing_source", "`s`"),
        (5, "invalid_source", "not 5"),
        (["books.book_id"], "invalid_source", "a text"),
        ("literal:[]", "invalid_source", "empty"),
        ("fixture:loans.id", "unknown_collection", "no collection `loans`"),
        ("fixture:book.book_id", "unknown_collection", "Did you mean `books`"),
        ("books.titel", "filter_matches_zero", "Did you mean `title`"),
        ("enum:bake.finish", "enum_missing", "no tool `bake`"),
        ("enum:place_order.finnish", "enum_missing", "Did you mean `finish`"),
        ("enum:place_order.loaves", "enum_missing", "has no `enum`"),
        ("enum:place_order.worded", "enum_missing", "no list of values"),
        ("enum:place_order.empty", "enum_missing", "no list of values"),
        ("enum:place_order.odd", "enum_missing", "has no `enum`"),
        ("absent:books", "invalid_source", "`absent_ids.books`"),
        ("nonsense:x", "unknown_source_kind:nonsense", "`nonsense`"),
    ],
)
def test_faults_stand_at_the_source(source, code, about):
    pool = find(source)
    (found,) = pool.findings
    assert found.code == code
    assert about in found.message
    assert (found.template_id, found.slot, found.is_error) == ("t", "s", True)
    model = template(template_id="t", slots={"s": {"source": source}})
    assert (found.place.file, found.place.line) == ("task_templates.yaml", line_of(model, "slots", "s", "source"))
    assert not pool.usable


def test_a_replacement_without_a_source_has_a_code_of_its_own():
    assert codes(find(None, replacement=True)) == ["invalid_slot_update"]


def test_a_collection_that_is_no_list_or_has_no_rows():
    assert codes(find("a.x", fixtures={"a": {"x": 1}})) == ["unknown_collection"]
    assert codes(find("a.x", fixtures={"a": []})) == ["filter_matches_zero"]
    assert codes(find("a.x", fixtures=None)) == ["unknown_collection"]


def test_every_bad_clause_of_a_filter_is_found_beside_the_missing_collection():
    pool = find("loans.id", "a is None and 3 == b")
    assert codes(pool) == ["unevaluable_filter"] * 3 + ["unknown_collection"]


def test_a_broken_filter_does_not_hide_a_missing_field():
    assert codes(find("books.titel", "copies >")) == ["unevaluable_filter", "filter_matches_zero"]


@pytest.mark.parametrize("row_filter", [5, 0, False, [], ["copies > 1"], {"copies": 1}])
def test_a_filter_that_is_no_text(row_filter):
    pool = find("books.book_id", row_filter)
    (found,) = pool.findings
    assert found.code == "unevaluable_filter"
    model = template(template_id="t", slots={"s": {"source": "books.book_id", "filter": row_filter}})
    assert found.place.line == line_of(model, "slots", "s", "filter")


def test_a_row_that_cannot_be_ordered_is_reported_once_with_its_number():
    rows = [{"id": 1, "n": 1}, {"id": 2, "n": "x"}, {"id": 3, "n": None}]
    (found,) = find("r.id", "n > 0", fixtures={"r": rows}).findings
    assert found.code == "unevaluable_filter"
    assert "row 2 of `r`" in found.message


def test_a_filter_that_nothing_passes():
    (found,) = find("books.book_id", "copies > 5").findings
    assert found.code == "filter_matches_zero"
    assert "None of the 3 rows" in found.message


@pytest.mark.parametrize(("source", "row_filter"), [("literal:5", "x == 1"), ("enum:place_order.finish", 5)])
def test_a_filter_elsewhere_is_ignored_with_a_warning(source, row_filter):
    pool = find(source, row_filter)
    (found,) = pool.findings
    assert (found.code, found.severity) == ("filter_ignored", Severity.WARNING)
    assert pool.usable


def test_an_empty_filter_is_none():
    assert codes(find("literal:5", "")) == []
    assert values(find("books.book_id", "")) == ["BK-1", "BK-2", "BK-3"]


def test_an_unclear_key_is_one_fault_for_all_slots_that_need_it():
    rows = [{"a_id": 1, "b_id": 2}]
    model = template(template_id="t", slots={"x": {"source": "r.a_id"}, "y": {"source": "r.b_id"}})
    finder = CandidateFinder(pack(model, fixtures={"r": rows}))
    first, second = (finder.find(slot.source, template_id="t").findings[0] for slot in model.slots)
    assert (first.code, first.root, second.root) == ("primary_key_ambiguous", None, first.id)


def test_a_declared_key_that_no_row_carries_is_left_to_the_loader():
    pool = find("books.book_id", primary_keys={"books": "isbn"})
    assert (codes(pool), pool.usable) == ([], False)


def test_a_range_with_a_misspelt_part_is_a_warning():
    (found,) = find("range:{'min': 1, 'max': 5, 'stp': 2}").findings
    assert (found.code, found.severity) == ("invalid_source", Severity.WARNING)
    assert "Did you mean `step`" in found.message


@pytest.mark.parametrize(("source", "role"), [("books.book_id", "fixtures"), ("enum:place_order.finish", "tools")])
def test_nothing_is_said_about_a_part_that_could_not_be_read(source, role):
    pool = find(source, unusable=[role], fixtures=None, tools=[])
    assert (codes(pool), pool.usable) == ([], False)


def test_a_value_that_json_cannot_carry():
    (found,) = find("r.x", fixtures={"r": [{"id": 1, "x": "\ud800"}]}).findings
    assert found.code == "invalid_source"
    assert "(row 1)" in found.message
