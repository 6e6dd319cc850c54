"""Everything that assay finds in a pack folder before it runs any of the pack's code."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from assay.config import RunConfig
from assay.pack.load import load_pack
from assay.schema import tool_findings
from assay.stages.bind import bind_pack
from assay.stages.plan import plan_pack
from assay.stages.render import render_pack
from assay.stages.schema_check import check_traces
from assay.stages.trace import derive_traces

if TYPE_CHECKING:
    from pathlib import Path

    from assay.findings import Finding
    from assay.oracle.engine import Engine


def static_findings(folder: Path, **config: object) -> list[Finding]:
    """Return the findings of loading, binding, planning, rendering, tracing and the static check, in that order."""
    request = RunConfig(manifest_path=folder / "manifest.yaml", **config)  # type: ignore[arg-type]
    loaded = load_pack(request, folder.parent / "snapshots")
    pack = loaded.pack
    if pack is None:
        return list(loaded.findings)
    bound = bind_pack(pack, request)
    planned = plan_pack(pack, bound.instances)
    known = {plan.task_id for plan in planned.plans}
    instances = [each for each in bound.instances if each.task_id in known]
    rendered = render_pack(pack, instances, planned.plans, request)
    traced = derive_traces(pack, instances, planned.plans, _no_engine, request)
    checked = check_traces(pack, instances, planned.plans, traced.traces, rendered.conversations)
    of_tools = chain.from_iterable(map(tool_findings, pack.tools))
    stages = (bound, planned, rendered, traced, checked)
    return [*loaded.findings, *of_tools, *chain.from_iterable(each.findings for each in stages)]


def _no_engine() -> Engine:
    raise AssertionError("nothing here may run pack code")
