"""Runs a pack's validation cases against its own backend in this very process, and prints what came of them as JSON.

Deliberately knows nothing of assay: it is the second opinion that the packs' tests hold against them.
"""

import importlib
import json
import sys
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import yaml


def classify(result, protocol):
    if isinstance(result.get("error"), dict):
        return "structured_error", result["error"]["code"]
    if result.get(protocol.get("status_field", "status")) == protocol.get("pending_status", "awaiting_confirmation"):
        return "awaiting_confirmation", None
    return "success", None


def unmet(case, result, before, after, protocol):
    """Return what the case expected and did not get."""
    result_class, error_code = classify(result, protocol)
    seen = {**result, "result_class": result_class, "error_code": error_code, "state_unchanged": before == after}
    return {name: seen.get(name) for name, value in case["expect"].items() if seen.get(name) != value}


def run(pack):
    manifest = yaml.safe_load((pack / "manifest.yaml").read_text(encoding="utf-8"))
    fixtures = json.loads((pack / "fixtures.json").read_text(encoding="utf-8"))
    cases = yaml.safe_load((pack / "validation_cases.yaml").read_text(encoding="utf-8"))
    protocol = manifest.get("confirmation") or {}
    context = SimpleNamespace(
        clock=datetime.fromisoformat(manifest["clock"]), seed=1, timeout_s=5.0, task_id="case", turn_index=0
    )
    sys.path.insert(0, str(pack))
    backend = importlib.import_module("backend")
    records = []
    for case in cases:
        if case.get("reset_before", True):
            backend.reset(ctx=context, fixtures=fixtures)
        before = backend.get_state()
        result = backend.call_tool(case["tool"], case["arguments"], ctx=context)
        after = backend.get_state()
        records.append(
            {
                "id": case["id"],
                "tool": case["tool"],
                "class": classify(result, protocol)[0],
                "result": result,
                "changed": before != after,
                "state": after,
                "unmet": unmet(case, result, before, after, protocol),
            }
        )
    return {"tools": sorted(backend.list_tools()), "cases": records}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(Path(sys.argv[1])), sort_keys=True))
