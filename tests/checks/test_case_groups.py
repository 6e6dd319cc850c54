from __future__ import annotations

import pytest

from assay.checks.case_groups import group_cases
from assay.findings import finding
from tests.support.quay import Quay, load


@pytest.fixture
def quay(tmp_path):
    return Quay(tmp_path)


def cases(*entries):
    """Return the text of a cases file: (id, tool, resets)."""
    lines = [
        f"- {{id: {name}, tool: {tool}, arguments: {{berth_id: B-1}}, reset_before: {str(resets).lower()}}}"
        for name, tool, resets in entries
    ]
    return "\n".join(lines) + "\n"


def grouped(quay, *entries, unimplemented=None):
    quay.write("validation_cases.yaml", cases(*entries))
    return group_cases(load(quay), unimplemented or {})


def names(grouping):
    return [[case.id for case in group.cases] for group in grouping.groups]


def told(grouping):
    return [(each.code, each.case_id) for each in grouping.findings]


def test_a_case_that_resets_opens_a_group_and_one_that_does_not_goes_on(quay):
    grouping = grouped(
        quay,
        ("a", "find_berth", True),
        ("b", "find_berth", False),
        ("c", "find_berth", True),
        ("d", "find_berth", True),
    )
    assert names(grouping) == [["a", "b"], ["c"], ["d"]]
    assert [group.index for group in grouping.groups] == [0, 1, 2]
    assert grouping.findings == ()


def test_a_chain_without_a_head_is_told_for_every_case_of_it(quay):
    grouping = grouped(quay, ("a", "find_berth", False), ("b", "find_berth", False), ("c", "find_berth", True))
    code = "reset_before_false_without_predecessor"
    assert told(grouping) == [(code, "a"), (code, "b")]
    assert grouping.findings[0].place == quay.place("validation_cases.yaml", "false")
    assert names(grouping) == [["c"]]


def test_an_unknown_tool_is_told_at_its_name_with_the_near_miss(quay):
    grouping = grouped(quay, ("a", "find_bert", True))
    (only,) = grouping.findings
    assert (only.code, only.case_id, only.tool, str(only.check)) == ("unknown_tool", "a", "find_bert", "5")
    assert only.place == quay.place("validation_cases.yaml", "find_bert")
    assert "Did you mean `find_berth`?" in only.message


def test_followers_of_an_unknown_tool_do_not_slip_into_the_group_before(quay):
    grouping = grouped(
        quay,
        ("a", "find_berth", True),
        ("b", "nothing", True),
        ("c", "find_berth", False),
        ("d", "find_berth", False),
        ("e", "find_berth", True),
    )
    assert names(grouping) == [["a"], ["e"]]
    assert told(grouping) == [("unknown_tool", "b"), ("case_not_run", "c"), ("case_not_run", "d")]
    root, *rest = grouping.findings
    assert [each.root for each in rest] == [root.id, root.id]


def test_an_unknown_tool_within_a_chain_keeps_the_cases_before_it(quay):
    grouping = grouped(quay, ("a", "find_berth", True), ("b", "nothing", False), ("c", "find_berth", False))
    assert names(grouping) == [["a"]]
    assert told(grouping) == [("unknown_tool", "b"), ("case_not_run", "c")]


def test_cases_of_a_tool_that_the_oracle_lacks_are_not_run_and_not_told_again(quay):
    lacking = finding("schema_without_implementation", "It is not listed.", tool="book_berth")
    grouping = grouped(
        quay,
        ("a", "book_berth", True),
        ("b", "find_berth", False),
        ("c", "find_berth", True),
        unimplemented={"book_berth": lacking},
    )
    assert names(grouping) == [["c"]]
    assert told(grouping) == [("case_not_run", "b")]
    assert grouping.findings[0].root == lacking.id


def test_a_case_without_a_tool_breaks_its_chain_and_is_left_to_the_loader(quay):
    quay.write("validation_cases.yaml", "- {id: a}\n- {id: b, tool: find_berth, reset_before: false}\n")
    grouping = group_cases(load(quay), {})
    assert names(grouping) == []
    assert told(grouping) == [("case_not_run", "b")]


def test_cases_with_one_id_are_still_two_cases(quay):
    grouping = grouped(quay, ("a", "find_berth", True), ("a", "book_berth", False))
    (group,) = grouping.groups
    assert [each.tool for each in group.before(group.cases[1])] == ["find_berth"]
    assert group.before(group.cases[0]) == ()
