from dataclasses import replace

import pytest

from assay.config import SurfaceGeneration
from assay.findings import Check, Severity
from assay.stages.guards import Guards
from assay.stages.matching import composed
from assay.stages.records import SlotUpdate
from assay.stages.render import render_pack
from assay.stages.speech import USER, Speech
from assay.stages.tool_names import ToolNames
from tests.support.models import line_of, pack, run_config, template
from tests.support.records import instance
from tests.support.talks import asking, corrected, entry, slot, staged

ON = SurfaceGeneration()
OFF = SurfaceGeneration(preserve_slot_values=False, prevent_tool_name_leakage=False)


def broken(slots, texts, *, values=None, initial=None, updates=(), settings=ON, tools=("book_berth",), **paraphrase):
    """The guards that users' texts break.

    Args:
        slots: name -> whether the opening turn states it.
        texts: of the opening turn and of the replies.
        values: final values; "X-7" for all when left out.
        initial: values of the opening turn, when they are others.
        updates: (entry index, values) of correcting replies.
    """
    entries = {name: {"visible_in_first_turn": visible} for name, visible in slots.items()}
    model = template(template_id="t", slots=entries, paraphrase=paraphrase)
    bound = values or dict.fromkeys(slots, "X-7")
    task = replace(
        instance(pack(model), "t", **bound),
        slots_initial=initial or bound,
        slot_updates=tuple(SlotUpdate(entry_index=index, values=new, aliases={}) for index, new in updates),
    )
    turns = [
        Speech(2 * index, USER, index - 1 if index else None, None, composed(text)) for index, text in enumerate(texts)
    ]
    return Guards(model, settings, ToolNames(tools)).check(task, turns)


def told(violations):
    return [(each.guard, each.slot or each.tool or each.phrase, each.turn) for each in violations]


def test_a_withheld_value_may_be_told_later():
    assert broken({"berth_id": False}, ["Book me a berth.", "It is X-7."]) == ()


def test_a_withheld_value_in_the_opening_turn():
    (found,) = broken({"berth_id": False}, ["Book berth X-7."])
    assert (found.guard, found.slot, found.value, found.turn) == ("must_omit", "berth_id", "X-7", 0)


def test_a_visible_value_told_late_is_missing_from_the_opening_turn_and_told_once():
    (found,) = broken({"hull": True}, ["Survey my boat.", "The code is X-7."])
    assert (found.guard, found.slot, found.value, found.turn) == ("must_preserve", "hull", "X-7", 0)


def test_a_visible_value_told_nowhere_is_told_once():
    violations = broken({"hull": True}, ["Survey my boat.", "Please."], must_preserve=["hull"])
    assert told(violations) == [("must_preserve", "hull", 0)]


def test_slots_are_told_by_name_preserved_before_omitted():
    slots = {"b": True, "a": True, "d": False, "c": False}
    values = {"a": "A-1", "b": "B-1", "c": "C-1", "d": "D-1"}
    assert told(broken(slots, ["D-1 and C-1"], values=values)) == [
        ("must_preserve", "a", 0),
        ("must_preserve", "b", 0),
        ("must_omit", "c", 0),
        ("must_omit", "d", 0),
    ]


def test_without_the_setting_visible_slots_need_not_be_stated():
    assert broken({"hull": True}, ["Survey my boat."], settings=OFF) == ()
    assert told(broken({"hull": True}, ["Survey."], settings=OFF, must_preserve=["hull"])) == [
        ("must_preserve", "hull", 0)
    ]
    assert broken({"hull": True}, ["Survey.", "It is X-7."], settings=OFF, must_preserve=["hull"]) == ()


def test_a_declared_withheld_slot_must_be_stated_somewhere():
    assert told(broken({"x": False}, ["Hello.", "Well."], must_preserve=["x"])) == [("must_preserve", "x", 0)]
    assert broken({"x": False}, ["Hello.", "X-7."], must_preserve=["x"]) == ()


def test_a_corrected_value_must_be_stated_somewhere_and_is_missed_where_it_should_be():
    given = {"initial": {"n": 6}, "values": {"n": 8}, "updates": [(1, {"n": 8})]}
    assert broken({"n": True}, ["6 loaves.", "Fine.", "Make it 8."], **given) == ()
    assert broken({"n": True}, ["6 loaves, later 8.", "Fine.", "Change it."], **given) == ()
    (found,) = broken({"n": True}, ["6 loaves.", "Fine.", "Make it more."], **given)
    assert (found.guard, found.slot, found.value, found.turn) == ("must_preserve", "n", 8, 4)


def test_every_corrected_value_counts_and_equal_ones_once():
    updates = [(0, {"n": 7}), (1, {"n": 8}), (2, {"n": 7})]
    given = {"initial": {"n": 6}, "values": {"n": 7}, "updates": updates}
    assert told(broken({"n": True}, ["6.", "x", "x", "x"], **given)) == [
        ("must_preserve", "n", 2),
        ("must_preserve", "n", 4),
    ]


def test_the_opening_turn_states_the_initial_value_not_the_final_one():
    given = {"initial": {"n": 6}, "values": {"n": 8}, "updates": [(0, {"n": 8})]}
    assert told(broken({"n": True}, ["8 loaves.", "Make it 8."], **given)) == [("must_preserve", "n", 0)]


def test_what_must_be_omitted_is_the_final_value():
    given = {"initial": {"n": 6}, "values": {"n": 8}, "updates": [(0, {"n": 8})], "settings": OFF}
    assert broken({"n": True}, ["6 loaves.", "8."], must_omit=["n"], **given) == ()
    assert told(broken({"n": True}, ["8 loaves.", "8."], must_omit=["n"], **given)) == [("must_omit", "n", 0)]


def test_listing_a_visible_slot_under_must_omit_contradicts_itself():
    assert told(broken({"n": True}, ["X-7"], must_omit=["n"])) == [("must_omit", "n", 0)]


def test_unknown_names_guard_nothing():
    assert broken({"n": True}, ["X-7"], must_omit=["m"], must_preserve=["k"]) == ()


def test_an_empty_value_is_never_stated():
    assert told(broken({"n": True, "m": False}, ["hello"], values={"n": "", "m": ""})) == [("must_preserve", "n", 0)]


@pytest.mark.parametrize(
    ("visible", "hidden", "text", "expected"),
    [
        (200000, 5, "Send 200000đ.", []),
        (500000, 5, "Send 500.000.", []),
        (500, 5, "Send 500.000.", ["n"]),
        (123, 9, "Pick 1, 2, 3.", ["n"]),
        (1234567, 5, "Send 1 234 567.", []),
        ("us", "eu", "The status of us, eureka.", []),
        ("us", "eu", "The status.", ["n"]),
        ("us", "eu", "From us to eu.", ["m"]),
        (7, 5, "Send 5 of 7.", ["m"]),
        (7, 5, "Send 5.5 of 7.", []),
        (7, 5, "Send 15 of 7.", []),
        ("北京", "上海", "我在北京工作", []),
        ("北京", "上海", "我从北京到上海去", ["m"]),
    ],
)
def test_values_are_compared_as_whole_values(visible, hidden, text, expected):
    values = {"n": visible, "m": hidden}
    assert [each.slot for each in broken({"n": True, "m": False}, [text], values=values)] == expected


def test_tools_and_phrases_at_their_first_turn_tools_first():
    texts = ["Hello.", "Use Book_Berth on the QUIET side.", "book_berth, quiet."]
    violations = broken({}, texts, must_not_mention=["quiet", "loud"])
    assert told(violations) == [("must_not_mention", "book_berth", 2), ("must_not_mention", "quiet", 2)]
    assert (violations[0].tool, violations[0].phrase) == ("book_berth", None)
    assert (violations[1].tool, violations[1].phrase) == (None, "quiet")


@pytest.mark.parametrize("text", ["rebook_berth", "book_berths", "book berth", "book_berth2", "x_book_berth"])
def test_a_tool_name_within_a_longer_word_is_none(text):
    assert broken({}, [f"Please {text} now."]) == ()


@pytest.mark.parametrize("text", ["book_berth", "BOOK_BERTH", "book_berth()", "请用book_berth工具"])
def test_a_tool_name_as_a_word_of_its_own(text):
    assert told(broken({}, [f"Please {text} now."])) == [("must_not_mention", "book_berth", 0)]


def test_phrases_have_no_edges_and_no_case():
    assert told(broken({}, ["The STRASSENBAHN."], must_not_mention=["straße"])) == [("must_not_mention", "straße", 0)]


def test_tool_names_are_guarded_by_the_setting_or_by_the_template():
    text = ["book_berth"]
    assert broken({}, text, settings=OFF) == ()
    assert told(broken({}, text, settings=OFF, must_not_mention=["tool_names"])) == [
        ("must_not_mention", "book_berth", 0)
    ]
    assert told(broken({}, text, must_not_mention=["other"])) == [("must_not_mention", "book_berth", 0)]


def test_tool_names_itself_is_no_phrase():
    assert broken({}, ["tool_names"], must_not_mention=["tool_names"]) == ()


def test_empty_phrases_forbid_nothing():
    assert broken({}, ["hello"], must_not_mention=["", " "]) == ()


# Through rendering: what the findings say.


def findings_of(*entries, tasks=None, settings=ON):
    made = staged(*entries, tasks=tasks)
    result = render_pack(made.pack, made.instances, made.plans, run_config(surface_generation=settings))
    return made.pack, result


def test_a_violation_is_told_once_per_template_at_the_turns_text():
    slots = {"order_ref": slot(["ORD-4", "ORD-5", "ORD-6"]), "loaves": slot([6])}
    bad = entry(slots=slots, user_turn_templates={"en": "Order {loaves} loaves."})
    made, result = findings_of(bad, tasks=3)
    (found,) = result.findings
    assert found.code == "representative_surface_guard_violation"
    assert (found.severity, found.check) == (Severity.ERROR, Check.REPRESENTATIVE_GENERATION_CONTRACT)
    assert (found.template_id, found.slot) == ("bake", "order_ref")
    assert found.place.line == line_of(made.templates[0], "user_turn_templates", "en")
    first = result.conversations[0]
    assert found.task_id == first.task_id
    assert found.detail["guard"] == "must_preserve"
    assert found.detail["turn"] == 0
    assert found.detail["value"] == first.guard_violations[0].value
    assert found.detail["tasks"] == 3
    assert '"ORD-' in found.message
    assert all(not each.accepted for each in result.conversations)


def test_a_missing_correction_is_told_at_the_correcting_turn():
    turns = corrected()["user_simulator_turns"]
    turns[0] = {**turns[0], "content_template": {"en": "Rather more, please."}}
    made, result = findings_of(corrected(user_simulator_turns=turns))
    (found,) = result.findings
    assert (found.slot, found.detail["value"], found.detail["turn"]) == ("loaves", 8, 2)
    assert found.place.line == line_of(made.templates[0], "user_simulator_turns", 0, "content_template", "en")


def test_a_withheld_value_in_the_opening_turn_is_told_with_its_value():
    _, result = findings_of(asking(user_turn_templates={"en": "Place {order_ref}, {loaves} loaves."}))
    (found,) = result.findings
    assert (found.slot, found.detail["guard"], found.detail["value"]) == ("loaves", "must_omit", 3)


def test_phrases_and_tools_are_told_apart():
    bad = entry(
        user_turn_templates={"en": "place_order {order_ref} {loaves}, quick and cheap."},
        paraphrase={"must_not_mention": ["cheap", "quick"]},
    )
    _, result = findings_of(bad)
    assert [(each.tool, (each.detail or {}).get("phrase")) for each in result.findings] == [
        ("place_order", None),
        (None, "cheap"),
        (None, "quick"),
    ]


def test_guard_lists_that_guard_nothing():
    bad = entry(paraphrase={"must_preserve": ["order_reff"], "must_omit": ["x"], "must_not_mention": ["ok", " "]})
    made, result = findings_of(bad)
    assert [each.code for each in result.findings] == ["ineffective_guard"] * 3
    assert [each.place.line for each in result.findings] == [
        line_of(made.templates[0], "paraphrase", key, index)
        for key, index in (("must_preserve", 0), ("must_omit", 0), ("must_not_mention", 1))
    ]
    assert "Did you mean `order_ref`?" in result.findings[0].message


def test_an_assistant_turn_that_tells_a_withheld_value_first():
    milestones = asking()["assistant_milestones"]
    milestones[0] = {**milestones[0], "content_template": {"en": "Is it {loaves}?"}}
    made, result = findings_of(asking(assistant_milestones=milestones))
    (found,) = result.findings
    assert (found.code, found.severity, found.slot) == (
        "assistant_reveals_withheld_value",
        Severity.ERROR,
        "loaves",
    )
    assert found.place.line == line_of(made.templates[0], "assistant_milestones", 0, "content_template", "en")
    assert found.detail == {"turn": 1, "value": 3, "tasks": 1, "task_ids": [found.task_id]}


def test_an_assistant_turn_may_repeat_what_the_user_has_said():
    milestones = asking()["assistant_milestones"]
    milestones[2] = {**milestones[2], "content_template": {"en": "That is {loaves} loaves of {order_ref}."}}
    _, result = findings_of(asking(assistant_milestones=milestones))
    assert result.findings == ()


def test_an_assistant_turn_that_names_a_tool():
    milestones = asking()["assistant_milestones"]
    milestones[2] = {**milestones[2], "content_template": {"en": "Place_Order is done."}}
    made, result = findings_of(asking(assistant_milestones=milestones), tasks=2)
    (found,) = result.findings
    assert (found.code, found.severity, found.tool) == ("assistant_names_tool", Severity.WARNING, "place_order")
    assert found.place.line == line_of(made.templates[0], "assistant_milestones", 2, "content_template", "en")
    assert result.conversations[0].accepted
