"""A pack that binds as many instances as it is asked for: a shelf with one lookup tool and one tool that lends.

Nine templates of one call, one of two calls in one turn and one whose call is confirmed take turns. The backend does
next to nothing: what is measured around it is assay.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

BOOKS: Final = 50
LOOKUPS: Final = 9

_MANIFEST: Final = """
pack_id: scale
version: "1.0.0"
description: A shelf for measuring.
languages: [en]
default_language: en
clock: "2026-01-01T00:00:00+00:00"
absent_ids: {books: [BK-ABSENT]}
paths:
  tools: tools.json
  fixtures: fixtures.json
  templates: task_templates.yaml
  assertions: assertions.py
  validation_cases: validation_cases.yaml
  backend: backend.py
assistant_turn_templates:
  ask_confirm: {en: "Shall I lend it out?"}
  final_answer: {en: "Done."}
"""

_BACKEND: Final = """
import copy

_fixtures = {}
_state = {}


def list_tools():
    return ["find_book", "lend_book"]


def reset(*, ctx, fixtures=None):
    if fixtures is not None:
        _fixtures.update(copy.deepcopy(fixtures))
    _state.clear()
    _state.update(copy.deepcopy(_fixtures))


def _refused(code):
    return {"error": {"code": code, "entity": None, "id": None, "field": None, "message": code}}


def call_tool(name, arguments, *, ctx):
    pages = arguments.get("pages")
    if not isinstance(arguments.get("book_id"), str) or not isinstance(pages, int) or isinstance(pages, bool):
        return _refused("invalid_argument")
    row = next((row for row in _state["books"] if row["book_id"] == arguments["book_id"]), None)
    if row is None:
        return _refused("not_found")
    if name == "find_book":
        return {"book_id": row["book_id"], "title": row["title"], "pages": pages}
    if not arguments.get("confirm"):
        return {"status": "awaiting_confirmation", "book_id": row["book_id"]}
    _state["loans"].append({"book_id": row["book_id"], "pages": pages})
    return {"status": "succeeded", "book_id": row["book_id"]}


def get_state():
    return _state
"""

_ASSERTIONS: Final = '''
def assert_looked_up(*, state, trace, task, ctx) -> None:
    """Every call was a lookup that answered with what was asked."""
    assert trace, "no call"
    for entry in trace:
        assert entry["tool"] == "find_book", entry["tool"]
        assert entry["result"]["pages"] == task["slots"]["pages"], entry["result"]
    asked = [entry["result"]["book_id"] for entry in trace]
    assert asked == [task["slots"][name] for name in sorted(task["slots"]) if name.startswith("book")], asked


def assert_lent(*, state, trace, task, ctx) -> None:
    """The loan is in the state."""
    loan = {"book_id": task["slots"]["book_id"], "pages": task["slots"]["pages"]}
    assert state["loans"] == [loan], state["loans"]


ASSERTIONS = {"assert_looked_up": assert_looked_up, "assert_lent": assert_lent}
ASSERTION_CAPABILITIES = {
    "assert_looked_up": {"trace": False, "executable": True, "category": "result"},
    "assert_lent": {"trace": False, "executable": True, "category": "state"},
}
'''

_CONFIRM: Final = {"type": "boolean", "default": False}


def write_scale_pack(folder: Path, instances: int) -> Path:
    """Write the pack and a run config whose budget is that many instances; return the config's path."""
    folder.mkdir(parents=True)
    files = {
        "manifest.yaml": _MANIFEST,
        "backend.py": _BACKEND,
        "assertions.py": _ASSERTIONS,
        "tools.json": json.dumps(
            [_tool("find_book"), _tool("lend_book", confirm={"type": "boolean", "default": False})]
        ),
        "fixtures.json": json.dumps({"books": [_book(number) for number in range(BOOKS)], "loans": []}),
        "task_templates.yaml": json.dumps(_templates(), indent=1),
        "validation_cases.yaml": json.dumps(_cases(), indent=1),
        "run.yaml": json.dumps(_run_config(instances), indent=1),
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "run.yaml"


def _book(number: int) -> dict[str, Any]:
    return {"book_id": f"BK-{number:03d}", "title": f"Title {number}"}


def _tool(name: str, **more: Any) -> dict[str, Any]:
    properties = {
        "book_id": {"type": "string", "description": "Book id."},
        "pages": {"type": "integer", "description": "How many pages."},
        **more,
    }
    parameters = {
        "type": "object",
        "properties": properties,
        "required": ["book_id", "pages"],
        "additionalProperties": False,
    }
    marks = {"x-mutates": True, "x-requires-confirmation": True} if more else {}
    function = {"name": name, "description": f"Serves the desk: {name}.", "parameters": parameters}
    return {"type": "function", **marks, "function": function}


def _templates() -> list[dict[str, Any]]:
    once = [{"type": "tool_call", "tool": "find_book"}]
    lookups = [_template(f"look_{number}", "single_turn", once) for number in range(LOOKUPS)]
    calls = [
        {"type": "tool_call", "tool": "find_book", "args": {"book_id": f"{{book_{side}}}"}, "call_group": 0}
        for side in ("a", "b")
    ]
    two = _template("look_twice", "multi_tool", calls, books=("book_a", "book_b"), call_order="any")
    lend = _template(
        "lend",
        "confirmation",
        [{"type": "ask_confirm"}, {"type": "tool_call", "tool": "lend_book", "args": {"confirm": True}}],
        tool="lend_book",
        asserted="assert_lent",
        mutates=True,
        user_simulator_turns=[{"after": "ask_confirm", "content_template": {"en": "Yes, please."}}],
    )
    return [*lookups, two, lend]


def _template(
    name: str,
    policy: str,
    milestones: list[dict[str, Any]],
    *,
    books: tuple[str, ...] = ("book_id",),
    tool: str = "find_book",
    asserted: str = "assert_looked_up",
    **more: Any,
) -> dict[str, Any]:
    slots = {each: {"source": "fixture:books.book_id", "visible_in_first_turn": True} for each in books}
    slots["pages"] = {"source": "range:{'min': 1, 'max': 100000}", "visible_in_first_turn": True}
    named = " and ".join(f"{{{each}}}" for each in books)
    return {
        "template_id": name,
        "intent": name,
        "category": "desk",
        "difficulty": "easy",
        "turn_policy": policy,
        "required_tools": [tool],
        "slots": slots,
        "success_assertions": [asserted],
        "user_turn_templates": {"en": f"Book {named}, {{pages}} pages, please ({name.replace('_', ' ')})."},
        "assistant_milestones": [*milestones, {"type": "final_answer"}],
        **more,
    }


def _cases() -> list[dict[str, Any]]:
    success = {"result_class": "success", "error_code": None}
    missing = {"result_class": "structured_error", "error_code": "not_found", "state_unchanged": True}
    refused = {"result_class": "structured_error", "error_code": "invalid_argument", "state_unchanged": True}
    pending = {"result_class": "awaiting_confirmation", "error_code": None, "state_unchanged": True}
    cases = []
    for tool, confirm in (("find_book", {}), ("lend_book", {"confirm": True})):
        known = {"book_id": "BK-001", "pages": 3, **confirm}
        cases += [
            {"id": f"{tool}_found", "tool": tool, "arguments": known, "expect": success},
            {"id": f"{tool}_absent", "tool": tool, "arguments": {**known, "book_id": "BK-ABSENT"}, "expect": missing},
            {"id": f"{tool}_wrong_type", "tool": tool, "arguments": {**known, "book_id": 1}, "expect": refused},
        ]
    asked = {"book_id": "BK-001", "pages": 3}
    cases.append({"id": "lend_asked", "tool": "lend_book", "arguments": {**asked, "confirm": False}, "expect": pending})
    cases.append({"id": "lend_omitted", "tool": "lend_book", "arguments": asked, "expect": pending})
    return cases


def _run_config(instances: int) -> dict[str, Any]:
    return {
        "schema_version": "1.1",
        "config_status": "resolved",
        "family": "bfcl",
        "stage": "prepare",
        "expt_name": "scale",
        "output_dir": "../out",
        "random_seed": 7,
        "oracle_pack": {"manifest_path": "manifest.yaml"},
        "oracle_runtime": {"clock": "2026-01-01T00:00:00+00:00", "worker": "process", "allowed_roots": ["."]},
        "task_generation": {"tasks_per_category": instances},
    }
