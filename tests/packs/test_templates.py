import re

import pytest

POLICIES = {
    "single_turn",
    "missing_slot",
    "confirmation",
    "correction",
    "multi_tool",
    "dependent_call",
    "negative_path",
    "clarify_only",
    "irrelevant",
}
KINDS = {"fixture", "enum", "literal", "range", "absent"}


def sources(template):
    """Yield every source of a template, corrections included."""
    yield from template["slots"].values()
    for turn in template.get("user_simulator_turns", []):
        yield from turn.get("slot_updates", {}).values()


def texts(node):
    """Yield every mapping of language to text below a node."""
    if isinstance(node, dict):
        if {"en", "de"} & node.keys():
            yield node
        for value in node.values():
            yield from texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from texts(value)


def user_texts(template, language):
    yield template["user_turn_templates"][language]
    for turn in template.get("user_simulator_turns", []):
        yield turn["content_template"][language]


def assistant_texts(pack, template):
    for block in [pack.manifest["assistant_turn_templates"], template.get("assistant_turn_templates", {})]:
        for wordings in block.values():
            yield from wordings.values()
    for milestone in template["assistant_milestones"]:
        yield from milestone.get("content_template", {}).values()


def test_every_template_says_what_it_is_for(pack):
    for template in pack.templates:
        assert all(template[field] for field in ("intent", "category", "difficulty", "success_assertions"))


def test_template_mutates_exactly_when_it_calls_a_mutating_tool_that_is_not_refused(pack):
    mutating = {tool["function"]["name"] for tool in pack.tools if tool.get("x-mutates")}
    for template in pack.templates:
        calls_one = bool(mutating & set(template["required_tools"]))
        assert bool(template.get("mutates")) == (calls_one and template["turn_policy"] != "negative_path")


def test_every_slot_is_spoken_by_the_user_in_every_language(pack):
    for template in pack.templates:
        for language in pack.manifest["languages"]:
            opening, *replies = user_texts(template, language)
            for name, slot in template["slots"].items():
                where = [opening] if slot["visible_in_first_turn"] else replies
                assert any("{" + name + "}" in text for text in where), (template["template_id"], name, language)


def test_assistant_texts_name_no_tool_and_no_withheld_slot(pack):
    tools = [tool["function"]["name"] for tool in pack.tools]
    for template in pack.templates:
        withheld = [name for name, slot in template["slots"].items() if not slot["visible_in_first_turn"]]
        for text in assistant_texts(pack, template):
            assert not [tool for tool in tools if re.search(rf"\b{tool}\b", text)], text
            assert not [name for name in withheld if "{" + name + "}" in text], text


def test_every_template_id_and_case_id_is_used_once(pack):
    for ids in ([entry["template_id"] for entry in pack.templates], [entry["id"] for entry in pack.cases]):
        assert len(ids) == len(set(ids))


def test_every_run_config_is_relative_and_draws_at_least_one_of_each_template(pack):
    by_category = {}
    for template in pack.templates:
        by_category.setdefault(template["category"], []).append(template["template_id"])
    for path in sorted(pack.folder.glob("validate*.yaml")):
        config = pack.yaml(path.name)
        assert config["oracle_pack"]["manifest_path"] == "manifest.yaml"
        assert not config["output_dir"].startswith("/")
        assert config["oracle_runtime"]["clock"] == pack.manifest["clock"]
        assert config["task_generation"]["tasks_per_category"] >= max(map(len, by_category.values()))


def test_corner_bank_uses_every_policy(corner_bank):
    assert {template["turn_policy"] for template in corner_bank.templates} == POLICIES


def test_corner_bank_uses_every_kind_of_source(corner_bank):
    used = {slot["source"].partition(":")[0] for template in corner_bank.templates for slot in sources(template)}
    assert used == KINDS


def test_corner_bank_uses_every_call_order(corner_bank):
    assert {template.get("call_order", "strict") for template in corner_bank.templates} == {"strict", "any", "prefix"}


@pytest.mark.parametrize("where", ["manifest", "templates"])
def test_corner_bank_says_everything_in_both_languages(corner_bank, where):
    found = list(texts(getattr(corner_bank, where)))
    assert found
    assert [wording for wording in found if wording.keys() != {"en", "de"}] == []


def test_corner_bank_reserves_rows_and_templates_that_exist(corner_bank):
    policy = corner_bank.yaml("held_out.yaml")
    for collection, ids in policy["fixtures"].items():
        key = corner_bank.manifest["primary_keys"][collection]
        assert set(ids) <= {row[key] for row in corner_bank.fixtures[collection]}
    assert set(policy["templates"]) <= {template["template_id"] for template in corner_bank.templates}
