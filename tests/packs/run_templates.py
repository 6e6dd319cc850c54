"""Plays every conversation of a pack against its own backend, then tampers with the evidence one fact at a time.

Prints JSON: how many instances each template has, which of them its assertions refuse, and which tampered evidence
they accept all the same. Like `run_cases`, it knows nothing of assay: a plain reading of the seeds, for packs that are
known to be well formed.
"""

import ast
import importlib
import itertools
import json
import sys
from copy import deepcopy
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import yaml


class Pack:
    def __init__(self, folder):
        self.manifest = yaml.safe_load((folder / "manifest.yaml").read_text(encoding="utf-8"))
        self.templates = yaml.safe_load((folder / "task_templates.yaml").read_text(encoding="utf-8"))
        self.tools = {
            tool["function"]["name"]: tool["function"]["parameters"]
            for tool in json.loads((folder / "tools.json").read_text(encoding="utf-8"))
        }
        self.fixtures = json.loads((folder / "fixtures.json").read_text(encoding="utf-8"))
        self._remove_reserved_rows(folder)
        clock = datetime.fromisoformat(self.manifest["clock"])
        self.context = SimpleNamespace(clock=clock, seed=1, timeout_s=5.0, task_id="task", turn_index=0)
        sys.path.insert(0, str(folder))
        self.backend = importlib.import_module("backend")
        self.assertions = importlib.import_module("assertions").ASSERTIONS

    def _remove_reserved_rows(self, folder):
        if "held_out" in self.manifest:
            policy = yaml.safe_load((folder / self.manifest["held_out"]).read_text(encoding="utf-8"))
            for collection, ids in policy["fixtures"].items():
                key = self.manifest["primary_keys"][collection]
                self.fixtures[collection] = [row for row in self.fixtures[collection] if row[key] not in ids]


def candidates(pack, slot):
    """Return the values that a slot's source offers."""
    kind, _, rest = slot["source"].partition(":")
    if kind == "fixture":
        collection, _, field = rest.partition(".")
        rows = pack.fixtures[collection]
        wanted = slot.get("filter", "True")
        return [row[field] for row in rows if eval(wanted, {"__builtins__": {}}, dict(row))]
    if kind == "enum":
        tool, _, parameter = rest.partition(".")
        return pack.tools[tool]["properties"][parameter]["enum"]
    if kind == "range":
        bounds = ast.literal_eval(rest)
        return list(range(bounds["min"], bounds["max"] + 1, bounds.get("step", 1)))
    return ast.literal_eval(rest) if kind == "literal" else pack.manifest["absent_ids"][rest]


def instances(pack, template):
    """Yield (initial values, values after corrections) for every combination."""
    turns = template.get("user_simulator_turns", [])
    updates = {name: slot for turn in turns for name, slot in turn.get("slot_updates", {}).items()}
    names, changed = list(template["slots"]), list(updates)
    offers = [candidates(pack, template["slots"][name]) for name in names]
    replacements = [candidates(pack, updates[name]) for name in changed]
    for values in itertools.product(*offers):
        initial = dict(zip(names, values, strict=True))
        for new in itertools.product(*replacements):
            final = {**initial, **dict(zip(changed, new, strict=True))}
            if not changed or final != initial:
                yield initial, final


def resolve(value, slots, results):
    """Fill slots and earlier results into one declared argument."""
    if isinstance(value, dict) and value.keys() == {"from_result"}:
        found = results[value["from_result"]["call"]]
        for step in value["from_result"]["path"].split("."):
            found = found[int(step)] if isinstance(found, list) else found[step]
        return found
    if isinstance(value, dict):
        return {key: resolve(below, slots, results) for key, below in value.items()}
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        return slots[value[1:-1]]
    return value


def play(pack, template, initial, final):
    """Execute one conversation; return (state at reset, state, trace, task). Calls follow every correction."""
    pack.backend.reset(ctx=pack.context, fixtures=pack.fixtures)
    at_reset, trace, results = pack.backend.get_state(), [], {}
    for milestone in template["assistant_milestones"]:
        if milestone["type"] != "tool_call":
            continue
        arguments = resolve(milestone.get("args", {}), final, results)
        for name in pack.tools[milestone["tool"]].get("required", []):
            if name not in arguments and name in final:
                arguments[name] = final[name]
        result = pack.backend.call_tool(milestone["tool"], deepcopy(arguments), ctx=pack.context)
        results[milestone.get("id")] = result
        trace.append({"tool": milestone["tool"], "arguments": arguments, "result": result})
    asked = any(milestone["type"] == "ask_confirm" for milestone in template["assistant_milestones"])
    task = {**template, "slots": final, "slots_initial": initial, "has_user_confirmation": asked}
    return at_reset, pack.backend.get_state(), trace, task


def accepted(pack, state, trace, task):
    """Say whether all of the template's assertions pass. Anything but an AssertionError is a fault and goes through."""
    failures = 0
    for name in task["success_assertions"]:
        try:
            pack.assertions[name](state=deepcopy(state), trace=deepcopy(trace), task=deepcopy(task), ctx=pack.context)
        except AssertionError:
            failures += 1
    return failures == 0


def other(value):
    """Return a value of the same kind that is not the same."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, dict):
        return {key: other(below) for key, below in value.items()}
    return f"{value}~"


def tampered(template, at_reset, state, trace):
    """Yield (what was done, state, trace) for each single change that success must not survive."""
    free = template.get("call_order", "strict") == "any"
    for index, entry in enumerate(trace):
        before, after = trace[:index], trace[index + 1 :]
        yield f"call {index} dropped", state, before + after
        yield f"call {index} repeated", state, [*before, entry, entry, *after]
        yield f"result {index} blanked", state, [*before, {**entry, "result": {}}, *after]
        for field, value in entry["result"].items():
            if field == "message":
                continue
            changed = {**entry["result"], field: other(value) if value is not None else "~"}
            yield f"result {index}.{field} changed", state, [*before, {**entry, "result": changed}, *after]
        for name, value in entry["arguments"].items():
            changed = {**entry["arguments"], name: other(value)}
            yield f"argument {index}.{name} changed", state, [*before, {**entry, "arguments": changed}, *after]
        if index and not free and template.get("call_order_prefix", index) >= index:
            yield (
                f"calls {index - 1} and {index} swapped",
                state,
                [*trace[: index - 1], entry, trace[index - 1], *after],
            )
    for name in state:
        if state[name] != at_reset[name]:
            yield f"{name} as at reset", {**state, name: at_reset[name]}, trace
    if not trace:
        call = {"tool": "anything", "arguments": {}, "result": {}}
        yield "call added", state, [call]


def main(folder):
    pack = Pack(folder)
    report = {}
    for template in pack.templates:
        entry = report[template["template_id"]] = {"instances": 0, "refused": [], "unchanged": [], "survivors": []}
        for initial, final in instances(pack, template):
            entry["instances"] += 1
            at_reset, state, trace, task = play(pack, template, initial, final)
            if not accepted(pack, state, trace, task):
                entry["refused"].append(final)
            if (at_reset != state) != bool(template.get("mutates")):
                entry["unchanged"].append(final)
            for done, other_state, other_trace in tampered(template, at_reset, state, trace):
                if accepted(pack, other_state, other_trace, task):
                    entry["survivors"].append([done, final])
    return report


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1])), sort_keys=True))
