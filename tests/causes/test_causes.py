"""Everything that a backend or an assertion must not depend on, each reported with its cause by one run of the command.

One pack has a tool for each kind of dependence. Its verdicts are read from the report, as an author would.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from assay.runner import RunRequest, carry_out
from tests.support.quay import Quay

if TYPE_CHECKING:
    from pathlib import Path

    from assay.findings import Finding


@dataclass(frozen=True)
class Dependence:
    """What one tool depends on.

    Attributes:
        value: the expression that it answers with.
        cause: what must be named.
        top: stands at the top of the backend.
        before: stands in the call, before the value is told.
        path: where the two attempts must differ, below the result's `x`.
    """

    value: str
    cause: str
    top: str = ""
    before: str = ""
    path: str = ""


DEPENDENCES = {
    "clock_at_import": Dependence("STARTED", "ambient", top="STARTED = time.time()"),
    "clock_now": Dependence("{'at': datetime.datetime.now().isoformat()}", "ambient", path=".at"),
    "clock_in_seconds": Dependence("int(time.time())", "ambient"),
    "day_in_utc": Dependence("[int(time.time() // 86400)]", "ambient", path="[0]"),
    "date_today": Dependence("datetime.date.today().isoformat()", "ambient"),
    "time_zone": Dependence("time.strftime('%z', time.localtime(0))", "ambient"),
    "environment": Dependence("dict(os.environ)", "ambient", path=".LANG"),
    "working_directory": Dependence("os.getcwd()", "ambient"),
    "sorted_by_locale": Dependence(
        "sorted(['b', 'B', 'a', 'C'], key=locale.strxfrm)",
        "ambient",
        before="locale.setlocale(locale.LC_ALL, '')",
        path="[0]",
    ),
    "set_into_list": Dependence("list({'plaice', 'cod', 'ling', 'hake', 'dab', 'eel', 'ray'})", "hash_order"),
    "hash_of_text": Dependence("hash('tide')", "hash_order"),
    "seeded_by_hash": Dependence("random.Random(hash('tide')).random()", "hash_order"),
    "uuid4": Dependence("str(uuid.uuid4())", "unstable"),
    "random_unseeded": Dependence("random.random()", "unstable"),
    "address": Dependence("id(STATE)", "unstable"),
    "address_in_text": Dependence("repr(STATE.get)", "unstable"),
    "process_id": Dependence("os.getpid()", "unstable"),
    "duration": Dependence("time.perf_counter()", "unstable"),
    "counter": Dependence("next(COUNTER)", "state_leak", top="COUNTER = itertools.count()"),
    "ran_before": Dependence(
        "{'last': before}",
        "state_leak",
        top="LAST = [None]",
        before="before = LAST[0]; LAST[0] = ctx.task_id",
        path=".last",
    ),
    "file_left_behind": Dependence(
        "seen", "state_leak", before="seen = str(os.listdir()); open(f'{ctx.task_id}.txt', 'w').close()"
    ),
}
IMPORTS = "import datetime, itertools, locale, os, random, time, uuid\n"
LEAKING_ASSERTION = """
SEEN = []


def assert_leaves(*, state, trace, task, ctx) -> None:
    SEEN.append(ctx.task_id)


def assert_untouched(*, state, trace, task, ctx) -> None:
    assert ctx.task_id not in SEEN, "something was there before"


ASSERTIONS |= {"assert_leaves": assert_leaves, "assert_untouched": assert_untouched}
ASSERTION_CAPABILITIES |= {"assert_leaves": {"category": "path"}, "assert_untouched": {"category": "path"}}
"""


def template(name: str, tool: str, assertions: str) -> str:
    return f"""
- template_id: {name}
  intent: {name}
  turn_policy: single_turn
  required_tools: [{tool}]
  slots:
    berth_id: {{source: "fixture:berths.berth_id", visible_in_first_turn: true}}
  success_assertions: [{assertions}]
  user_turn_templates: {{en: "What of berth {{berth_id}}, as to {name}?"}}
  assistant_milestones:
    - {{type: tool_call, tool: {tool}}}
    - {{type: final_answer}}
"""


def case(tool: str) -> str:
    return f"""
- id: {tool}_works
  tool: {tool}
  arguments: {{berth_id: B-1}}
  expect: {{result_class: success}}
"""


def spoilt_pack(root: Path) -> Path:
    """Write a pack in which every tool of `DEPENDENCES` answers with what it must not depend on."""
    quay = Quay(root)
    tools = json.loads(quay.text("tools.json"))
    for name in DEPENDENCES:
        tools.append({"type": "function", "function": {**tools[0]["function"], "name": name}})
        quay.append("task_templates.yaml", template(name, name, "assert_berth_reported"))
        quay.append("validation_cases.yaml", case(name))
    quay.append("task_templates.yaml", template("leaking_assertion", "find_berth", "assert_leaves, assert_untouched"))
    quay.append("assertions.py", LEAKING_ASSERTION)
    quay.write("tools.json", json.dumps(tools, indent=1))
    quay.replace("backend.py", '"book_berth"]', f'"book_berth", *{sorted(DEPENDENCES)}]')
    answers = "".join(
        f"    if name == {name!r}:\n"
        + (f"        {each.before}\n" if each.before else "")
        + f'        return {{"berth_id": berth["berth_id"], "x": {each.value}}}\n'
        for name, each in DEPENDENCES.items()
    )
    quay.replace("backend.py", '    if name == "find_berth":\n', f'{answers}    if name == "find_berth":\n')
    tops = "\n".join(each.top for each in DEPENDENCES.values() if each.top)
    quay.write("backend.py", f"{IMPORTS}{tops}\n{quay.text('backend.py')}")
    return quay.root


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> dict[str, Finding]:
    """Return the finding of each template whose replays differ, from one run over all of them."""
    folder = tmp_path_factory.mktemp("causes")
    request = RunRequest(pack=str(spoilt_pack(folder)), root=str(folder / "store"), exhaustive=True, mutants=False)
    report = carry_out(request)
    assert report.status == "not_gold"
    found = [each for each in report.findings if each.code == "nondeterministic_replay"]
    by_template = {str(each.template_id): each for each in found}
    assert len(by_template) == len(found)
    return by_template


pytestmark = pytest.mark.xdist_group("causes")


@pytest.mark.parametrize("name", DEPENDENCES)
def test_the_cause_and_the_paths_of_each_dependence_are_reported(told, name):
    expected = DEPENDENCES[name]
    finding = told[name]
    assert finding.detail["cause"] == expected.cause
    assert f"$.results[0].x{expected.path}" in finding.detail["paths"] or not expected.path
    assert all(path.startswith("$.results[0].x") for path in finding.detail["paths"])
    first = finding.detail["differences"][0]
    assert first["path"] == finding.detail["paths"][0]
    assert first.get("first") != first.get("second")
    assert finding.place.file == "task_templates.yaml"


def test_an_assertion_that_leaves_something_for_the_next_one_is_reported(told):
    finding = told["leaking_assertion"]
    assert finding.detail["cause"] == "state_leak"
    assert finding.detail["diverged"] == ["assertions"]
    assert finding.detail["paths"][0] == "$.assertions[1].detail"
    assert finding.fix.endswith("Let assertions keep nothing.")


def test_nothing_else_diverges(told):
    assert set(told) == {*DEPENDENCES, "leaking_assertion"}
