from __future__ import annotations

import json

import pytest

from flows.outcome import worst
from flows.summary import headline, rows_of, summary_of, write_summary
from tests.flows.outcomes import a_finding, an_outcome

GOLD = an_outcome("ash", stages=[("load", "cached"), ("bind", "computed")])
RED = an_outcome("birch", "not_gold", [a_finding(), a_finding(), a_finding("odd_value", "warning")])
LOST = an_outcome("cedar", error="stage bind could not finish: no space left")


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [([GOLD], "gold"), ([GOLD, RED], "not_gold"), ([RED, LOST, GOLD], "error"), ([], "gold")],
)
def test_a_batch_is_as_good_as_its_worst_pack(outcomes, status):
    assert worst(outcomes) == status


@pytest.mark.parametrize(
    ("outcomes", "line"),
    [
        ([GOLD], "1 pack: 1 Gold"),
        ([GOLD, RED, LOST, RED], "4 packs: 1 Gold, 2 NotGold, 1 no verdict"),
        ([], "0 packs: nothing to prove"),
    ],
)
def test_the_headline_counts_verdicts(outcomes, line):
    assert headline(outcomes) == line


def test_the_summary_has_an_entry_for_each_pack_in_the_order_of_the_requests():
    summary = summary_of([LOST, GOLD, RED])
    assert [each["pack_id"] for each in summary["packs"]] == ["cedar", "ash", "birch"]
    assert summary["totals"] == {"gold": 1, "not_gold": 1, "error": 1}
    lost, gold, red = summary["packs"]
    assert (lost["status"], lost["error"], lost["codes"]) == ("error", "stage bind could not finish: no space left", {})
    assert (gold["status"], gold["cached_stages"], gold["computed_stages"]) == ("gold", 1, 1)
    assert red["severities"] == {"error": 2, "warning": 1}
    assert red["codes"] == {"odd_value": 1, "unknown_turn_policy": 2}
    assert red["run_id"] == "run-birch"


def test_the_summary_is_a_whole_file_with_its_folder(tmp_path):
    path = tmp_path / "deep" / "summary.json"
    write_summary(path, [GOLD])
    assert json.loads(path.read_text()) == summary_of([GOLD])
    assert [each.name for each in path.parent.iterdir()] == ["summary.json"]


def test_rows_put_the_red_ones_first_and_say_why():
    rows = rows_of([GOLD, RED, LOST])
    assert [row["pack"] for row in rows] == ["cedar", "birch", "ash"]
    assert [row["why"] for row in rows] == ["stage bind could not finish: no space left", "unknown_turn_policy x2", ""]


def test_why_is_bounded():
    many = an_outcome("dill", "not_gold", [a_finding(code) for code in "abcde"])
    assert rows_of([many])[0]["why"] == "a, b, c, 2 more"
    assert len(rows_of([an_outcome("elm", error="x" * 5000)])[0]["why"]) == 300
