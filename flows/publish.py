"""What the flows leave on Prefect's page: tags on the run, bounded tables and texts about packs."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from prefect.artifacts import create_markdown_artifact, create_table_artifact
from prefect.client.orchestration import get_client
from prefect.runtime import flow_run

from flows.naming import name_of
from flows.summary import VERDICTS, headline, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from uuid import UUID

    from assay.runner import RunRequest
    from flows.outcome import PackOutcome

_MOST_TAGS: Final = 50
_MOST_FINDINGS: Final = 50
_MOST_CHARACTERS: Final = 400
_MOST_PAGES: Final = 50


def tag_run(requests: Sequence[RunRequest]) -> None:
    """Tag the present flow run with the packs it proves.

    Tags are set on the run itself, not in Prefect's context: there, all its tasks would inherit them, which costs time
    (`tasks.stage` says why).
    """
    packs = [f"pack:{name_of(each).pack_id}" for each in requests[:_MOST_TAGS]]
    tags = list(dict.fromkeys([*flow_run.tags, "assay", *packs]))
    with get_client(sync_client=True) as client:
        client.update_flow_run(flow_run.id, tags=tags)


def publish_pack(outcome: PackOutcome) -> UUID:
    """Publish the findings of one pack; return the artifact's id. Its key is the pack's: so they have a history."""
    published: UUID = create_markdown_artifact(  # type: ignore[assignment]  # outside of coroutines it is no coroutine
        key=f"pack-{outcome.name.slug}", markdown=pack_markdown(outcome), description=f"Verdict on {outcome.pack_id}"
    )
    return published


def publish_batch(outcomes: Sequence[PackOutcome]) -> None:
    """Publish the summary of a batch: a table to sort, a text that names what is red, the findings of each red pack."""
    red = [each for each in outcomes if each.status != "gold"][:_MOST_PAGES]
    pages = {each.run_id: f"/artifacts/artifact/{publish_pack(each)}" for each in red}
    create_table_artifact(key="batch-table", table=rows_of(outcomes), description=headline(outcomes))
    create_markdown_artifact(
        key="batch-summary", markdown=batch_markdown(outcomes, pages), description=headline(outcomes)
    )


def pack_markdown(outcome: PackOutcome) -> str:
    """Return the verdict on a pack as Markdown: checks, then findings, bounded."""
    lines = [f"# {outcome.pack_id}: {VERDICTS[outcome.status]}", ""]
    if outcome.error is not None:
        lines += ["There is no verdict:", "", f"    {_one_line(outcome.error)}", "", resume_hint(outcome)]
        return "\n".join(lines)
    report = outcome.report or {}
    lines += _table(("check", "status"), [(each["name"], each["status"]) for each in _list(report, "checks")])
    findings = outcome.findings
    lines += ["", f"## {len(findings)} finding{'' if len(findings) == 1 else 's'}", ""]
    lines += _table(("severity", "code", "where", "what", "fix"), [_cells(each) for each in findings[:_MOST_FINDINGS]])
    if len(findings) > _MOST_FINDINGS:
        lines += ["", f"{len(findings) - _MOST_FINDINGS} more are in the report."]
    return "\n".join(lines)


def batch_markdown(outcomes: Sequence[PackOutcome], pages: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the summary of a batch as Markdown: only what is red is listed.

    Args:
        outcomes: of all packs.
        pages: run id -> address of the page with its findings, for those that have one.
    """
    red = [row for row in rows_of(outcomes) if row["verdict"] != VERDICTS["gold"]]
    lines = [f"# {headline(outcomes)}", ""]
    cells = [(row["pack"], row["verdict"], row["why"], row["run"]) for row in red]
    links = [f"[findings]({pages[row['run']]})" if row["run"] in pages else "" for row in red]
    lines += _table(("pack", "verdict", "why", "run"), cells, links)
    hints = [resume_hint(each) for each in outcomes if each.error is not None]
    return "\n".join([*lines, "", *hints])


def resume_hint(outcome: PackOutcome) -> str:
    """Return the command that takes up a run that came to no verdict."""
    return f"Take it up again, recomputing only what is missing: `{outcome.resume}`"


def _list(report: Mapping[str, Any], name: str) -> list[Any]:
    return list(report.get(name) or [])


def _cells(finding: Mapping[str, Any]) -> tuple[str, ...]:
    where = f"{finding['file']}:{finding['line']}:{finding['column']}" if finding["file"] else ""
    return finding["severity"], finding["code"], where, finding["message"], finding["fix"]


def _table(head: Sequence[str], rows: Sequence[Sequence[object]], links: Sequence[str] = ()) -> list[str]:
    """Return a table, with a last column of links that are Markdown already, if there are any."""
    if not rows:
        return []
    lines = [[*head], ["---"] * len(head), *([_one_line(str(cell)) for cell in row] for row in rows)]
    if any(links):
        lines = [[*line, last] for line, last in zip(lines, ["page", "---", *links], strict=True)]
    return ["| " + " | ".join(line) + " |" for line in lines]


def _one_line(text: str) -> str:
    """Return a text that cannot break out of a cell, whatever a pack put in it."""
    flat = " ".join(text.split())
    short = flat if len(flat) <= _MOST_CHARACTERS else flat[: _MOST_CHARACTERS - 1] + "…"
    return short.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
