"""Dependent calls: reading results, and asking a real oracle for them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.findings import Place, Severity
from assay.oracle.limits import Limits
from assay.stages.bind import bind_pack
from assay.stages.dependent import Marker, UnreadResult, read_result, resolve
from assay.stages.plan import plan_pack
from assay.stages.trace import derive_traces
from tests.support.models import run_config
from tests.support.quay import Quay, config_of, load, running


def marker(path, argument=("x",)):
    return Marker(path=argument, producer=0, producer_id="search", steps=tuple(path.split(".")), at=Place("t.yaml"))


@pytest.mark.parametrize(
    ("result", "path", "value"),
    [
        ({"items": [{"id": "A"}, {"id": "B"}]}, "items.0.id", "A"),
        ({"items": [{"id": "A"}, {"id": "B"}]}, "items.-1.id", "B"),
        ([{"id": 7}], "0.id", 7),
        ([[1, 2]], "0.01", 2),
        ({"0": {"-1": True}}, "0.-1", True),
        ({"": "empty"}, "", "empty"),
        ({"n": 1.5}, "n", 1.5),
        ({"n": False}, "n", False),
        ({"n": ""}, "n", ""),
    ],
)
def test_a_path_reads_a_single_value_in_its_own_type(result, path, value):
    read = read_result(result, marker(path))
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("result", "path", "why"),
    [
        ({"error": {"code": "not_found"}}, "items", "error"),
        ({"error": None, "items": 1}, "items", "error"),
        ({"items": []}, "items.0", "out of range"),
        ({"items": [1]}, "items.-2", "out of range"),
        ({"items": [1]}, "items.1", "out of range"),
        ({"items": [1]}, "item.0", "no `item`"),
        ({"n": 5}, "n.deeper", "leads into 5"),
        ({"n": None}, "n.deeper", "leads into null"),
        ({"n": None}, "n", "ends at null"),
        ({"n": {"a": 1}}, "n", "ends at an object"),
        ({"n": [1]}, "n", "ends at a list"),
        ("text", "n", "leads into"),
        (None, "n", "leads into null"),
    ],
)
def test_what_one_instances_data_may_lack(result, path, why):
    with pytest.raises(UnreadResult, match=why) as caught:
        read_result(result, marker(path))
    assert not caught.value.blames_template


@pytest.mark.parametrize("step", ["first", "--1", "²", "٣", "1x", "", "+1", "0x1", "9" * 30])
def test_no_data_can_make_a_word_an_index(step):
    with pytest.raises(UnreadResult) as caught:
        read_result({"items": [1, 2, 3]}, marker(f"items.{step}"))
    assert caught.value.blames_template


def test_resolving_replaces_markers_alone_and_leaves_the_arguments_as_they_were():
    written = {"a": {"b": [{"from_result": 1}, 5]}, "c": {"from_result": 2}, "d": "kept"}
    before = json.dumps(written)
    markers = [marker("x", ("a", "b", 0)), marker("y", ("c",))]
    assert resolve(written, markers, {0: {"x": "X", "y": 2}}) == {"a": {"b": ["X", 5]}, "c": 2, "d": "kept"}
    assert json.dumps(written) == before


def test_a_key_with_a_dot_does_not_collide_with_a_nested_path():
    written = {"a.b": {"from_result": 1}, "a": {"b": {"from_result": 2}}}
    markers = [marker("x", ("a.b",)), marker("y", ("a", "b"))]
    assert resolve(written, markers, {0: {"x": 1, "y": 2}}) == {"a.b": 1, "a": {"b": 2}}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, st.text(max_size=8))
def test_any_result_and_any_path_give_a_single_value_or_say_why_not(result, path):
    try:
        value = read_result(result, marker(path))
    except UnreadResult as unread:
        assert "search" in str(unread)
    else:
        assert isinstance(value, (str, int, float))


# With a real oracle.

BACKEND = """\
import copy

STATE = {}


def list_tools():
    return ["list_berths", "book_berth"]


def reset(*, ctx, fixtures=None):
    STATE.clear()
    STATE.update(copy.deepcopy(fixtures or {}), calls=[])


def get_state():
    return copy.deepcopy(STATE)


def call_tool(name, arguments, *, ctx):
    STATE["calls"].append(name)
    if name == "list_berths":
        found = [each for each in STATE["berths"] if each["port"] == arguments["port"]]
        return {"port": arguments["port"], "berths": found, "seed": ctx.seed, "turn": ctx.turn_index}
    return {"booked": arguments["berth_id"], "so_far": len(STATE["calls"])}
"""

FIXTURES = {
    "ports": [{"port_id": "Oban"}, {"port_id": "Mallaig"}, {"port_id": "Empty"}],
    "berths": [
        {"berth_id": "B-1", "port": "Oban", "depth": 4},
        {"berth_id": "B-2", "port": "Oban", "depth": 5},
        {"berth_id": "B-9", "port": "Mallaig", "depth": 6},
    ],
}


def tool(name, parameter):
    parameters = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
    return {"type": "function", "function": {"name": name, "description": "x", "parameters": parameters}}


TEMPLATE = """\
- template_id: book_first
  turn_policy: dependent_call
  required_tools: [list_berths, book_berth]
  success_assertions: [assert_no_tool_called]
  slots:
    port: {source: "fixture:ports.port_id", visible_in_first_turn: true}
  user_turn_templates: {en: "Book the first berth at {port}."}
  assistant_milestones:
    - {id: search, type: tool_call, tool: list_berths}
    - type: tool_call
      tool: book_berth
      args: {berth_id: {from_result: {call: search, path: berths.0.berth_id}}}
    - {type: final_answer}
"""


@pytest.fixture
def quay(tmp_path):
    made = Quay(tmp_path)
    made.write("backend.py", BACKEND)
    made.write("fixtures.json", json.dumps(FIXTURES))
    made.write("tools.json", json.dumps([tool("list_berths", "port"), tool("book_berth", "berth_id")]))
    made.write("task_templates.yaml", TEMPLATE)
    made.write("validation_cases.yaml", "[]")
    return made


class Traced:
    """What tracing a pack came to, and how many episodes it took."""

    def __init__(self, quay, *, tasks=3, limits=None):
        pack = load(quay)
        config = config_of(quay, limits=limits or Limits())
        self.instances = bind_pack(pack, run_config(tasks)).instances
        plans = plan_pack(pack, self.instances).plans
        assert plans, "the template must be planned for this test to say anything"
        with running(pack, config) as engine:
            self.result = derive_traces(pack, self.instances, plans, lambda: engine, config)

    def by_port(self):
        return {
            instance.slots["port"]: trace for instance, trace in zip(self.instances, self.result.traces, strict=True)
        }

    def only(self):
        (found,) = self.result.findings
        return found


def test_a_call_takes_what_an_earlier_result_holds(quay):
    traced = Traced(quay)
    traces = traced.by_port()
    assert [call.arguments for call in traces["Oban"].calls] == [{"port": "Oban"}, {"berth_id": "B-1"}]
    assert [call.arguments for call in traces["Mallaig"].calls] == [{"port": "Mallaig"}, {"berth_id": "B-9"}]
    assert [(call.turn_index, call.call_group, call.milestone) for call in traces["Oban"].calls] == [
        (0, 0, 0),
        (1, 1, 1),
    ]
    assert traced.result.final


def test_an_instance_whose_data_lack_what_is_read_is_dropped_alone(quay):
    traced = Traced(quay)
    dropped = traced.by_port()["Empty"]
    assert not dropped.derived
    assert dropped.calls == ()
    assert "index 0 is out of range" in dropped.drop_reason
    found = traced.only()
    assert (found.code, found.severity) == ("trace_not_derived", Severity.WARNING)
    assert (found.template_id, found.task_id) == ("book_first", dropped.task_id)
    assert found.place == quay.place("task_templates.yaml", "{from_result")
    assert "index 0 is out of range" in found.message


def test_a_template_that_is_left_with_no_instance_is_an_error(quay):
    quay.replace("task_templates.yaml", "berths.0.berth_id", "berths.7.berth_id")
    traced = Traced(quay)
    found = traced.only()
    assert (found.code, found.severity, found.template_id) == ("every_instance_dropped", Severity.ERROR, "book_first")
    assert found.place == quay.place("task_templates.yaml", "{from_result")
    assert found.detail["instances"] == 3
    assert not any(trace.derived for trace in traced.result.traces)


@pytest.mark.parametrize("path", ["berths.first.berth_id", "berths.--1.berth_id"])
def test_a_path_that_no_data_can_make_right_is_a_fault_of_the_template(quay, path):
    quay.replace("task_templates.yaml", "berths.0.berth_id", path)
    traced = Traced(quay)
    found = traced.only()
    assert (found.code, found.severity) == ("dependent_call_binding_failed", Severity.ERROR)
    assert found.detail["kind"] == "path_does_not_fit"
    assert found.detail["tasks"] == 3
    assert found.place == quay.place("task_templates.yaml", "{from_result")


def test_null_at_the_end_of_a_path_drops_the_instance(quay):
    rows = [dict(each, berth_id=None) if each["port"] == "Mallaig" else each for each in FIXTURES["berths"]]
    quay.write("fixtures.json", json.dumps({**FIXTURES, "berths": rows}))
    traces = Traced(quay).by_port()
    assert "null" in traces["Mallaig"].drop_reason
    assert traces["Oban"].derived


def test_markers_may_stand_deep_and_chain(quay):
    chained = """\
    - id: booking
      type: tool_call
      tool: book_berth
      args: {berth_id: {from_result: {call: search, path: berths.-1.berth_id}}}
    - type: tool_call
      tool: book_berth
      args:
        berth_id: "{port}"
        notes: [{from_result: {call: booking, path: booked}}, {n: {from_result: {call: booking, path: so_far}}}]
    - type: tool_call
      tool: book_berth
      args: {berth_id: {from_result: {call: search, path: turn}}}
    - {type: final_answer}
"""
    text = quay.text("task_templates.yaml")
    quay.write("task_templates.yaml", text[: text.index("    - type: tool_call")] + chained)
    oban = Traced(quay).by_port()["Oban"]
    assert [call.arguments for call in oban.calls] == [
        {"port": "Oban"},
        {"berth_id": "B-2"},
        {"berth_id": "Oban", "notes": ["B-2", {"n": 2}]},
        {"berth_id": 0},
    ]


def test_the_oracle_sees_the_tasks_own_seed(quay):
    quay.replace("task_templates.yaml", "berths.0.berth_id", "seed")
    traced = Traced(quay)
    read = [trace.calls[1].arguments["berth_id"] for trace in traced.result.traces]
    assert read == [instance.seed for instance in traced.instances]


def test_a_result_that_is_an_error_drops_the_instance(quay):
    refusal = 'if arguments["port"] == "Oban": return {"error": {"code": "closed"}}'
    quay.replace("backend.py", "found = [", f"{refusal}\n        found = [")
    assert "closed" in Traced(quay).by_port()["Oban"].drop_reason


def test_an_oracle_that_raises_is_a_finding_at_the_line_that_raised(quay):
    quay.replace("backend.py", 'STATE["calls"].append(name)', 'raise ValueError("no berths today")')
    traced = Traced(quay)
    found = traced.only()
    assert (found.code, found.template_id, found.tool) == ("executable_replay_failed", "book_first", "list_berths")
    assert found.place.file == "backend.py"
    assert found.place.line == quay.line("backend.py", "raise ValueError")
    assert found.detail["tasks"] == 3
    assert traced.result.final
    assert all("no berths today" in trace.drop_reason for trace in traced.result.traces)


def test_an_oracle_that_hangs_costs_a_bounded_time_and_leaves_nothing_final(quay):
    quay.replace("backend.py", 'STATE["calls"].append(name)', "while True: pass")
    quay.write("fixtures.json", json.dumps({**FIXTURES, "ports": [{"port_id": f"P-{n}"} for n in range(12)]}))
    traced = Traced(quay, tasks=12, limits=Limits(tool_s=0.3))
    found = traced.only()
    assert (found.code, found.template_id) == ("tool_timeout", "book_first")
    assert not traced.result.final
    assert not any(trace.derived for trace in traced.result.traces)
    assert len(traced.result.traces) == 12


def test_what_results_tell_of_reserved_rows_is_not_used(quay):
    quay.append("manifest.yaml", "held_out: held_out.yaml\n")
    quay.write(
        "held_out.yaml",
        'version: "1"\nfixtures: {berths: [B-9]}\ntemplates: []\npolicy: {fixtures_in_backend_state: true, seed: 1}\n',
    )
    traces = Traced(quay).by_port()
    assert "reserves" in traces["Mallaig"].drop_reason
    assert traces["Oban"].derived
