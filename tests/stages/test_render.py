from dataclasses import replace

import pytest

from assay.config import SurfaceGeneration
from assay.findings import Severity
from assay.stages.render import render_pack
from assay.stages.system_prompt import system_prompt_of
from tests.support.models import line_of, run_config
from tests.support.talks import ASSISTANT, PLACE_ORDER, asking, corrected, entry, function, slot, staged


def rendered(*entries, language=None, surface=None, **given):
    """Render template entries; return the pack and the result."""
    made = staged(*entries, **given)
    settings = surface or SurfaceGeneration(language=language)
    return made.pack, render_pack(made.pack, made.instances, made.plans, run_config(surface_generation=settings))


def texts(conversation):
    return [turn.content for turn in conversation.turns]


def codes(result):
    return [each.code for each in result.findings]


def only(result):
    (found,) = result.findings
    return found


def test_a_conversation_in_words():
    pack, result = rendered(entry())
    (conversation,) = result.conversations
    assert result.findings == ()
    assert [(turn.turn, turn.role, turn.content, turn.call_group) for turn in conversation.turns] == [
        (0, "user", "Order ORD-4: 6 loaves.", None),
        (1, "assistant", None, 0),
        (2, "assistant", "That is done.", None),
    ]
    assert conversation.language == "en"
    assert conversation.system_prompt_id == system_prompt_of(pack.manifest).id
    assert conversation.accepted


def test_the_opening_uses_the_old_value_and_the_correcting_turn_the_new_one():
    assistant = {**ASSISTANT, "ask_confirm": {"en": "{loaves} loaves?"}}
    _, result = rendered(corrected(), assistant=assistant)
    assert result.findings == ()
    assert texts(result.conversations[0]) == [
        "Order ORD-4: 6 loaves.",
        "6 loaves?",
        "Change to 8 loaves.",
        "8 loaves?",
        "Yes, that is right.",
        None,
        "That is done.",
    ]


def test_a_slot_named_in_its_correcting_turn_has_its_new_value_there():
    turns = corrected()["user_simulator_turns"]
    turns[0] = {**turns[0], "content_template": {"en": "{loaves} it is: {loaves_next}."}}
    _, result = rendered(corrected(user_simulator_turns=turns))
    assert texts(result.conversations[0])[2] == "8 it is: 8."


def test_an_alias_holds_in_its_own_turn_alone():
    turns = corrected()["user_simulator_turns"]
    turns[1] = {**turns[1], "content_template": {"en": "Yes, {loaves_next}."}}
    pack, result = rendered(corrected(user_simulator_turns=turns))
    assert result.conversations == ()
    found = only(result)
    assert (found.code, found.template_id) == ("unbound_placeholder", "bake_revised")
    assert found.place.line == line_of(pack.templates[0], "user_simulator_turns", 1, "content_template", "en")
    assert found.detail == {"names": ["loaves_next"]}


def test_a_value_that_holds_a_placeholder_is_inserted_as_it_is():
    slots = {"order_ref": slot(["leave at {loaves}"]), "loaves": slot([6])}
    _, result = rendered(entry(slots=slots))
    assert texts(result.conversations[0])[0] == "Order leave at {loaves}: 6 loaves."


@pytest.mark.parametrize("where", ["milestone", "template", "manifest"])
def test_the_nearest_text_of_an_assistant_step_wins(where):
    milestones = entry()["assistant_milestones"]
    fields = {}
    if where == "milestone":
        fields["assistant_milestones"] = [milestones[0], {**milestones[1], "content_template": {"en": "milestone"}}]
    if where != "manifest":
        fields["assistant_turn_templates"] = {"final_answer": {"en": "template"}}
    _, result = rendered(entry(**fields), assistant={"final_answer": {"en": "manifest"}})
    assert texts(result.conversations[0])[-1] == where


def test_a_nearer_block_hides_the_farther_one_whole():
    fields = {"assistant_turn_templates": {"final_answer": {"sw": "Tayari."}}}
    pack, result = rendered(entry(**fields))
    assert result.conversations == ()
    found = only(result)
    assert (found.code, found.template_id) == ("language_gap", "bake")
    assert found.place.line == line_of(pack.templates[0], "assistant_turn_templates", "final_answer")
    assert found.detail == {"block": "assistant_turn_templates.final_answer", "language": "en", "declared": ["sw"]}


def test_all_gaps_are_told_at_once_each_where_the_text_is_missing():
    opening = {"en": "Place {order_ref}.", "sw": "Weka {order_ref}."}
    assistant = {"ask_for_slot": {"en": "How many?", "sw": "Ngapi?"}, "final_answer": {"en": "Done."}}
    pack, result = rendered(
        asking(user_turn_templates=opening),
        asking(template_id="second", user_turn_templates=opening),
        entry(user_turn_templates={"en": "x {order_ref} {loaves}"}),
        language="sw",
        assistant=assistant,
        system_prompt="Jibu.",
    )
    assert result.conversations == ()
    first, second, third = pack.templates
    in_templates = [
        ("ask_amount", line_of(first, "user_simulator_turns", 0, "content_template")),
        ("second", line_of(second, "user_simulator_turns", 0, "content_template")),
        ("bake", line_of(third, "user_turn_templates")),
    ]
    manifest_line = line_of(pack.manifest, "assistant_turn_templates", "final_answer")
    told = [(each.template_id, each.place.line) for each in result.findings]
    assert set(codes(result)) == {"language_gap"}
    assert [each for each in told if each[0] is not None] == in_templates
    assert [each for each in told if each[0] is None] == [(None, manifest_line)]


def test_a_block_that_loading_has_refused_is_not_told_again():
    raw = {"en": "Order {order_ref}: {loaves}.", "sw": 4}
    made = staged(entry(user_turn_templates=raw))
    usable = replace(made.pack.templates[0], user_turn_templates={"en": raw["en"]}, faulty=True)
    pack = replace(
        made.pack, templates=(usable, *staged(entry(template_id="t", user_turn_templates={"sw": "x"})).pack.templates)
    )
    result = render_pack(pack, (), (), run_config(surface_generation=SurfaceGeneration(language="sw")))
    assert "language_gap" not in [each.code for each in result.findings if each.template_id == "bake"]


def test_a_step_without_text_anywhere_is_told_at_its_milestone_the_first_as_root():
    pack, result = rendered(entry(), entry(template_id="other"), assistant={})
    assert result.conversations == ()
    assert codes(result) == ["missing_assistant_turn_templates"] * 2
    root, follower = result.findings
    assert (root.root, follower.root) == (None, root.id)
    for found, template in zip(result.findings, pack.templates, strict=True):
        assert found.template_id == template.template_id
        assert found.place.line == line_of(template, "assistant_milestones", 1)
        assert "final_answer" in found.fix


def test_a_text_of_the_manifest_is_judged_in_each_template_that_uses_it():
    assistant = {**ASSISTANT, "final_answer": {"en": "{loaves} done."}}
    without = entry(template_id="plain", slots={"order_ref": slot(["X"])}, user_turn_templates={"en": "{order_ref}"})
    without["assistant_milestones"] = [{"type": "tool_call", "tool": "place_order"}, {"type": "final_answer"}]
    _, result = rendered(entry(), without, assistant=assistant)
    assert [each.template_id for each in result.conversations] == ["bake"]
    assert (only(result).code, only(result).template_id) == ("unbound_placeholder", "plain")


def test_an_unbound_placeholder_names_the_slot_that_was_meant():
    _, result = rendered(entry(user_turn_templates={"en": "Order {order_reff}: {loaves}, {nobody}."}))
    found = only(result)
    assert found.detail == {"names": ["nobody", "order_reff"]}
    _, result = rendered(entry(user_turn_templates={"en": "Order {order_reff}: {loaves}."}))
    assert "Did you mean `order_ref`?" in only(result).message


def test_the_question_names_the_withheld_slot():
    _, result = rendered(asking())
    assert texts(result.conversations[0])[1] == "What is the loaves?"


def test_the_question_uses_the_slots_label_as_it_is():
    slots = {"order_ref": slot(["ORD-4"]), "loaves": slot([3], visible=False, label={"en": "number of {loaves}"})}
    _, result = rendered(asking(slots=slots))
    assert texts(result.conversations[0])[1] == "What is the number of {loaves}?"


def test_a_label_in_another_language_only():
    slots = {"order_ref": slot(["ORD-4"]), "loaves": slot([3], visible=False, label={"sw": "idadi"})}
    pack, result = rendered(asking(slots=slots))
    assert result.conversations == ()
    found = only(result)
    assert (found.code, found.slot) == ("label_without_language", "loaves")
    assert found.place.line == line_of(pack.templates[0], "slots", "loaves", "label")


def test_a_label_that_no_text_asks_for_may_lack_the_language():
    slots = {"order_ref": slot(["ORD-4"], label={"sw": "oda"}), "loaves": slot([6])}
    _, result = rendered(entry(slots=slots))
    assert result.findings == ()


def test_a_named_slot_wins_over_the_withheld_one_in_any_text():
    assistant = {**ASSISTANT, "final_answer": {"en": "About {slot_name}."}}
    milestones = asking()["assistant_milestones"]
    milestones[2] = {**milestones[2], "slot": "order_ref"}
    _, result = rendered(asking(assistant_milestones=milestones), assistant=assistant)
    assert texts(result.conversations[0])[-1] == "About order_ref."


def test_a_slot_called_slot_name_is_a_slot():
    slots = {"order_ref": slot(["ORD-4"]), "slot_name": slot([3], visible=False)}
    milestones = asking()["assistant_milestones"]
    milestones[1] = {"type": "tool_call", "tool": "place_order"}
    turns = [{"after": "ask", "content_template": {"en": "{slot_name}."}}]
    assistant = {**ASSISTANT, "final_answer": {"en": "So {slot_name}."}, "ask_for_slot": {"en": "Which?"}}
    _, result = rendered(
        asking(slots=slots, assistant_milestones=milestones, user_simulator_turns=turns), assistant=assistant
    )
    assert texts(result.conversations[0])[-1] == "So 3."


@pytest.mark.parametrize("slot_of_milestone", [None, "nothing"])
def test_slot_name_without_a_slot(slot_of_milestone):
    milestones = entry()["assistant_milestones"]
    milestones[1] = {**milestones[1], "slot": slot_of_milestone, "content_template": {"en": "About {slot_name}."}}
    pack, result = rendered(entry(assistant_milestones=milestones))
    assert result.conversations == ()
    found = only(result)
    assert (found.code, found.template_id) == ("slot_name_unresolved", "bake")
    below = ("slot",) if slot_of_milestone else ()
    assert found.place.line == line_of(pack.templates[0], "assistant_milestones", 1, *below)


def test_a_question_that_planning_refuses_is_not_told_twice():
    slots = {"order_ref": slot(["ORD-4"], visible=False), "loaves": slot([3], visible=False)}
    _, result = rendered(asking(slots=slots, user_turn_templates={"en": "Place an order."}))
    assert result.findings == ()


def test_slot_name_in_a_users_text_is_unbound():
    _, result = rendered(entry(user_turn_templates={"en": "{order_ref} {loaves} {slot_name}"}))
    assert only(result).code == "unbound_placeholder"


@pytest.mark.parametrize("who", ["opening", "reply", "milestone"])
def test_a_blank_text_is_told_once_where_it_stands(who):
    fields = {}
    if who == "opening":
        fields["user_turn_templates"], path = {"en": "   "}, ("user_turn_templates", "en")
    elif who == "reply":
        fields["user_simulator_turns"] = [{"after": "ask", "content_template": {"en": "\n"}}]
        path = ("user_simulator_turns", 0, "content_template", "en")
    else:
        milestones = asking()["assistant_milestones"]
        milestones[0] = {**milestones[0], "content_template": {"en": "  "}}
        fields["assistant_milestones"], path = milestones, ("assistant_milestones", 0, "content_template", "en")
    pack, result = rendered(asking(**fields), tasks=5)
    assert result.conversations == ()
    found = only(result)
    assert (found.code, found.severity, found.template_id) == ("empty_turn", Severity.ERROR, "ask_amount")
    assert found.place.line == line_of(pack.templates[0], *path)


def test_a_blank_text_of_the_manifest_is_told_once_for_all_templates():
    pack, result = rendered(entry(), entry(template_id="other"), assistant={"final_answer": {"en": " "}})
    found = only(result)
    assert (found.code, found.template_id) == ("empty_turn", None)
    assert found.place.line == line_of(pack.manifest, "assistant_turn_templates", "final_answer", "en")


def test_a_turn_that_a_blank_value_empties_costs_that_instance_alone():
    fields = {"slots": {"note": slot([" ", "hello"])}, "user_turn_templates": {"en": "{note}"}}
    milestones = [{"type": "tool_call", "tool": "look"}, {"type": "final_answer"}]
    _, result = rendered(entry(**fields, assistant_milestones=milestones), tools=[function("look")], tasks=2)
    assert [texts(each)[0] for each in result.conversations] == ["hello"]
    found = only(result)
    assert found.code == "empty_turn"
    assert found.task_id
    assert found.detail["tasks"] == 1


def test_brace_groups_that_look_like_placeholders_stay_and_are_told_once():
    text = {"en": "{order_ref} {loaves}: {số} and {order.ref} and {số}"}
    pack, result = rendered(entry(user_turn_templates=text), tasks=3)
    assert [each.detail["group"] for each in result.findings] == ["{số}", "{order.ref}"]
    for found in result.findings:
        assert (found.code, found.severity) == ("suspicious_placeholder", Severity.WARNING)
        assert found.place.line == line_of(pack.templates[0], "user_turn_templates", "en")
    assert texts(result.conversations[0])[0] == "ORD-4 6: {số} and {order.ref} and {số}"


def test_values_that_read_like_code_are_told_once_per_text_and_slot():
    slots = {"order_ref": slot(["ORD-4", "ORD-5"]), "loaves": slot([True])}
    pack, result = rendered(entry(slots=slots), tasks=2)
    found = only(result)
    assert (found.code, found.severity, found.slot) == ("value_renders_as_code", Severity.WARNING, "loaves")
    assert found.place.line == line_of(pack.templates[0], "user_turn_templates", "en")
    assert found.detail["tasks"] == 2
    assert "True" in found.message


def test_only_users_speak_code():
    slots = {"order_ref": slot(["ORD-4"]), "loaves": slot([True])}
    fields = {"user_turn_templates": {"en": "Order {order_ref}, True."}}
    _, result = rendered(entry(slots=slots, **fields), assistant={"final_answer": {"en": "{loaves}"}})
    assert result.findings == ()


def test_a_broken_template_costs_the_others_nothing():
    broken = entry(template_id="broken", user_turn_templates={"en": "{nobody} {order_ref} {loaves}"})
    _, result = rendered(broken, entry())
    assert [each.template_id for each in result.conversations] == ["bake"]
    assert codes(result) == ["unbound_placeholder"]


def test_texts_of_templates_without_instances_are_checked_too():
    made = staged(entry(user_turn_templates={"en": "{nobody}"}))
    result = render_pack(made.pack, (), (), run_config())
    assert codes(result) == ["unbound_placeholder"]


def test_without_a_language_nothing_is_rendered():
    _, result = rendered(entry(), language="fr")
    assert result.conversations == ()
    assert codes(result) == ["language_not_offered"]


def test_conversations_come_in_the_order_of_the_instances_and_are_the_same_every_time():
    fields = {"slots": {"order_ref": slot(["A", "B", "C"]), "loaves": slot([1, 2])}}
    made = staged(entry(**fields), entry(template_id="x", **fields), tasks=6)
    results = [render_pack(made.pack, made.instances, made.plans, run_config()) for _ in range(2)]
    assert results[0] == results[1]
    assert [each.task_id for each in results[0].conversations] == [each.task_id for each in made.instances]


def test_the_opening_turn_may_stand_under_its_older_name():
    raw = {key: value for key, value in entry().items() if key != "user_turn_templates"}
    made = staged({**raw, "first_turn_templates": {"en": "{nobody}"}})
    template = replace(made.pack.templates[0], user_turn_templates={"en": "{nobody}"})
    result = render_pack(replace(made.pack, templates=(template,)), (), (), run_config())
    assert only(result).place.line == line_of(template, "first_turn_templates", "en")


def test_tools_are_guarded_by_default():
    _, result = rendered(entry(user_turn_templates={"en": "place_order {order_ref} {loaves}"}))
    assert codes(result) == ["representative_surface_guard_violation"]
    assert not result.conversations[0].accepted
    assert PLACE_ORDER["function"]["name"] == only(result).tool
