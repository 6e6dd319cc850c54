import dataclasses

import pytest

from assay.stages.held_out import HeldOutContractError, HeldOutLeakError, RowVerdict, complete_scan

A, B = '["ovens","A-1"]', '["ovens","B-2"]'


def clean(task_id):
    return RowVerdict(task_id=task_id, held_out_hit=False)


@pytest.mark.parametrize(
    "evidence",
    [
        {"matched_template_id": "t"},
        {"matched_fixture_refs": (A,)},
        {"matched_template_id": "t", "matched_fixture_refs": (A, B)},
    ],
)
def test_a_hit_and_its_evidence_come_together(evidence):
    assert RowVerdict(task_id="x", held_out_hit=True, **evidence).contract_version == "1.0"
    with pytest.raises(HeldOutContractError, match="evidence, but no hit"):
        RowVerdict(task_id="x", held_out_hit=False, **evidence)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({}, "a hit without evidence"),
        ({"held_out_hit": 1, "matched_template_id": "t"}, "evidence, but no hit"),
        ({"matched_template_id": " "}, "no template id"),
        ({"matched_template_id": 7}, "no template id"),
        ({"matched_fixture_refs": (B, A)}, "sorted"),
        ({"matched_fixture_refs": (A, A)}, "sorted"),
        ({"matched_fixture_refs": ("ovens.1",)}, "no fixture reference"),
        ({"task_id": ""}, "id of a row"),
        ({"task_id": None}, "id of a row"),
        ({"contract_version": "2.0", "matched_template_id": "t"}, "1.0"),
    ],
)
def test_what_a_verdict_refuses(changed, why):
    with pytest.raises(HeldOutContractError, match=why):
        RowVerdict(**{"task_id": "x", "held_out_hit": True, **changed})


def test_a_verdict_cannot_be_changed_and_knows_no_other_fields():
    with pytest.raises(dataclasses.FrozenInstanceError):
        clean("x").held_out_hit = True
    with pytest.raises(TypeError, match="because"):
        RowVerdict(task_id="x", held_out_hit=False, because="")


def test_verdicts_come_in_the_order_of_the_rows():
    assert [each.task_id for each in complete_scan(["b", "a", "c"], map(clean, "cab"))] == ["b", "a", "c"]
    assert complete_scan([], []) == ()


@pytest.mark.parametrize(
    ("task_ids", "judged", "why"),
    [
        (["a", "b"], "a", "b were not scanned"),
        (["a"], "ab", "b were judged, but are no rows"),
        (["a"], "aa", "a were judged twice"),
        (["a", "b", "a"], "ab", "a have the same id"),
        (["a", ""], "a", "no id"),
        (["a", None], "a", "no id"),
        (["a", ["b"]], "a", "no id"),
        ([f"r{number}" for number in range(7)], "", r"r0, r1, r2, r3, r4 and 2 more were not scanned"),
    ],
)
def test_a_scan_that_is_not_complete(task_ids, judged, why):
    with pytest.raises(HeldOutLeakError, match=why):
        complete_scan(task_ids, map(clean, judged))
