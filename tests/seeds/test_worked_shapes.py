"""What the seeds say of their worked shapes: three changes, each of which breaks the pack with the right finding."""

from assay import validate
from tests.support.pack_files import edit, spoil
from tests.support.packs import copy_of_tiny_library

TEMPLATES = "task_templates.yaml"
REPLY = """\
  user_simulator_turns:
    - after: ask_confirm
      content_template:
        en: "Yes, go ahead."
"""
ASK_THEN_CALL = """\
    - {type: ask_confirm}
    - {type: tool_call, tool: checkout_book, args: {confirm: true}}
"""
CALL_THEN_ASK = """\
    - §{type: tool_call, tool: checkout_book, args: {confirm: true}}
    - {type: ask_confirm}
"""


def errors_of(folder):
    report = validate(folder)
    assert report.status == "not_gold"
    return [each for each in report.findings if each.is_error and each.root is None]


def test_removing_the_reply_leaves_the_confirmation_unanswered(tmp_path):
    folder = copy_of_tiny_library(tmp_path / "pack")
    edit(folder / TEMPLATES, REPLY, "")
    lines = (folder / TEMPLATES).read_text().splitlines()
    line = lines.index("    - {type: ask_confirm}") + 1
    (found,) = errors_of(folder)
    assert (found.code, found.detail["kind"]) == ("invalid_conversation_plan", "question_without_reply")
    assert (found.place.file, found.place.line, found.place.column) == (TEMPLATES, line, 7)
    assert found.template_id == "lib_checkout_confirm"


def test_a_call_before_ask_confirm_is_an_unauthorised_mutation(tmp_path):
    folder = copy_of_tiny_library(tmp_path / "pack")
    place = spoil(folder, TEMPLATES, ASK_THEN_CALL, CALL_THEN_ASK)
    (root,) = errors_of(folder)
    assert (root.code, root.detail["kind"], root.place) == ("invalid_conversation_plan", "call_not_authorised", place)
    (mutation,) = [
        each for each in validate(folder).findings if each.code == "confirmed_mutation_without_user_confirmation"
    ]
    line = (folder / TEMPLATES).read_text().splitlines()[place.line - 1]
    assert (mutation.place.line, mutation.place.column) == (place.line, line.index("true") + 1)
    assert (mutation.tool, mutation.root) == ("checkout_book", root.id)


def test_an_ask_confirm_that_covers_another_call_first_authorises_nothing_more(tmp_path):
    """The policy is kept, so the plan stands; the second call is the schema check's to refuse."""
    folder = copy_of_tiny_library(tmp_path / "pack")
    call = "    - {type: tool_call, tool: checkout_book, args: {confirm: true}}\n"
    place = spoil(folder, TEMPLATES, call, call + call.replace("- {", "- §{"))
    found = errors_of(folder)
    assert [each.code for each in found] == ["confirmed_mutation_without_user_confirmation"]
    assert found[0].place.line == place.line


def test_a_call_in_an_irrelevant_template_violates_its_shape(tmp_path):
    folder = copy_of_tiny_library(tmp_path / "pack")
    place = spoil(
        folder,
        TEMPLATES,
        "    - {type: decline}",
        '    - §{type: tool_call, tool: get_book_status, args: {book_id: "BK-100"}}\n    - {type: decline}',
    )
    found = errors_of(folder)
    assert [each.code for each in found] == ["invalid_conversation_plan"]
    assert found[0].template_id == "lib_irrelevant_renew"
    assert "irrelevant" in found[0].message
    assert found[0].place.file == place.file


def test_an_irrelevant_template_must_end_with_the_refusal(tmp_path):
    folder = copy_of_tiny_library(tmp_path / "pack")
    edit(folder / TEMPLATES, "    - {type: decline}", "    - {type: decline}\n    - {type: final_answer}")
    (found,) = errors_of(folder)
    assert found.code == "invalid_conversation_plan"
    assert "decline" in found.message
