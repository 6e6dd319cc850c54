from __future__ import annotations

from flows.publish import batch_markdown, pack_markdown
from tests.flows.outcomes import a_finding, an_outcome


def test_a_pack_shows_its_checks_and_its_findings_with_place_and_fix():
    text = pack_markdown(an_outcome("ash", "not_gold", [a_finding()]))
    assert text.startswith("# ash: NotGold\n")
    assert "| template_tool_names | pass |" in text
    assert "| error | unknown_turn_policy | task_templates.yaml:3:5 | what is wrong | what to do |" in text


def test_a_finding_without_a_place_has_an_empty_cell():
    text = pack_markdown(an_outcome("ash", "not_gold", [a_finding(file=None, line=None, column=None)]))
    assert "| unknown_turn_policy |  | what is wrong |" in text


def test_a_text_of_the_pack_cannot_break_out_of_its_cell():
    text = pack_markdown(an_outcome("ash", "not_gold", [a_finding(message="a | b\n\n# c <script> \\|")]))
    assert "| a \\| b # c &lt;script> \\\\\\| |" in text


def test_many_findings_are_bounded_and_counted():
    text = pack_markdown(an_outcome("ash", "not_gold", [a_finding(message="m" * 10_000) for _ in range(80)]))
    assert "## 80 findings" in text
    assert "30 more are in the report." in text
    assert len(text) < 50 * 600


def test_a_pack_without_verdict_shows_the_error_and_the_command_that_takes_it_up():
    text = pack_markdown(an_outcome("ash", error="no space left"))
    assert "no space left" in text
    assert "`assay retry run-ash --root /store`" in text


def test_a_batch_lists_only_what_is_red():
    text = batch_markdown(
        [an_outcome("ash"), an_outcome("birch", "not_gold", [a_finding()]), an_outcome("fir", error="x")]
    )
    assert text.startswith("# 3 packs: 1 Gold, 1 NotGold, 1 no verdict\n")
    assert "| birch | NotGold | unknown_turn_policy | run-birch |" in text
    assert "| ash |" not in text
    assert "`assay retry run-fir --root /store`" in text


def test_a_batch_that_is_all_gold_needs_no_table():
    assert batch_markdown([an_outcome("ash")]).strip() == "# 1 pack: 1 Gold"
