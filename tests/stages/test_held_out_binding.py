from __future__ import annotations

import pytest

from assay.findings import Severity
from assay.stages.bind import bind_pack
from assay.stages.held_out import HeldOutContract, binding_report
from assay.values import digest
from tests.support.models import line_of, pack, run_config, template

ROWS = {"ovens": [{"oven_id": f"OV-{number}", "size": number % 2} for number in range(3)]}


def oven(template_id="t", category="c", **slots):
    slots = slots or {"oven_id": {"source": "ovens.oven_id"}}
    return {"template_id": template_id, "category": category, "slots": slots}


def bind(*entries, budget=None, **parts):
    return bind_pack(pack(*entries, **{"fixtures": ROWS, **parts}), run_config(budget))


def codes(result):
    return [each.code for each in result.findings]


def bound(result, slot="oven_id"):
    return [each.slots[slot] for each in result.instances]


def test_reserved_rows_and_templates_are_not_bound_and_counted():
    policy = {"fixtures": {"ovens": ["OV-1"]}, "templates": ["kept"], "version": "2"}
    result = bind(oven(), oven("kept", "c"), budget=2, reserved=policy)
    assert bound(result) == ["OV-0", "OV-2"]
    assert result.findings == ()
    ledger = result.ledger
    assert (ledger.bind_attempts, ledger.tasks_expanded) == (3, 2)
    assert (ledger.blocked_templates, ledger.blocked_fixture_refs) == (("kept",), ('["ovens","OV-1"]',))


def test_the_binding_report():
    model = pack(oven(), oven("kept"), fixtures=ROWS, reserved={"fixtures": {"ovens": ["OV-1"]}, "templates": ["kept"]})
    report = binding_report(HeldOutContract.of(model.held_out), bind_pack(model, run_config()).ledger)
    terms = {
        "contract_version": "1.0",
        "version": "1",
        "fixture_refs": ['["ovens","OV-1"]'],
        "template_ids": ["kept"],
        "fixtures_in_backend_state": True,
        "seed": 0,
    }
    assert report == {
        "contract_version": "1.0",
        "policy": {
            "contract_version": "1.0",
            "version": "1",
            "source": "held_out.yaml",
            "policy_hash": f"sha256:{digest(terms)}",
            "fixture_ref_count": 1,
            "template_count": 1,
            "fixtures_in_backend_state": True,
            "seed": 0,
        },
        "blocked_templates": ["kept"],
        "blocked_fixture_refs": ['["ovens","OV-1"]'],
        "counts": {"bind_attempts": 3, "templates_blocked": 1, "fixture_refs_blocked": 1, "tasks_expanded": 1},
    }


def test_without_a_policy_there_is_no_ledger():
    assert bind(oven()).ledger is None


def test_a_policy_that_reserves_nothing_changes_nothing():
    result = bind(oven(), budget=3, reserved={})
    assert bound(result) == ["OV-0", "OV-1", "OV-2"]
    assert result.ledger.blocked_fixture_refs == ()


# Values that name reserved rows (ruling 17)


@pytest.mark.parametrize("source", ["literal:['OV-1', 'OV-9']", "enum:x.oven", "absent:ovens"])
def test_a_reserved_id_that_a_source_spells_out_is_left_out_with_a_warning(source):
    tools = [{"function": {"name": "x", "parameters": {"properties": {"oven": {"enum": ["OV-1", "OV-9"]}}}}}]
    entry = oven(o={"source": source})
    result = bind(
        entry, tools=tools, absent_ids={"ovens": ["OV-1", "OV-9"]}, reserved={"fixtures": {"ovens": ["OV-1"]}}
    )
    assert bound(result, "o") == ["OV-9"]
    (found,) = result.findings
    assert (found.code, found.severity, found.slot) == ("held_out_value_in_source", Severity.WARNING, "o")
    assert '"OV-1"' in found.message
    assert found.place.line == line_of(template(entry), "slots", "o", "source")


def test_a_reserved_id_within_a_value_counts_as_well():
    entry = oven(o={"source": "literal:[{'at': ['OV-1']}, {'at': ['OV-9']}]"})
    result = bind(entry, reserved={"fixtures": {"ovens": ["OV-1"]}})
    assert bound(result, "o") == [{"at": ["OV-9"]}]
    assert codes(result) == ["held_out_value_in_source"]


def test_numbers_name_a_row_only_in_a_slot_named_like_the_key():
    rows = {"parts": [{"part_id": 3}, {"part_id": 4}]}
    result = bind(
        oven("amount", "a", n={"source": "literal:[3]"}),
        oven("id", "b", part_id={"source": "literal:[3, 5]"}),
        fixtures=rows,
        reserved={"fixtures": {"parts": ["3"]}},
    )
    assert [dict(each.slots) for each in result.instances] == [{"n": 3}, {"part_id": 5}]


def test_a_foreign_key_to_a_reserved_row_is_not_bound():
    rows = {**ROWS, "loaves": [{"loaf_id": "L-0", "oven": "OV-0"}, {"loaf_id": "L-1", "oven": "OV-1"}]}
    result = bind(oven(o={"source": "loaves.oven"}), fixtures=rows, reserved={"fixtures": {"ovens": ["OV-1"]}})
    assert (bound(result, "o"), codes(result)) == (["OV-0"], [])
    assert result.ledger.blocked_fixture_refs == ('["ovens","OV-1"]',)


def test_another_row_with_the_same_value_stands_in_for_a_reserved_one():
    result = bind(oven(s={"source": "ovens.size"}), budget=2, reserved={"fixtures": {"ovens": ["OV-0"]}})
    assert sorted(bound(result, "s")) == [0, 1]
    assert "held_out_binding_starved" not in codes(result)
    assert {ref for each in result.instances for ref in each.fixture_refs} == {'["ovens","OV-1"]', '["ovens","OV-2"]'}


# Starvation


def test_a_slot_that_has_only_reserved_rows():
    entry = oven(oven_id={"source": "ovens.oven_id", "filter": "oven_id == 'OV-1'"})
    result = bind(entry, reserved={"fixtures": {"ovens": ["OV-1"]}})
    (found,) = result.findings
    assert (found.code, found.slot, result.instances) == ("held_out_binding_starved", "oven_id", ())
    assert found.detail == {"kind": "no_candidate_left", "causes": ['fixture:["ovens","OV-1"]']}
    assert found.place.line == line_of(template(entry), "slots", "oven_id", "source")


def test_a_correction_that_has_only_reserved_rows_to_change_to():
    entry = oven(oven_id={"source": "ovens.oven_id", "filter": "oven_id == 'OV-0'"})
    entry |= {
        "turn_policy": "correction",
        "assistant_milestones": [{"type": "ask_confirm"}, {"type": "tool_call", "tool": "x"}, {"type": "final_answer"}],
        "user_simulator_turns": [{"after": "ask_confirm", "slot_updates": {"oven_id": {"source": "ovens.oven_id"}}}],
    }
    result = bind(entry, reserved={"fixtures": {"ovens": ["OV-1", "OV-2"]}})
    assert codes(result) == ["held_out_binding_starved"]
    assert result.findings[0].detail["kind"] == "no_replacement_left"


def test_reservations_are_not_blamed_for_a_correction_that_never_changes_anything():
    entry = oven(oven_id={"source": "ovens.oven_id"}, n={"source": "literal:1"})
    entry |= {
        "turn_policy": "correction",
        "assistant_milestones": [{"type": "ask_confirm"}, {"type": "tool_call", "tool": "x"}, {"type": "final_answer"}],
        "user_simulator_turns": [{"after": "ask_confirm", "slot_updates": {"n": {"source": "literal:1"}}}],
    }
    result = bind(entry, reserved={"fixtures": {"ovens": ["OV-1"]}})
    assert codes(result) == ["slot_correction_declaration_invalid"]


def test_a_category_that_reserved_rows_keep_under_its_budget():
    result = bind(oven(), budget=3, reserved={"fixtures": {"ovens": ["OV-1"]}})
    (found,) = result.findings
    assert (found.code, found.severity) == ("held_out_binding_starved", Severity.ERROR)
    assert "2 of the 3" in found.message
    assert found.detail["causes"] == ['fixture:["ovens","OV-1"]']
    assert found.place.file == "held_out.yaml"


def test_a_category_that_a_reserved_template_keeps_under_its_budget():
    result = bind(
        oven(n={"source": "literal:1"}),
        oven("kept", n={"source": "literal:2"}),
        budget=2,
        reserved={"templates": ["kept"]},
    )
    (found,) = result.findings
    assert found.code == "held_out_binding_starved"
    assert "1 of the 2" in found.message
    assert found.detail["causes"] == ["template:kept"]


def test_a_shortfall_that_reservations_did_not_cause_is_only_noted():
    result = bind(oven(), budget=9, reserved={"fixtures": {"ovens": ["OV-1"]}})
    assert [(each.code, each.severity) for each in result.findings] == [("category_underfilled", Severity.NOTE)]


def test_only_reservations_that_took_something_are_named():
    rows = {**ROWS, "loaves": [{"loaf_id": "L-0"}, {"loaf_id": "L-1"}]}
    reserved = {"fixtures": {"ovens": ["OV-1"], "loaves": ["L-1"]}}
    result = bind(
        oven(),
        oven("u", "other", loaf_id={"source": "loaves.loaf_id"}),
        budget=3,
        fixtures=rows,
        reserved=reserved,
    )
    assert [each.code for each in result.findings] == ["held_out_binding_starved", "category_underfilled"]
    assert result.findings[0].detail["causes"] == ['fixture:["ovens","OV-1"]']


def test_the_second_of_two_categories_that_lean_on_the_same_rows_is_still_told():
    wide = oven("wide", "first", oven_id={"source": "ovens.oven_id"}, n={"source": "literal:[1, 2]"})
    result = bind(wide, oven("narrow", "second"), budget=3, reserved={"fixtures": {"ovens": ["OV-1"]}})
    (found,) = result.findings
    assert (found.code, "`second`" in found.message) == ("held_out_binding_starved", True)


def test_a_category_whose_templates_are_all_reserved():
    result = bind(oven(), oven("kept", "private"), reserved={"templates": ["kept"]})
    (found,) = result.findings
    assert (found.code, found.detail["kind"]) == ("held_out_binding_starved", "category_reserved")
    assert "`private`" in found.message


def test_a_policy_that_reserves_every_template():
    result = bind(oven(), oven("u", "other"), reserved={"templates": ["t", "u"]})
    (found,) = result.findings
    assert (found.code, found.detail["kind"]) == ("held_out_binding_starved", "every_template_reserved")
    assert result.instances == ()


# Proof of reserved templates


def test_a_reserved_template_is_bound_once_for_its_proof():
    result = bind(oven(), oven("kept"), reserved={"templates": ["kept"]})
    (proof,) = result.reserved
    assert (proof.template_id, proof.representative) == ("kept", True)
    assert [each.template_id for each in result.instances] == ["t"]


@pytest.mark.parametrize(("in_state", "expected"), [(True, ["OV-1"]), (False, [])])
def test_its_proof_may_use_reserved_rows_only_where_the_oracle_has_them(in_state, expected):
    kept = oven("kept", oven_id={"source": "ovens.oven_id", "filter": "oven_id == 'OV-1'"})
    policy = {"fixtures_in_backend_state": in_state}
    result = bind(oven(), kept, reserved={"fixtures": {"ovens": ["OV-1"]}, "templates": ["kept"], "policy": policy})
    assert [each.slots["oven_id"] for each in result.reserved] == expected
    assert codes(result) == ([] if in_state else ["held_out_binding_starved"])
