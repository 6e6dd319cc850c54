"""The report of a run, and the folder that shows it to people and scripts.

    <output_dir>/<name>/report.json         the report, with artifacts named by key
    <output_dir>/<name>/<table>.parquet     the run's tables
    <output_dir>/<name>/held_out_*.json     for a pack with a held-out policy: what binding withheld, and the scan
    <output_dir>/<name>/run_manifest.json   what the folder holds, with digests; written last: it marks a whole view

Views are copies: a later run never changes what an earlier view shows, and removing one loses nothing. A view that
shows the same bytes already, and is whole, is left as it is.
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from assay.artifacts import codec
from assay.artifacts.store import FINDINGS, Artifact, digest_of_file, read_rows, read_table, write_whole
from assay.artifacts.tables import ALL_TABLES, REPORT_STAGE
from assay.checks.report import REPORT_SCHEMA_VERSION, CheckResult, Report
from assay.checks.strength import summarise_strength
from assay.findings import Check, Finding
from assay.values import digest_bytes, indented_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from assay.artifacts.codec import PackIdentity
    from assay.stages.held_out import ScanReport

MANIFEST: Final = "run_manifest.json"


def assemble(identity: PackIdentity | None, artifacts: Mapping[str, Artifact], *, mutants: bool) -> Report:
    """Put the report together from the artifacts alone.

    Args:
        identity: of the pack; None when it could not be read.
        artifacts: stage -> its artifact.
        mutants: whether this run asked for mutants; a table without any does not tell.

    Raises:
        StoreError: when an artifact cannot be read.
    """
    findings = tuple(sorted(codec.read_findings(_table(artifacts, REPORT_STAGE, FINDINGS)), key=Finding.sort_key))
    oracle = _first_row(artifacts, "probe", "oracles")
    return Report(
        pack_id=identity.pack_id if identity else None,
        pack_version=identity.version if identity else None,
        pack_fingerprint=identity.fingerprint if identity else None,
        checks=_checks(artifacts, findings),
        findings=findings,
        stats=_stats(artifacts, oracle),
        isolation=json.loads(oracle["isolation"]) if oracle else {},
        modules=json.loads(oracle["modules"]) if oracle else {},
        strength=summarise_strength(codec.read_mutants(_rows(artifacts, "strength", "mutants")), measured=mutants),
        held_out=_held_out_facts(artifacts),
        artifacts={name: str(each.path) for name, each in artifacts.items()},
    )


def _table(artifacts: Mapping[str, Artifact], stage: str, name: str) -> pa.Table:
    found = read_table(artifacts[stage], name)
    # Not `Schema.empty_table`: that imports pandas, which takes longer than all the rest of a cached run.
    return pa.Table.from_batches([], schema=ALL_TABLES[name].arrow) if found is None else found


def _rows(artifacts: Mapping[str, Artifact], stage: str, table: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = _table(artifacts, stage, table).to_pylist()
    return rows


def _first_row(artifacts: Mapping[str, Artifact], stage: str, table: str) -> dict[str, Any] | None:
    return next(iter(_rows(artifacts, stage, table)), None)


def _checks(artifacts: Mapping[str, Artifact], findings: tuple[Finding, ...]) -> tuple[CheckResult, ...]:
    return tuple(
        CheckResult(
            check=Check(row["check"]),
            status=row["status"],
            reason=row["reason"],
            findings=tuple(each for each in findings if each.check == row["check"]),
        )
        for row in _rows(artifacts, REPORT_STAGE, "checks")
    )


def _stats(artifacts: Mapping[str, Artifact], oracle: Mapping[str, Any] | None) -> dict[str, Any]:
    pack = _first_row(artifacts, "load", "packs") or {}
    counted = {name: pack.get(name, 0) for name in ("n_tools", "n_templates", "n_validation_cases")}
    return {
        **counted,
        "n_fixture_collections": pack.get("n_fixture_collections", 0),
        "n_assertions": len(oracle["assertions"]) if oracle else 0,
        "has_backend": pack.get("oracle_kind") == "python",
        "has_oracle": pack.get("oracle_kind") is not None,
        "oracle_kind": pack.get("oracle_kind"),
        "n_instances": artifacts["bind"].rows["task_instances"],
        "n_proven": artifacts["compare"].rows["verdicts"],
        "n_passed": sum(passed for (passed,) in read_rows(artifacts["compare"], "verdicts").values("passed")),
        "n_expected_calls": artifacts["trace"].rows["expected_calls"],
        "n_executed_calls": artifacts["replay"].rows["replays"] + artifacts["probe"].rows["probes"],
    }


def write_views(output_dir: Path, name: str, report: Report, artifacts: Mapping[str, Artifact]) -> Path:
    """Write the folder that shows one run, unless it shows the same already; return it.

    Raises:
        OSError: when the file system refuses.
    """
    from assay.stages.held_out import BINDINGS_FILE, SCAN_FILE  # noqa: PLC0415 - not every run has views

    folder, manifest = output_dir / name, output_dir / name / MANIFEST
    tables = {
        f"{table}.parquet": artifact.file_of(table)
        for stage, artifact in artifacts.items()
        for table in _tables_to_show(stage, artifact)
    }
    texts = {"report.json": report_for_file(report, artifacts), **_held_out_reports(artifacts)}
    written = {file: _text(facts) for file, facts in texts.items()}
    digests = {file: digest_of_file(path) for file, path in tables.items()}
    digests |= {file: digest_bytes(data) for file, data in written.items()}
    facts = _text(_manifest(report, artifacts, digests))
    folder.mkdir(parents=True, exist_ok=True)
    if _shows_already(folder, digests, facts):
        return folder
    manifest.unlink(missing_ok=True)
    for stale in (*folder.glob("*.parquet"), folder / BINDINGS_FILE, folder / SCAN_FILE):
        stale.unlink(missing_ok=True)
    for file, path in tables.items():
        shutil.copyfile(path, folder / file)
    for file, data in written.items():
        write_whole(folder / file, data)
    write_whole(manifest, facts)
    return folder


def _manifest(report: Report, artifacts: Mapping[str, Artifact], digests: Mapping[str, str | None]) -> dict[str, Any]:
    return {
        "schema_version": REPORT_SCHEMA_VERSION,
        "pack_id": report.pack_id,
        "pack_version": report.pack_version,
        "pack_fingerprint": report.pack_fingerprint,
        "status": report.status,
        "tier": report.tier,
        "artifacts": {stage: artifact.key for stage, artifact in artifacts.items()},
        "files": dict(sorted(digests.items())),
    }


def _shows_already(folder: Path, digests: Mapping[str, str | None], manifest: bytes) -> bool:
    """Say whether a folder has this manifest, and all the files that it names in these bytes.

    Keys are not enough: under the same key, a provisional result (ruling 40) may be another one in the next run.
    """
    try:
        has_manifest = (folder / MANIFEST).read_bytes() == manifest
    except OSError:
        return False
    tables = {path.name for path in folder.glob("*.parquet")}
    return (
        has_manifest
        and tables <= digests.keys()
        and all(digest_of_file(folder / file) == digest for file, digest in digests.items())
    )


def _tables_to_show(stage: str, artifact: Artifact) -> list[str]:
    """Return the tables of a stage that people look at; of findings, only those of the report, which has them all."""
    return [table for table in artifact.rows if table != FINDINGS or stage == REPORT_STAGE]


def _held_out_reports(artifacts: Mapping[str, Artifact]) -> dict[str, Mapping[str, Any]]:
    """Return the two reports about held-out material; none without a policy, no scan when none could be trusted."""
    from assay.stages.held_out import BINDINGS_FILE, SCAN_FILE  # noqa: PLC0415 - not every run has views

    bindings, scan = _held_out(artifacts)
    if bindings is None:
        return {}
    return {BINDINGS_FILE: bindings, **({} if scan is None else {SCAN_FILE: scan.to_json(bindings)})}


def _held_out_facts(artifacts: Mapping[str, Artifact]) -> dict[str, Any] | None:
    bindings, scan = _held_out(artifacts)
    if bindings is None:
        return None
    found = None if scan is None else {**scan.counts, "action": scan.action}
    return {"policy": bindings["policy"], "bindings": bindings["counts"], "scan": found}


def _held_out(artifacts: Mapping[str, Artifact]) -> tuple[dict[str, Any] | None, ScanReport | None]:
    """Return the binding report and the scan; None each where there is none."""
    if not artifacts["bind"].rows["held_out_bindings"]:
        return None, None
    bindings = codec.read_held_out_bindings(_rows(artifacts, "bind", "held_out_bindings"))
    return bindings, codec.read_held_out_scan(_rows(artifacts, REPORT_STAGE, "held_out_scans"))


def report_for_file(report: Report, artifacts: Mapping[str, Artifact]) -> dict[str, Any]:
    """Return the report with artifacts named by key, so that it is the same bytes wherever the store is."""
    return {**report.to_json(), "artifacts": {stage: each.key for stage, each in artifacts.items()}}


def _text(facts: Mapping[str, Any]) -> bytes:
    return indented_json(facts).encode()
