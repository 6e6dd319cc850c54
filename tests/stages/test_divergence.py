from __future__ import annotations

import pytest

from assay.stages.divergence import MAX_DIFFERENCES, cause_in_episode, difference_facts, first_differences
from assay.stages.replay import replay_episode
from tests.support.quay import Quay, config_of, load, running
from tests.support.records import instance, trace


def test_parts_are_told_in_the_order_given():
    found = first_differences([("results", [1], [2]), ("state", {"a": 1}, {"a": 1}), ("assertions", [], [{}])])
    assert [each.path for each in found] == [("results", 0), ("assertions", 0)]


def test_only_the_first_few_are_told():
    assert len(first_differences([("state", list(range(500)), list(range(1, 501)))])) == MAX_DIFFERENCES


def test_values_are_bounded_and_a_missing_one_has_no_entry():
    facts = difference_facts(first_differences([("state", {"a": "x" * 10_000}, {"b": None})]))
    assert [sorted(each) for each in facts] == [["first", "path"], ["path", "second"]]
    assert len(facts[0]["first"]) <= 120
    assert facts[1] == {"path": "$.state.b", "second": "null"}


@pytest.mark.parametrize(
    ("import_line", "cause"),
    [
        ("import time; X = time.time_ns()", "ambient"),
        ("import time; X = int(time.time())", "ambient"),
        ("import time; X = time.monotonic_ns()", "unstable"),
        ("import os; X = os.urandom(8).hex()", "unstable"),
        ("X = hash('tide')", "hash_order"),
        ("import os; X = os.getcwd()", "ambient"),
        ("X = 1", "state_leak"),
    ],
)
def test_the_cause_is_what_makes_the_difference(tmp_path, import_line, cause):
    quay = Quay(tmp_path)
    quay.replace("backend.py", "import copy", f"import copy\n{import_line}")
    quay.replace("backend.py", '    if name == "find_berth":', '    if name == "find_berth":\n        return {"x": X}')
    pack, config = load(quay), config_of(quay)
    task = instance(pack, "berth_depth", berth_id="B-1")
    episode = replay_episode(pack, config, task, trace(task, ("find_berth", {"berth_id": "B-1"})))
    with running(pack, config) as engine:
        assert cause_in_episode(engine, episode) == cause
