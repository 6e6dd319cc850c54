"""Outcomes for tests that need no run."""

from __future__ import annotations

from assay.runner import RunRequest
from flows.naming import PackName
from flows.outcome import PackOutcome, StageOutcome


def a_finding(code="unknown_turn_policy", severity="error", **facts):
    where = {"file": "task_templates.yaml", "line": 3, "column": 5}
    return {"code": code, "severity": severity, "message": "what is wrong", "fix": "what to do", **where, **facts}


def an_outcome(pack_id="ash", status="gold", findings=(), error=None, stages=()):
    report = None
    if error is None:
        checks = [{"name": "template_tool_names", "status": "pass"}]
        report = {"status": status, "tier": "gold", "pack_id": pack_id, "findings": list(findings), "checks": checks}
    return PackOutcome(
        request=RunRequest(pack=f"/packs/{pack_id}", root="/store", run_id=f"run-{pack_id}"),
        name=PackName(pack_id, "0.1.0"),
        report=report,
        error=error,
        seconds=1.5,
        stages={name: StageOutcome(stage=name, status=state, seconds=0.1) for name, state in stages},
    )
