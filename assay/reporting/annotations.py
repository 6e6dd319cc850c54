"""A report as annotations for code review: SARIF 2.1.0, and GitHub's workflow commands.

Both show root findings only; how many others follow from each is in its message. Files are named as the reviewer's
repository names them: the pack's folder, relative to where the command runs, before the file's path in the pack.
"""

from __future__ import annotations

from collections import Counter
from importlib.metadata import version
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from assay.findings import Severity, code_named
from assay.reporting.pictures import PICTURES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.checks.report import Report
    from assay.findings import Code, Finding

SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_WORKFLOW_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def sarif(report: Report, folder: str) -> dict[str, Any]:
    """Return the report as a SARIF log.

    Args:
        report: the report.
        folder: the pack's folder as the repository names it; empty when the pack is the repository.
    """
    roots = list(_roots(report))
    rules = {
        code.name: code for code in sorted((code_named(each.code) for each, _ in roots), key=lambda code: code.name)
    }
    driver = {"name": "assay", "version": version("assay"), "rules": [_rule(code) for code in rules.values()]}
    results = [_result(finding, followers, list(rules), folder) for finding, followers in roots]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _roots(report: Report) -> Iterator[tuple[Finding, int]]:
    followers = Counter(each.root for each in report.findings)
    for each in report.findings:
        if each.root is None:
            yield each, followers[each.id]


def _rule(code: Code) -> dict[str, Any]:
    return {
        "id": _rule_name(code),
        "shortDescription": {"text": code.meaning},
        "fullDescription": {"text": f"{code.meaning} {code.why}"},
        "help": {"text": code.fix},
        "defaultConfiguration": {"level": str(code.severity)},
    }


def _rule_name(code: Code) -> str:
    """Return a code's name without the mark of those that take a suffix."""
    return code.name.removesuffix(":")


def _result(finding: Finding, followers: int, names: list[str], folder: str) -> dict[str, Any]:
    code = code_named(finding.code)
    result: dict[str, Any] = {
        "ruleId": _rule_name(code),
        "ruleIndex": names.index(code.name),
        "level": str(finding.severity),
        "message": {"text": _message(finding, followers)},
        "partialFingerprints": {"assayFinding/v1": finding.id},
    }
    if finding.place is not None:
        region = {"startLine": finding.place.line, "startColumn": finding.place.column}
        location = {"artifactLocation": {"uri": _path(folder, finding.place.file)}, "region": region}
        result["locations"] = [{"physicalLocation": location}]
    return result


def _message(finding: Finding, followers: int) -> str:
    more = "" if not followers else f" ({followers} more follow{'s' * (followers == 1)} from this)"
    return f"{finding.message}{more} Fix: {finding.fix}"


def _path(folder: str, file: str) -> str:
    return (PurePosixPath(folder) / file).as_posix()


def github(report: Report, folder: str) -> Iterator[str]:
    """Yield the report as workflow commands, one line each.

    Args:
        report: the report.
        folder: the pack's folder as the repository names it; empty when the pack is the repository.
    """
    for finding, followers in _roots(report):
        properties = {"title": finding.code}
        if finding.place is not None:
            place = finding.place
            file = _path(folder, place.file)
            properties = {"file": file, "line": str(place.line), "col": str(place.column), **properties}
        told = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in properties.items())
        command = _WORKFLOW_COMMANDS[finding.severity]
        yield f"::{command} {told}::{_escaped(_message(finding, followers))}"


def _escaped(text: str, more: str = "") -> str:
    """Escape what would end a workflow command or one of its properties, and what would command a terminal."""
    text = text.replace("%", "%25")
    for character in f"\r\n{more}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text.translate(PICTURES)
