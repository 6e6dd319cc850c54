"""A small Gold pack on disk, of the shape of the starter, and ways to spoil it in one place.

    folder = write_pack(tmp_path / "pack")
    edit(folder / "tools.json", '"get_record"', '"fetch_record"')

`spoil` marks the place at which a finding is expected with `MARK` in the new text and returns that place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.config import RunConfig
from assay.findings import Finding, Place
from assay.pack.load import LoadResult, load_pack

if TYPE_CHECKING:
    from pathlib import Path

MARK = "§"

MANIFEST = """\
pack_id: records_desk
version: "0.1.0"
description: A desk that answers for records.
languages: [en]
clock: "2026-01-01T00:00:00+00:00"
paths:
  tools: tools.json
  fixtures: fixtures.json
  templates: task_templates.yaml
  assertions: assertions.py
  validation_cases: validation_cases.yaml
  backend: backend.py
primary_keys:
  records: record_id
absent_ids:
  records: [REC-ABSENT-1]
assistant_turn_templates:
  ask_for_slot: {en: "Which {slot_name} do you mean?"}
  ask_confirm: {en: "Shall I go ahead?"}
  decline: {en: "I am sorry, I cannot help with that here."}
  final_answer: {en: "Done."}
"""

TOOLS = """\
[
  {
    "type": "function",
    "function": {
      "name": "get_record",
      "description": "Return one record.",
      "parameters": {
        "type": "object",
        "properties": {"record_id": {"type": "string", "description": "Id of the record."}},
        "required": ["record_id"],
        "additionalProperties": false
      }
    }
  }
]
"""

FIXTURES = """\
{
  "records": [
    {"record_id": "REC-001", "name": "first", "status": "active"},
    {"record_id": "REC-002", "name": "second", "status": "closed"}
  ]
}
"""

TEMPLATES = """\
- template_id: starter_get_record
  intent: look_up_record
  category: records
  difficulty: easy
  turn_policy: single_turn
  call_order: strict
  required_tools: [get_record]
  tools_present: [get_record]
  slots:
    record_id:
      source: "fixture:records.record_id"
      visible_in_first_turn: true
      label: {en: "record id"}
  success_assertions: [assert_record_reported]
  user_turn_templates:
    en: "Show me record {record_id}."
  assistant_milestones:
    - {type: tool_call, tool: get_record}
    - {type: final_answer}
  paraphrase:
    allowed: false
- template_id: starter_missing_record
  intent: look_up_missing_record
  category: records
  difficulty: medium
  turn_policy: negative_path
  required_tools: [get_record]
  slots:
    record_id:
      source: "absent:records"
      visible_in_first_turn: true
  success_assertions: [assert_record_not_found]
  user_turn_templates:
    en: "Show me record {record_id}."
  assistant_milestones:
    - {type: tool_call, tool: get_record}
    - {type: final_answer}
- template_id: starter_ask_for_record
  intent: look_up_record
  category: records
  difficulty: medium
  turn_policy: missing_slot
  required_tools: [get_record]
  slots:
    record_id:
      source: "fixture:records.record_id"
      filter: "status == 'active'"
      visible_in_first_turn: false
  success_assertions: [assert_record_reported]
  user_turn_templates:
    en: "Show me a record."
  assistant_milestones:
    - {type: ask_for_slot, slot: record_id, id: which}
    - {type: tool_call, tool: get_record, id: lookup}
    - {type: final_answer}
  user_simulator_turns:
    - after: which
      content_template:
        en: "The record id is {record_id}."
- template_id: starter_irrelevant
  intent: something_else
  category: records
  difficulty: easy
  turn_policy: irrelevant
  required_tools: []
  slots: {}
  success_assertions: [assert_no_tool_called]
  user_turn_templates:
    en: "Can you bake a cake?"
  assistant_milestones:
    - {type: decline}
"""

ASSERTIONS = """\
def assert_record_reported(*, state, trace, task, ctx) -> None:
    del state, ctx
    assert trace, "expected one tool call"
    assert trace[-1]["result"].get("record_id") == task["slots"]["record_id"]


def assert_record_not_found(*, state, trace, task, ctx) -> None:
    del state, task, ctx
    assert trace, "expected one tool call"
    assert trace[-1]["result"]["error"]["code"] == "not_found"


def assert_no_tool_called(*, state, trace, task, ctx) -> None:
    del state, task, ctx
    assert trace == [], "expected no tool call"


ASSERTIONS = {
    "assert_record_reported": assert_record_reported,
    "assert_record_not_found": assert_record_not_found,
    "assert_no_tool_called": assert_no_tool_called,
}
ASSERTION_CAPABILITIES = {
    "assert_record_reported": {"trace": True, "executable": True, "category": "result"},
    "assert_record_not_found": {"trace": True, "executable": True, "category": "result"},
    "assert_no_tool_called": {"trace": True, "executable": True, "category": "path"},
}
"""

BACKEND = """\
import copy

_fixtures = None
_state = None


def list_tools():
    return ["get_record"]


def reset(ctx, fixtures=None):
    global _fixtures, _state
    if fixtures is not None:
        _fixtures = copy.deepcopy(fixtures)
    if _fixtures is None:
        raise RuntimeError("reset needs fixtures once")
    _state = copy.deepcopy(_fixtures)


def get_state():
    return copy.deepcopy(_state)


def call_tool(name, arguments, ctx):
    record_id = arguments.get("record_id")
    if name != "get_record" or not isinstance(record_id, str):
        return _error("invalid_argument", record_id)
    for record in _state["records"]:
        if record["record_id"] == record_id:
            return copy.deepcopy(record)
    return _error("not_found", record_id)


def _error(code, record_id):
    return {"error": {"code": code, "entity": "records", "id": record_id, "field": "record_id", "message": code}}
"""

VALIDATION_CASES = """\
- id: success_get_record
  tool: get_record
  arguments: {record_id: REC-001}
  reset_before: true
  expect: {result_class: success, name: first}
- id: miss_get_record
  tool: get_record
  arguments: {record_id: REC-ABSENT-1}
  expect: {result_class: structured_error, error_code: not_found, state_unchanged: true}
- id: wrong_type_get_record
  tool: get_record
  arguments: {record_id: 7}
  expect: {result_class: structured_error, error_code: invalid_argument}
"""

HELD_OUT = """\
version: "1"
fixtures:
  records: [REC-002]
templates: [starter_missing_record]
policy:
  fixtures_in_backend_state: false
  seed: 7
"""

FILES = {
    "manifest.yaml": MANIFEST,
    "tools.json": TOOLS,
    "fixtures.json": FIXTURES,
    "task_templates.yaml": TEMPLATES,
    "assertions.py": ASSERTIONS,
    "backend.py": BACKEND,
    "validation_cases.yaml": VALIDATION_CASES,
}
_NAMES = {
    "manifest": "manifest.yaml",
    "tools": "tools.json",
    "fixtures": "fixtures.json",
    "task_templates": "task_templates.yaml",
    "assertions": "assertions.py",
    "backend": "backend.py",
    "validation_cases": "validation_cases.yaml",
    "held_out": "held_out.yaml",
}


def write_pack(folder: Path, **files: str | bytes | None) -> Path:
    """Write the pack and return its folder.

    Args:
        folder: made, with its parents.
        files: contents by role (`manifest`, `tools`, `task_templates`, ...) instead of the usual ones; None leaves the
            file out. `held_out` adds a policy file and declares it.
    """
    contents: dict[str, str | bytes | None] = dict(FILES)
    contents |= {_NAMES[role]: content for role, content in files.items()}
    if files.get("held_out") is not None and "manifest" not in files:
        contents["manifest.yaml"] = MANIFEST + "held_out: held_out.yaml\n"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        if content is not None:
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def edit(path: Path, old: str, new: str) -> None:
    """Replace one piece of text of a file, which must be there; of several the first."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path.name} does not hold {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def spoil(folder: Path, file: str, old: str, new: str) -> Place:
    """Replace one piece of text, drop `MARK` from the new one, and return the place where it stood."""
    edit(folder / file, old, new)
    text = (folder / file).read_text(encoding="utf-8")
    before, mark, after = text.partition(MARK)
    assert mark, "the new text marks no place"
    (folder / file).write_text(before + after, encoding="utf-8")
    return Place(file, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)


def load(folder: Path, **config: object) -> LoadResult:
    """Load a pack folder with a snapshot store beside it."""
    request = RunConfig(manifest_path=folder / "manifest.yaml", **config)  # type: ignore[arg-type]
    return load_pack(request, folder.parent / "snapshots")


def codes(result: LoadResult) -> list[str]:
    """Return the codes of all findings, in order."""
    return [found.code for found in result.findings]


def only(result: LoadResult, code: str) -> Finding:
    """Return the one finding of a code."""
    found = [each for each in result.findings if each.code == code]
    assert len(found) == 1, f"{len(found)} findings {code!r} among {codes(result)}"
    return found[0]
