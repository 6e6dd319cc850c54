"""A small Gold pack about a ferry port, and ways to spoil it in one place.

Tests start from these files, replace one piece of text, and say which finding must come of it and at which line.
"""

from __future__ import annotations

from contextlib import contextmanager
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from assay.config import RunConfig
from assay.findings import Place
from assay.oracle.process_engine import ProcessEngine
from assay.oracle.spec import OracleSpec
from assay.pack.load import load_pack
from assay.stages.context import run_clock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay.pack.model import Pack

MANIFEST = """\
pack_id: quay
version: "0.1.0"
languages: [en]
clock: "2026-03-02T09:00:00+07:00"
absent_ids:
  berths: [B-NONE]
assistant_turn_templates:
  ask_confirm: {en: "I have everything. Shall I go ahead?"}
  decline: {en: "That is nothing I can do from here."}
  final_answer: {en: "That is settled."}
"""

FIXTURES = """\
{
  "berths": [
    {"berth_id": "B-1", "depth": 12, "free": true},
    {"berth_id": "B-2", "depth": 9, "free": true},
    {"berth_id": "B-3", "depth": 7, "free": false}
  ],
  "bookings": []
}
"""

TOOLS = """\
[
  {
    "type": "function",
    "function": {
      "name": "find_berth",
      "description": "Tell the depth of one berth and whether it is free.",
      "parameters": {
        "type": "object",
        "properties": {"berth_id": {"type": "string", "description": "Berth id."}},
        "required": ["berth_id"],
        "additionalProperties": false
      }
    }
  },
  {
    "type": "function",
    "x-mutates": true,
    "x-requires-confirmation": true,
    "function": {
      "name": "book_berth",
      "description": "Book a berth, once confirmed.",
      "parameters": {
        "type": "object",
        "properties": {
          "berth_id": {"type": "string", "description": "Berth id."},
          "confirm": {"type": "boolean", "description": "True once agreed.", "default": false}
        },
        "required": ["berth_id"],
        "additionalProperties": false
      }
    }
  }
]
"""

BACKEND = """\
import copy

STATE = {}


def list_tools():
    return ["find_berth", "book_berth"]


def reset(*, ctx, fixtures=None):
    STATE.clear()
    STATE.update(copy.deepcopy(fixtures or {}))


def get_state():
    return copy.deepcopy(STATE)


def refuse(code, message):
    return {"error": {"code": code, "message": message}}


def call_tool(name, arguments, *, ctx):
    unknown = sorted(set(arguments) - {"berth_id", "confirm"})
    if unknown or not isinstance(arguments.get("berth_id"), str):
        return refuse("invalid_argument", "berth_id is a text and nothing else is needed")
    berth = next((each for each in STATE["berths"] if each["berth_id"] == arguments["berth_id"]), None)
    if berth is None:
        return refuse("not_found", "no such berth")
    if name == "find_berth":
        return {"berth_id": berth["berth_id"], "depth": berth["depth"], "free": berth["free"]}
    if not berth["free"]:
        return {"status": "rejected_taken", "berth_id": berth["berth_id"]}
    if arguments.get("confirm", False) is not True:
        return {"status": "awaiting_confirmation", "berth_id": berth["berth_id"]}
    berth["free"] = False
    STATE["bookings"].append({"berth_id": berth["berth_id"], "made_at": ctx.clock.isoformat()})
    return {"status": "booked", "berth_id": berth["berth_id"]}
"""

ASSERTIONS = """\
def assert_berth_reported(*, state, trace, task, ctx) -> None:
    assert trace, "no call was made"
    assert trace[-1]["result"].get("berth_id") == task["slots"]["berth_id"]


def assert_berth_booked(*, state, trace, task, ctx) -> None:
    booked = [each["berth_id"] for each in state["bookings"]]
    assert booked == [task["slots"]["berth_id"]], f"booked are {booked}"


def assert_refused(*, state, trace, task, ctx) -> None:
    assert trace[-1]["result"]["error"]["code"] == "not_found"


def assert_no_tool_called(*, state, trace, task, ctx) -> None:
    assert trace == [], "expected no call"


ASSERTIONS = {
    "assert_berth_reported": assert_berth_reported,
    "assert_berth_booked": assert_berth_booked,
    "assert_refused": assert_refused,
    "assert_no_tool_called": assert_no_tool_called,
}

ASSERTION_CAPABILITIES = {
    "assert_berth_reported": {"trace": True, "executable": True, "category": "result"},
    "assert_berth_booked": {"category": "state"},
    "assert_no_tool_called": {"trace": True, "category": "path"},
}
"""

TEMPLATES = """\
- template_id: berth_depth
  intent: find_berth
  turn_policy: single_turn
  required_tools: [find_berth]
  slots:
    berth_id: {source: "fixture:berths.berth_id", visible_in_first_turn: true}
  success_assertions: [assert_berth_reported]
  user_turn_templates: {en: "How deep is berth {berth_id}?"}
  assistant_milestones:
    - {type: tool_call, tool: find_berth}
    - {type: final_answer}

- template_id: berth_booking
  intent: book_berth
  turn_policy: confirmation
  mutates: true
  required_tools: [book_berth]
  slots:
    berth_id: {source: "fixture:berths.berth_id", filter: "free == True", visible_in_first_turn: true}
  success_assertions: [assert_berth_booked]
  user_turn_templates: {en: "Please book berth {berth_id} for us."}
  assistant_milestones:
    - {type: ask_confirm}
    - {type: tool_call, tool: book_berth, args: {confirm: true}}
    - {type: final_answer}
  user_simulator_turns:
    - after: ask_confirm
      content_template: {en: "Yes, please."}

- template_id: berth_unknown
  intent: find_berth
  turn_policy: negative_path
  required_tools: [find_berth]
  slots:
    berth_id: {source: "absent:berths", visible_in_first_turn: true}
  success_assertions: [assert_refused]
  user_turn_templates: {en: "How deep is berth {berth_id}?"}
  assistant_milestones:
    - {type: tool_call, tool: find_berth}
    - {type: final_answer}

- template_id: berth_paint
  intent: paint
  turn_policy: irrelevant
  required_tools: []
  slots: {}
  success_assertions: [assert_no_tool_called]
  user_turn_templates: {en: "Could you have the quay wall painted?"}
  assistant_milestones:
    - {type: decline}
"""

CASES = """\
- id: find_works
  tool: find_berth
  arguments: {berth_id: B-1}
  expect: {result_class: success, error_code: null, depth: 12}

- id: find_misses
  tool: find_berth
  arguments: {berth_id: B-NONE}
  expect: {result_class: structured_error, error_code: not_found, state_unchanged: true}

- id: book_works
  tool: book_berth
  arguments: {berth_id: B-1, confirm: true}
  expect: {result_class: success, status: booked}

- id: find_after_booking
  tool: find_berth
  arguments: {berth_id: B-1}
  reset_before: false
  expect: {result_class: success, free: false}

- id: book_unconfirmed
  tool: book_berth
  arguments: {berth_id: B-2, confirm: false}
  expect: {result_class: awaiting_confirmation, state_unchanged: true}

- id: book_taken
  tool: book_berth
  arguments: {berth_id: B-3, confirm: true}
  coverage: negative
  expect: {status: rejected_taken, state_unchanged: true}
"""

FILES = {
    "manifest.yaml": MANIFEST,
    "fixtures.json": FIXTURES,
    "tools.json": TOOLS,
    "backend.py": BACKEND,
    "assertions.py": ASSERTIONS,
    "task_templates.yaml": TEMPLATES,
    "validation_cases.yaml": CASES,
}


class Quay:
    """The pack's files in a folder of their own."""

    def __init__(self, root: Path) -> None:
        self.root = root / "quay"
        self.root.mkdir()
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(dedent(text), encoding="utf-8")

    def text(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def replace(self, name: str, old: str, new: str, count: int = 1) -> None:
        """Replace text that stands in a file; the first `count` times."""
        text = self.text(name)
        assert old in text, f"{name} does not hold {old!r}"
        (self.root / name).write_text(text.replace(old, new, count), encoding="utf-8")

    def append(self, name: str, text: str) -> None:
        (self.root / name).write_text(self.text(name) + dedent(text), encoding="utf-8")

    def line(self, name: str, fragment: str, occurrence: int = 1) -> int:
        """Return the number of the n-th line that holds a fragment."""
        lines = self.text(name).splitlines()
        return [number for number, line in enumerate(lines, 1) if fragment in line][occurrence - 1]

    def tool_place(self, tool: str) -> Place:
        """Return the place of a tool's entry."""
        named = self.line("tools.json", f'"name": "{tool}"')
        lines = self.text("tools.json").splitlines()
        return Place("tools.json", max(number for number in range(1, named) if lines[number - 1] == "  {"), 3)

    def place(self, name: str, fragment: str, occurrence: int = 1) -> Place:
        """Return the place where a fragment starts."""
        number = self.line(name, fragment, occurrence)
        return Place(name, number, self.text(name).splitlines()[number - 1].index(fragment) + 1)


def load(quay: Quay) -> Pack:
    """Load the pack as it stands; its snapshot lies beside it."""
    pack = load_pack(config_of(quay), quay.root.parent / "snapshots").pack
    assert pack is not None
    return pack


def config_of(quay: Quay, **settings: Any) -> RunConfig:
    return RunConfig(manifest_path=quay.root / "manifest.yaml", **settings)


@contextmanager
def running(pack: Pack, config: RunConfig) -> Iterator[ProcessEngine]:
    """Run the pack's code in real, confined workers; all of them end with the block."""
    spec = OracleSpec(
        root=pack.root,
        backend=pack.paths.backend,
        assertions=pack.paths.assertions,
        fixtures=pack.fixtures,
        limits=config.limits,
        clock=run_clock(pack, config),
    )
    engine = ProcessEngine(spec)
    try:
        yield engine
    finally:
        engine.close()
