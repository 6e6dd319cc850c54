"""The contract's cases about binding and planning, driven through our own functions.

`cases/*.yaml` are copies of the contract's files; how to read them stands in `cases/README.md`. Where a case expects
an error class of the reference, ours is a finding of severity error (ruling 1) that names what the case mentions.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
import yaml

from assay.pack.filters import FilterError, parse_filter
from assay.pack.finder import CandidateFinder
from assay.pack.keys import KeyProblem, fixture_ref, primary_key
from assay.stages.bind import bind_pack
from assay.stages.identity import identify
from assay.stages.plan import plan_template
from tests.support.models import pack, run_config, template

CASES = Path(__file__).parent / "cases"
TYPES = {int: "integer", str: "string"}


def checks_of(kind):
    """Return every check of a kind of case, with what is given for it."""
    for path in sorted(CASES.glob("*.yaml")):
        case = yaml.safe_load(path.read_text(encoding="utf-8"))
        for check in case["checks"] if case["kind"] == kind else ():
            given = {**case.get("given", {}), **check.get("input", {})}
            yield pytest.param(given, check["expect"], id=f"{case['id']}-{check['label']}")


def kinds(*names):
    return pytest.mark.parametrize(("given", "expect"), [each for name in names for each in checks_of(name)])


def assert_told(findings, error):
    """Assert that an error was found that names what the case wants named."""
    told = [each.message for each in findings if each.is_error]
    assert told
    for mention in error.get("mentions", ()):
        assert any(mention in message for message in told)


def pack_of(given, *entries):
    parts = given["pack"]
    manifest = parts["manifest"]
    fixtures, tools = parts.get("fixtures"), parts.get("tools", ())
    return pack(*entries, fixtures=fixtures, tools=tools, reserved=parts.get("held_out"), **manifest)


def identity_of(facts):
    refs = [fixture_ref(*ref.split(".")) for ref in facts["fixture_refs"]]
    names = ("pack_id", "pack_version", "template_id", "variant_index", "global_seed")
    return identify(**{name: facts[name] for name in names}, fixture_refs=refs, bindings=facts["slot_bindings"])


@kinds("identity")
def test_identity(given, expect):
    base = yaml.safe_load((CASES / "01-task-id-and-seed-inputs.yaml").read_text(encoding="utf-8"))["given"]
    before, after = identity_of(base), identity_of(given)
    for fact in ("task_id", "seed"):
        if fact in expect:
            assert (getattr(before, fact) == getattr(after, fact)) is (expect[fact] == "same")
    if "task_id_prefix" in expect:
        prefix, digits = expect["task_id_prefix"], expect["digest_chars"]
        assert after.task_id.startswith(prefix)
        assert len(after.task_id) == len(prefix) + digits
        assert expect["seed_min"] <= after.seed < expect["seed_below"]


@kinds("primary_key")
def test_primary_key(given, expect):
    declared = given["manifest"].get("primary_keys", {}).get(given["collection"])
    if "key" in expect:
        assert primary_key(given["collection"], given["rows"], declared) == expect["key"]
        return
    with pytest.raises(KeyProblem) as caught:
        primary_key(given["collection"], given["rows"], declared)
    assert all(mention in str(caught.value) for mention in expect["error"].get("mentions", ()))


@kinds("source")
def test_source(given, expect):
    model = template(template_id="t", slots={"s": {"source": given["source"]}})
    finder = CandidateFinder(pack(model, tools=given["tools"], fixtures=given["fixtures"]))
    pool = finder.find(model.slots[0].source, template_id="t")
    if "error" in expect:
        assert_told(pool.findings, expect["error"])
        return
    assert [each.value for each in pool.candidates] == expect["candidates"]
    if "types" in expect:
        assert [TYPES[type(each.value)] for each in pool.candidates] == expect["types"]
    if "fixture_refs" in expect:
        assert [each.ref for each in pool.candidates] == expect["fixture_refs"]


@kinds("filter")
def test_filter(given, expect):
    if "value" in expect:
        assert parse_filter(given["filter"]).matches(given["row"]) is expect["value"]
        return
    with pytest.raises(FilterError):
        parse_filter(given["filter"])
    entry = {"template_id": "t", "slots": {"s": {"source": "rows.state", "filter": given["filter"]}}}
    model = pack(entry, fixtures={"rows": [{"id": 1, **given["row"]}]})
    (found,) = bind_pack(model, run_config()).findings
    assert found.code == "unevaluable_filter"


@kinds("expand")
def test_expand(given, expect):
    entry = {**given["template"]}
    result = bind_pack(pack_of(given, entry), run_config(given["budget"], seed=given["seed"]))
    if "error" in expect:
        assert result.instances == ()
        assert_told(result.findings, expect["error"])
        return
    assert not any(each.is_error for each in result.findings)
    told = [
        {
            "slots": each.slots,
            "slots_initial": each.slots_initial,
            "slot_updates": [
                {"entry_index": one.entry_index, "values": one.values, "aliases": one.aliases}
                for one in each.slot_updates
            ],
            "slot_update_values": [one.values for one in each.slot_updates],
        }
        for each in result.instances
    ]
    assert len(told) == expect.get("count", len(told))
    if "first_task" in expect:
        assert told[0]["slots"].items() >= expect["first_task"]["slots"].items()
        assert told[0]["slot_update_values"] == expect["first_task"]["slot_update_values"]
    for wanted, got in zip(expect.get("tasks", ()), told, strict=False):
        assert wanted == {name: got[name] for name in wanted}


@kinds("expand_run")
def test_expand_run(given, expect):
    config = run_config(given["tasks_per_category"], seed=given["random_seed"])
    result = bind_pack(pack_of(given, *given["pack"]["templates"]), config)
    if "error" in expect:
        assert_told(result.findings, expect["error"])
    else:
        assert Counter(each.template_id for each in result.instances) == expect["tasks_by_template"]


@kinds("plan")
def test_plan(given, expect):
    shape, findings = plan_template(template(given["template"]))
    if "error" in expect:
        assert_told(findings, expect["error"])
        return
    calls = [step for step in shape.steps if step.kind == "calls"]
    facts = {
        "calls_steps": len(calls),
        "batch_sizes": [len(step.milestones) for step in calls],
        "num_tool_calls": shape.num_tool_calls,
        "is_multi_turn": shape.num_user_turns > 1,
        "published_call_groups": [step.call_group for step in calls],
        "confirmed_call_turns": list(shape.confirmed_call_turns),
    }
    assert expect == {name: facts[name] for name in expect}
