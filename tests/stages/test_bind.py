from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from assay.findings import Check, Severity
from assay.stages.bind import bind_pack
from assay.stages.identity import correction_key, identify
from assay.stages.records import SlotUpdate
from tests.support.models import line_of, pack, run_config, template

OVENS = {"ovens": [{"oven_id": f"OV-{number}"} for number in range(7)]}
OVEN = {"oven_id": {"source": "fixture:ovens.oven_id"}}


def bind(*entries, budget=None, seed=0, candidates=None, **parts):
    return bind_pack(pack(*entries, **parts), run_config(budget, candidates=candidates, seed=seed))


def correction(*updates, slots=None, **fields):
    """A template that asks for confirmation once per update and delivers them in order."""
    asks = [{"type": "ask_confirm", "id": f"ask{number}"} for number in range(len(updates))]
    turns = [{"after": f"ask{number}", "slot_updates": each} for number, each in enumerate(updates)]
    return {
        "template_id": "t",
        "turn_policy": "correction",
        "slots": slots or {"n": {"source": "literal:[10]"}},
        "assistant_milestones": [*asks, {"type": "tool_call", "tool": "x"}, {"type": "final_answer"}],
        "user_simulator_turns": turns,
        **fields,
    }


def codes(result):
    return [each.code for each in result.findings]


def slots_of(result):
    return [dict(each.slots) for each in result.instances]


# Instances


def test_an_instance_copies_its_template_and_names_its_rows():
    entry = {
        "template_id": "t",
        "intent": "bake",
        "category": "heat",
        "difficulty": "easy",
        "turn_policy": "multi_tool",
        "call_order": "prefix",
        "call_order_prefix": 1,
        "mutates": True,
        "required_tools": ["x"],
        "tools_present": ["x", "y"],
        "success_assertions": ["assert_x"],
        "edge_signatures": ["e"],
        "slots": {"n": {"source": "literal:4"}, **OVEN},
    }
    (instance,) = bind(entry, fixtures={"ovens": OVENS["ovens"][:1]}, pack_id="bakery", version="1.0").instances
    identity = identify(
        pack_id="bakery",
        pack_version="1.0",
        template_id="t",
        fixture_refs=['["ovens","OV-0"]'],
        bindings={"n": 4, "oven_id": "OV-0"},
        variant_index=0,
        global_seed=0,
    )
    assert (instance.task_id, instance.seed) == (identity.task_id, identity.seed)
    assert (instance.pack_id, instance.pack_version, instance.template_id) == ("bakery", "1.0", "t")
    assert (instance.intent, instance.category, instance.difficulty) == ("bake", "heat", "easy")
    assert (instance.turn_policy, instance.call_order, instance.call_order_prefix) == ("multi_tool", "prefix", 1)
    assert (instance.mutates, instance.required_tools, instance.tools_present) == (True, ("x",), ("x", "y"))
    assert (instance.success_assertions, instance.edge_signatures) == (("assert_x",), ("e",))
    assert (instance.fixture_refs, instance.variant_index) == (('["ovens","OV-0"]',), 0)
    assert instance.slots == instance.slots_initial == {"n": 4, "oven_id": "OV-0"}
    assert (instance.slot_updates, instance.representative) == ((), True)


def test_a_template_without_slots_has_one_instance():
    result = bind({"template_id": "t"}, budget=5)
    assert slots_of(result) == [{}]


def test_a_row_behind_two_slots_is_referred_to_once():
    slots = {"a": {"source": "ovens.oven_id"}, "b": {"source": "ovens.size"}}
    rows = {"ovens": [{"oven_id": "OV-1", "size": 3}]}
    (instance,) = bind({"template_id": "t", "slots": slots}, fixtures=rows).instances
    assert instance.fixture_refs == ('["ovens","OV-1"]',)


def test_all_combinations_stand_in_the_order_of_the_sources():
    slots = {"b": {"source": "literal:[1, 2]"}, "a": {"source": "literal:['x', 'y']"}}
    result = bind({"template_id": "t", "slots": slots}, budget=4)
    assert slots_of(result) == [{"a": "x", "b": 1}, {"a": "x", "b": 2}, {"a": "y", "b": 1}, {"a": "y", "b": 2}]


def test_four_by_four_with_a_budget_of_four_varies_both_slots_alike_every_time():
    slots = {"a": {"source": "literal:[1, 2, 3, 4]"}, "b": {"source": "literal:[5, 6, 7, 8]"}}
    entry = {"template_id": "t", "slots": slots}
    result = bind(entry, budget=4)
    assert all(len({each.slots[name] for each in result.instances}) == 4 for name in "ab")
    assert [each.task_id for each in result.instances] == [each.task_id for each in bind(entry, budget=4).instances]


def test_a_larger_budget_keeps_the_tasks_of_a_smaller_one_in_every_category():
    entries = [
        {"template_id": f"t{number}", "category": "c", "slots": {**OVEN, "n": {"source": "literal:[1, 2, 3]"}}}
        for number in range(3)
    ]
    sizes = {}
    for budget in (3, 4, 10, 40, 63, 100):
        result = bind(*entries, budget=budget, fixtures=OVENS)
        sizes[budget] = {each.task_id for each in result.instances}
        assert len(sizes[budget]) == min(budget, 63)
    ordered = [sizes[budget] for budget in sorted(sizes)]
    assert all(small <= large for small, large in pairwise(ordered))


def test_another_seed_draws_others_and_the_same_rows_keep_their_ids():
    entry = {"template_id": "t", "slots": OVEN}
    few = [{each.task_id for each in bind(entry, budget=3, seed=seed, fixtures=OVENS).instances} for seed in range(5)]
    assert len(set(map(frozenset, few))) > 1
    everything = {each.task_id for each in bind(entry, budget=7, seed=9, fixtures=OVENS).instances}
    assert everything >= set().union(*few)


# Categories


@pytest.mark.parametrize(("budget", "expected"), [(5, (3, 2, 5)), (3, (2, 1, 3))])
def test_templates_share_the_budget_of_their_category(budget, expected):
    entries = [
        {"template_id": "preheat", "category": "heat", "slots": OVEN},
        {"template_id": "cool", "category": "heat", "slots": OVEN},
        {"template_id": "sweep", "category": "clean", "slots": OVEN},
    ]
    result = bind(*entries, budget=budget, fixtures=OVENS)
    counts = Counter(each.template_id for each in result.instances)
    assert tuple(counts[name] for name in ("preheat", "cool", "sweep")) == expected
    assert [each.template_id for each in result.instances[:3]] == ["preheat", "cool", "preheat"]


def test_without_a_config_each_template_has_one_instance():
    entries = [{"template_id": f"t{number}", "category": "c", "slots": OVEN} for number in range(3)]
    result = bind(*entries, fixtures=OVENS)
    assert [each.template_id for each in result.instances] == ["t0", "t1", "t2"]
    assert codes(result) == []


def test_without_a_config_a_faulty_template_leaves_the_others_as_they_were():
    entries = [{"template_id": f"t{number}", "category": "c", "slots": OVEN} for number in range(3)]
    broken = [entries[0], {**entries[1], "faulty": True}, entries[2]]
    assert [each.template_id for each in bind(*broken, fixtures=OVENS).instances] == ["t0", "t2"]


@pytest.mark.parametrize(
    ("settings", "named"),
    [({"budget": 1}, "`tasks_per_category`"), ({"budget": 1, "candidates": 2}, "`candidate_tasks_per_category`")],
)
def test_a_budget_below_the_number_of_templates(settings, named):
    entries = [{"template_id": f"t{number}", "category": "c", "slots": OVEN} for number in range(3)]
    result = bind(*entries, **settings, fixtures=OVENS)
    (found,) = result.findings
    assert (found.code, found.check) == ("category_budget_too_small", Check.REPRESENTATIVE_GENERATION_CONTRACT)
    assert named in found.message
    assert named in found.fix
    assert found.template_id == f"t{settings.get('candidates') or settings['budget']}"
    assert Counter(each.template_id for each in result.instances) == {"t0": 1, "t1": 1, "t2": 1}


def test_an_underfilled_category_is_noted_with_both_numbers():
    result = bind({"template_id": "t", "category": "c", "slots": OVEN}, budget=9, fixtures=OVENS)
    (found,) = result.findings
    assert (found.code, found.severity) == ("category_underfilled", Severity.NOTE)
    assert "7 of the 9" in found.message
    assert found.detail == {"category": "c", "budget": 9, "drawn": 7}


def test_a_category_with_a_faulty_template_is_not_called_underfilled():
    result = bind(
        {"template_id": "t", "category": "c"}, {"template_id": "u", "category": "c", "faulty": True}, budget=9
    )
    assert codes(result) == []


def test_the_representative_is_the_first_instance_of_each_template():
    entries = [{"template_id": f"t{number}", "category": "c", "slots": OVEN} for number in range(2)]
    result = bind(*entries, budget=6, fixtures=OVENS)
    first = {}
    for each in result.instances:
        first.setdefault(each.template_id, each.task_id)
    assert {each.task_id for each in result.instances if each.representative} == set(first.values())


# Faults


def test_every_slot_of_every_template_is_checked_faulty_ones_too():
    result = bind(
        {"template_id": "a", "faulty": True, "slots": {"x": {"source": "literal:[]"}, "y": {}}},
        {"template_id": "b", "slots": {"z": {"source": "nope:1"}}},
        {"template_id": "c"},
    )
    assert [(each.template_id, each.slot, each.code) for each in result.findings] == [
        ("a", "x", "invalid_source"),
        ("a", "y", "missing_source"),
        ("b", "z", "unknown_source_kind:nope"),
    ]
    assert [each.template_id for each in result.instances] == ["c"]


def test_a_warning_does_not_keep_a_template_from_being_bound():
    result = bind({"template_id": "t", "slots": {"x": {"source": "literal:[1, 1]", "filter": "a == 1"}}})
    assert sorted(codes(result)) == ["duplicate_source_value", "filter_ignored"]
    assert len(result.instances) == 1


def test_slots_that_pose_as_corrections_are_found_out():
    slots = {"n": {"source": "literal:[1]"}, "n@correction0": {"source": "literal:[5, 6]"}}
    result = bind(correction({"n": {"source": "literal:3"}}, slots=slots), budget=2)
    (found,) = result.findings
    assert found.code == "duplicate_task_id"
    assert found.task_id == result.instances[0].task_id == result.instances[1].task_id


# Corrections


def test_a_correction_binds_both_values_and_its_alias():
    update = {"loaves": {"source": "literal:[8]", "bind_as": "loaves_next"}}
    slots = {"order_ref": {"source": "literal:['ORD-4']"}, "loaves": {"source": "literal:[6]"}}
    (instance,) = bind(correction(update, slots=slots)).instances
    assert instance.slots_initial == {"order_ref": "ORD-4", "loaves": 6}
    assert instance.slots == {"order_ref": "ORD-4", "loaves": 8}
    assert instance.slot_updates == (SlotUpdate(entry_index=0, values={"loaves": 8}, aliases={"loaves_next": 8}),)
    identity = identify(
        pack_id="p",
        pack_version="1",
        template_id="t",
        fixture_refs=[],
        bindings={"order_ref": "ORD-4", "loaves": 6, correction_key("loaves", 0): 8},
        variant_index=0,
        global_seed=0,
    )
    assert instance.task_id == identity.task_id


def test_corrections_follow_the_conversation_not_the_file():
    entry = correction({"n": {"source": "literal:[12]"}}, {"n": {"source": "literal:[8]"}})
    entry["user_simulator_turns"][0]["after"], entry["user_simulator_turns"][1]["after"] = "ask1", "ask0"
    (instance,) = bind(entry).instances
    assert [update.entry_index for update in instance.slot_updates] == [1, 0]
    assert [update.values for update in instance.slot_updates] == [{"n": 8}, {"n": 12}]
    assert instance.slots == {"n": 12}


def test_no_op_corrections_are_left_out_before_the_budget():
    shared = "literal:[1, 2, 3]"
    entry = correction({"n": {"source": shared}}, slots={"n": {"source": shared}})
    for budget in (1, 6):
        instances = bind(entry, budget=budget).instances
        assert len(instances) == budget
        assert all(each.slots != each.slots_initial for each in instances)


def test_a_chain_skips_the_value_in_force():
    (instance,) = bind(correction({"n": {"source": "literal:[20]"}}, {"n": {"source": "literal:[20, 30]"}})).instances
    assert [update.values for update in instance.slot_updates] == [{"n": 20}, {"n": 30}]


def test_rows_behind_a_replacement_are_referred_to():
    entry = correction({"oven_id": {"source": "ovens.oven_id"}}, slots=OVEN)
    (instance,) = bind(entry, fixtures={"ovens": OVENS["ovens"][:2]}).instances
    assert instance.fixture_refs == ('["ovens","OV-0"]', '["ovens","OV-1"]')


@pytest.mark.parametrize(
    ("changes", "about", "at"),
    [
        ({"turn_policy": "confirmation"}, "policy is `confirmation`", ("user_simulator_turns", 0, "slot_updates")),
        ({"user_simulator_turns": []}, "no user turn has `slot_updates`", ("turn_policy",)),
        (
            {"slots": {"n": {"source": "literal:[10]", "visible_in_first_turn": False}}},
            "withheld",
            ("user_simulator_turns", 0, "slot_updates", "n"),
        ),
        (
            {"slots": {"n": {"source": "enum:x.n"}}},
            "sourced from `enum`, its replacement from `literal`",
            ("user_simulator_turns", 0, "slot_updates", "n", "source"),
        ),
        (
            {"slots": {"N": {"source": "literal:[10]"}}},
            "no slot `n` to replace. Did you mean `N`",
            ("user_simulator_turns", 0, "slot_updates", "n"),
        ),
        (
            {"slots": {"n": {"source": "literal:[20]"}}},
            "Nothing that replaces `n` differs",
            ("user_simulator_turns", 0, "slot_updates", "n", "source"),
        ),
    ],
)
def test_broken_declarations_of_corrections(changes, about, at):
    entry = {**correction({"n": {"source": "literal:[20]"}}), **changes}
    tools = [{"function": {"name": "x", "parameters": {"properties": {"n": {"enum": [1]}}}}}]
    result = bind(entry, tools=tools)
    (found,) = result.findings
    assert found.code == "slot_correction_declaration_invalid"
    assert about in found.message
    assert found.place.line == line_of(template(entry), *at)
    assert result.instances == ()


def test_a_replacement_without_a_source():
    result = bind(correction({"n": {"bind_as": "m"}}))
    assert codes(result) == ["invalid_slot_update"]


def test_the_source_of_a_replacement_is_checked_even_where_it_may_not_stand():
    result = bind(correction({"n": {"source": "literal:[]"}}, turn_policy="confirmation"))
    assert codes(result) == ["slot_correction_declaration_invalid", "invalid_source"]


def test_a_missing_update_follows_from_the_planner_finding():
    (found,) = bind(correction(turn_policy="correction")).findings
    assert found.root is not None


@pytest.mark.parametrize(
    "updates",
    [
        {"n": {"source": "literal:[20]", "bind_as": "m"}},
        {"n": {"source": "literal:[20]", "bind_as": "k"}, "m": {"source": "literal:[5]", "bind_as": "k"}},
    ],
)
def test_aliases_that_hide_another_value_are_warned_of(updates):
    entry = correction(updates, slots={"n": {"source": "literal:[10]"}, "m": {"source": "literal:[4]"}})
    (found,) = bind(entry).findings
    assert (found.code, found.severity) == ("slot_alias_conflict", Severity.WARNING)
    last = list(updates)[-1]
    at = ("user_simulator_turns", 0, "slot_updates", last, "bind_as")
    assert found.place.line == line_of(template(entry), *at)


def test_an_alias_equal_to_its_own_slot_is_no_conflict():
    assert codes(bind(correction({"n": {"source": "literal:[20]", "bind_as": "n"}}))) == []
