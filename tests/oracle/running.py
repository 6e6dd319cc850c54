"""Small packs, and questions about processes."""

from __future__ import annotations

import textwrap
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.oracle.evidence import CallTool, Episode, EpisodeContext, Judgement, Reset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.oracle.evidence import Evidence, Outcome, Step
    from assay.oracle.process_engine import ProcessEngine

CONTEXT = EpisodeContext(clock="2026-03-02T09:00:00+07:00", seed=7, timeout_s=5.0, task_id="port__ctx__7f")


def write_files(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")


def backend(call: str = "return {}", *, top: str = "", reset: str = "pass", state: str = "return {}") -> str:
    """Return a backend with one tool; each part is the body of a function."""
    parts = (
        textwrap.dedent(top),
        "def list_tools():\n    return ['probe']\n",
        f"def reset(*, ctx, fixtures):\n{_body(reset)}",
        f"def call_tool(name, arguments, *, ctx):\n{_body(call)}",
        f"def get_state():\n{_body(state)}",
    )
    return "\n\n".join(parts)


def _body(text: str) -> str:
    return textwrap.indent(textwrap.dedent(text).strip("\n"), "    ") + "\n"


def episode(*steps: Step, context: EpisodeContext = CONTEXT) -> Episode:
    return Episode(context=context, steps=steps)


def call(arguments: Any = None, turn_index: int = 0) -> CallTool:
    return CallTool("probe", {} if arguments is None else arguments, turn_index)


def run_one(engine: ProcessEngine, *steps: Step, attempt: int = 1) -> Evidence:
    (evidence,) = engine.run([episode(*steps)], attempt=attempt)
    return evidence


def run_call(engine: ProcessEngine, arguments: Any = None) -> Evidence:
    return run_one(engine, Reset(), call(arguments))


@contextmanager
def at_work(engine: ProcessEngine, *steps: Step) -> Iterator[Evidence]:
    """Keep the worker of an episode alive, and give its evidence."""
    evidence = engine.run([episode(*steps), episode(Reset())])
    yield next(evidence)
    list(evidence)


def judgement(*names: str, state: Any = None, trace: Any = (), task: Any = None, attempt: int = 1) -> Judgement:
    return Judgement(
        context=CONTEXT,
        state={} if state is None else state,
        trace=list(trace),
        task={} if task is None else task,
        turn_index=2,
        assertions=names,
        attempt=attempt,
    )


def judge_one(engine: ProcessEngine, *names: str, **facts: Any) -> tuple[Outcome, ...]:
    (outcomes,) = engine.judge([judgement(*names, **facts)])
    return outcomes


def workers_of(engine: ProcessEngine) -> set[int]:
    """Return the living workers of an engine and all that they forked, wherever it went."""
    mark = str(engine._scratch.base).encode()
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if mark in command and is_alive(int(entry.name)):
            found.add(int(entry.name))
    return found


def is_alive(pid: int) -> bool:
    try:
        state = (Path("/proc") / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
