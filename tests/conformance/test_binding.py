"""The contract's cases about binding: ids and seeds, primary keys, slot sources, filters, expansion."""

from __future__ import annotations

from collections import Counter

import yaml

from assay.findings import Check
from assay.pack.filters import parse_filter
from assay.pack.finder import CandidateFinder
from assay.pack.keys import fixture_ref, primary_key
from assay.stages.bind import bind_pack
from assay.stages.identity import identify
from tests.conformance.checks import CASES, drives
from tests.conformance.expectations import assert_error, assert_expected
from tests.conformance.given import write_pack_with_rows
from tests.support import pack_files
from tests.support.models import pack, run_config, template

TYPES = {int: "integer", str: "string"}


def pack_of(given, *entries):
    parts = given["pack"]
    return pack(
        *entries,
        fixtures=parts.get("fixtures"),
        tools=parts.get("tools", ()),
        reserved=parts.get("held_out"),
        **parts["manifest"],
    )


def identity_of(facts):
    refs = [fixture_ref(*ref.split(".")) for ref in facts["fixture_refs"]]
    names = ("pack_id", "pack_version", "template_id", "variant_index", "global_seed")
    return identify(**{name: facts[name] for name in names}, fixture_refs=refs, bindings=facts["slot_bindings"])


def compared(before, after):
    return "same" if before == after else "different"


@drives("identity")
def test_identity(given, expect):
    case = yaml.safe_load((CASES / "01-task-id-and-seed-inputs.yaml").read_text(encoding="utf-8"))
    before, after = identity_of(case["given"]), identity_of(given)
    prefix, mark, digest = after.task_id.rpartition("__")
    bounds = {name: expect[name] for name in ("seed_min", "seed_below") if name in expect}
    assert bounds.get("seed_min", 0) <= after.seed < bounds.get("seed_below", 2**64)
    told = {
        "task_id": compared(before.task_id, after.task_id),
        "seed": compared(before.seed, after.seed),
        "task_id_prefix": prefix + mark,
        "digest_chars": len(digest),
    }
    assert_expected(told | bounds, expect)


@drives("primary_key")
def test_primary_key(given, expect, tmp_path):
    collection, rows, manifest = given["collection"], given["rows"], given["manifest"]
    if "error" not in expect:
        declared = manifest.get("primary_keys", {}).get(collection)
        assert_expected({"key": primary_key(collection, rows, declared)}, expect)
        return
    loaded = pack_files.load(write_pack_with_rows(tmp_path / "pack", collection, rows, manifest))
    bound = bind_pack(loaded.pack, run_config())
    assert_error([*loaded.findings, *bound.findings], expect["error"])


@drives("source")
def test_source(given, expect):
    model = template(template_id="t", slots={"s": {"source": given["source"]}})
    finder = CandidateFinder(pack(model, tools=given["tools"], fixtures=given["fixtures"]))
    pool = finder.find(model.slots[0].source, template_id="t")
    if "error" in expect:
        assert_error(pool.findings, expect["error"])
        assert not pool.candidates
        return
    assert pool.findings == ()
    told = {
        "candidates": [each.value for each in pool.candidates],
        "types": [TYPES[type(each.value)] for each in pool.candidates],
        "fixture_refs": [each.ref for each in pool.candidates],
    }
    assert_expected(told, expect)


@drives("filter")
def test_filter(given, expect):
    if "error" not in expect:
        assert_expected({"value": parse_filter(given["filter"]).matches(given["row"])}, expect)
        return
    entry = {"template_id": "t", "slots": {"s": {"source": "rows.state", "filter": given["filter"]}}}
    result = bind_pack(pack(entry, fixtures={"rows": [{"id": 1, **given["row"]}]}), run_config())
    assert_error(result.findings, expect["error"])
    assert {each.check for each in result.findings} == {Check.TEMPLATE_SLOT_SOURCES}
    assert result.instances == ()


def task_told(instance):
    updates = [
        {"entry_index": each.entry_index, "values": each.values, "aliases": each.aliases}
        for each in instance.slot_updates
    ]
    return {
        "slots": instance.slots,
        "slots_initial": instance.slots_initial,
        "slot_updates": updates,
        "slot_update_values": [each.values for each in instance.slot_updates],
    }


def cut_to(wanted, told):
    """Return what was told of the keys that a case names."""
    return {name: told[name] for name in wanted}


@drives("expand")
def test_expand(given, expect):
    result = bind_pack(pack_of(given, given["template"]), run_config(given["budget"], seed=given["seed"]))
    if "error" in expect:
        assert_error(result.findings, expect["error"])
        assert result.instances == ()
        return
    assert not any(each.is_error for each in result.findings)
    tasks = [task_told(each) for each in result.instances]
    told = {"count": len(tasks)}
    if "tasks" in expect:
        told["tasks"] = [cut_to(wanted, got) for wanted, got in zip(expect["tasks"], tasks, strict=True)]
    if "first_task" in expect:
        told["first_task"] = cut_to(expect["first_task"], tasks[0])
        told["first_task"]["slots"] = cut_to(expect["first_task"]["slots"], tasks[0]["slots"])
    assert_expected(told, expect)


@drives("expand_run")
def test_expand_run(given, expect):
    config = run_config(given["tasks_per_category"], seed=given["random_seed"])
    result = bind_pack(pack_of(given, *given["pack"]["templates"]), config)
    if "error" in expect:
        assert_error(result.findings, expect["error"])
    else:
        assert not any(each.is_error for each in result.findings)
        assert_expected({"tasks_by_template": Counter(each.template_id for each in result.instances)}, expect)
