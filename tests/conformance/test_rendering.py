"""The contract's cases about wording: values in texts, turns, languages, guards."""

from __future__ import annotations

from assay.config import SurfaceGeneration
from assay.stages.guards import Guards
from assay.stages.matching import composed
from assay.stages.placeholders import fill_text
from assay.stages.render import render_pack
from assay.stages.speech import USER, Speech
from assay.stages.system_prompt import DEFAULT_SYSTEM_PROMPT, SystemPrompt
from assay.stages.text_sources import language_gaps
from assay.stages.tool_names import ToolNames
from tests.conformance.checks import drives
from tests.conformance.expectations import assert_error, assert_expected
from tests.conformance.given import pack_of, plan_of, task_of
from tests.support import models


@drives("substitute")
def test_substitution(given, expect):
    assert_expected({"text": fill_text(given["template_text"], given["values"])}, expect)


@drives("render")
def test_rendering(given, expect):
    pack = pack_of(given, given["template"])
    task = task_of(pack, given["task"])
    config = models.run_config(surface_generation=SurfaceGeneration(language=given["language"]))
    result = render_pack(pack, [task], [plan_of(pack, task)], config)
    if "error" in expect:
        assert_error(result.findings, expect["error"])
        assert result.conversations == ()
        return
    turns = result.conversations[0].turns
    assert_expected({"content_at": {index: turns[index].content for index in expect["content_at"]}}, expect)


@drives("render_run")
def test_rendering_a_run(given, expect):
    pack = pack_of(given, *given["templates"])
    task = task_of(pack, given["task"])
    config = models.run_config(lineage_policy=given["lineage_policy"])
    result = render_pack(pack, [task], [plan_of(pack, task)], config)
    if "error" in expect:
        assert_error(result.findings, expect["error"])
        return
    (conversation,) = result.conversations
    built_in = SystemPrompt(DEFAULT_SYSTEM_PROMPT, is_default=True).id
    told = {
        "surface_language": conversation.language,
        "system_prompt": "built in" if conversation.system_prompt_id == built_in else "the pack's own",
        "warnings": [each.code for each in result.findings if each.severity == "warning"],
    }
    assert_expected(told, expect)
    assert not any(each.is_error for each in result.findings)


@drives("language_gaps")
def test_gaps_of_a_language(given, expect):
    template = models.template(given["template"])
    found = language_gaps(template, models.manifest(**given["manifest"]), given["language"])
    gaps = [{"block": gap.block, "template": gap.template_id, "after": gap.after} for gap in found]
    for gap in gaps:
        if gap["after"] is None:
            del gap["after"]
    assert_expected({"gaps": gaps, "gaps_in_order": gaps}, expect)


@drives("guards")
def test_surface_guards(given, expect):
    template = models.template(given["template"])
    pack = models.pack(template)
    task = task_of(pack, {"template_id": template.template_id, **given["task"]})
    turns = [Speech(index, USER, None, None, composed(text)) for index, text in enumerate(given["user_texts"])]
    violations = Guards(template, SurfaceGeneration(), ToolNames(given["tool_names"])).check(task, turns)
    assert_expected({"violations": [{"guard": each.guard, "slot": each.slot} for each in violations]}, expect)
