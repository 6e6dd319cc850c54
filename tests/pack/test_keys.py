from __future__ import annotations

import pytest

from assay.pack.keys import KeyProblem, fixture_ref, primary_key


@pytest.mark.parametrize(
    ("collection", "rows", "declared", "expected"),
    [
        ("moorings", [{"tug_code": "TC-4", "pilot_id": "P-1"}], "tug_code", "tug_code"),
        ("moorings", [{"ring": "R-2", "tug_id": "T-1"}], None, "tug_id"),
        ("berths", [{"berth_id": "B-7", "vessel_id": "V-20"}], None, "berth_id"),
        ("berths", [{"id": 1, "vessel_id": "V-20"}], None, "id"),
        ("berths", [{"id": 1, "berth_id": "B-7"}], None, "berth_id"),
        ("berth", [{"berth_id": "B-7", "x_id": 2}], None, "berth_id"),
        ("berths", [{}, {"x_id": 2}, {"berth_id": "B-7"}], None, "berth_id"),
        ("berths", [{"note": 1}, {"code": "c"}], "code", "code"),
        ("berths", [], "anything", "anything"),
        ("berths", [None, 5, {"berth_id": 1}], "", "berth_id"),
    ],
)
def test_the_key(collection, rows, declared, expected):
    assert primary_key(collection, rows, declared) == expected


@pytest.mark.parametrize(
    ("rows", "declared"),
    [([{"pilot_id": "P-1", "tug_id": "T-1"}], None), ([{"name": "x"}], None), ([], None), ([{"a": 1}], "anchor_no")],
)
def test_an_unclear_key_asks_for_a_declaration(rows, declared):
    with pytest.raises(KeyProblem, match=r"primary_keys\.moorings"):
        primary_key("moorings", rows, declared)


def test_a_long_list_of_fields_is_cut():
    rows = [{f"f{number}_id": 1 for number in range(50)}]
    with pytest.raises(KeyProblem, match="and 42 more"):
        primary_key("moorings", rows, None)


def test_references_are_canonical_texts():
    assert fixture_ref("accounts", "ACC-1") == '["accounts","ACC-1"]'
    assert fixture_ref("accounts", 1) == fixture_ref("accounts", "1") == '["accounts","1"]'
    assert fixture_ref("số", "Đ") == '["số","Đ"]'


@pytest.mark.parametrize("parts", [("accounts", " "), ("", "A")])
def test_a_blank_reference_is_refused(parts):
    with pytest.raises(ValueError, match="blank"):
        fixture_ref(*parts)
