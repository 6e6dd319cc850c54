import json

from assay.checks.report import Report, judge_checks
from assay.findings import Place, Severity, finding
from assay.reporting import github, sarif


def report_of(*findings):
    return Report(
        pack_id="bank",
        pack_version="1",
        pack_fingerprint="f",
        checks=judge_checks(findings, {}, ()),
        findings=findings,
        stats={"n_templates": 1, "n_assertions": 1, "n_tools": 1},
    )


ROOT = finding("unknown_turn_policy", "no such policy", at=Place("task_templates.yaml", 6, 16), fix="Use one.")
FOLLOWS = finding("internal_error", "follows", at=Place("tools.json", 1, 1)).following(ROOT)
WARNING = finding(
    "unknown_key", "nothing reads it", at=Place("a b.yaml", 2, 3), severity=Severity.WARNING, fix="Drop it."
)
SUFFIXED = finding("unknown_source_kind:csv", "no such kind", at=Place("task_templates.yaml", 9, 1), fix="Use one.")
NOWHERE = finding("internal_error", "broke down", fix="Report it.")


def test_sarif_shows_each_root_with_its_rule_place_and_level():
    (run,) = sarif(report_of(ROOT, FOLLOWS, WARNING, SUFFIXED, NOWHERE), "packs/bank")["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["internal_error", "unknown_key", "unknown_source_kind", "unknown_turn_policy"]
    first, warning, suffixed, nowhere = run["results"]
    assert first["ruleId"] == rules[first["ruleIndex"]] == "unknown_turn_policy"
    assert first["level"] == "error"
    assert first["message"]["text"] == "no such policy (1 more follows from this) Fix: Use one."
    location = first["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "packs/bank/task_templates.yaml"
    assert location["region"] == {"startLine": 6, "startColumn": 16}
    assert warning["level"] == "warning"
    assert suffixed["ruleId"] == "unknown_source_kind"
    assert "locations" not in nowhere


def test_sarif_is_json_of_the_standards_version_with_stable_fingerprints():
    log = json.loads(json.dumps(sarif(report_of(ROOT), "")))
    assert log["version"] == "2.1.0"
    assert log["runs"][0]["results"][0]["partialFingerprints"] == {"assayFinding/v1": ROOT.id}
    assert log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == (
        "task_templates.yaml"
    )


def test_github_gets_one_workflow_command_for_each_root():
    lines = list(github(report_of(ROOT, FOLLOWS, WARNING, NOWHERE), "packs/bank"))
    assert lines == [
        "::error file=packs/bank/task_templates.yaml,line=6,col=16,title=unknown_turn_policy::"
        "no such policy (1 more follows from this) Fix: Use one.",
        "::warning file=packs/bank/a b.yaml,line=2,col=3,title=unknown_key::nothing reads it Fix: Drop it.",
        "::error title=internal_error::broke down Fix: Report it.",
    ]


def test_nothing_in_a_finding_can_end_or_forge_a_workflow_command():
    evil = finding("internal_error", "100%\n::error::forged\r", at=Place("a,b:c.yaml", 1, 1), fix="x")
    (line,) = github(report_of(evil), "")
    assert "\n" not in line
    assert "\r" not in line
    assert line == "::error file=a%2Cb%3Ac.yaml,line=1,col=1,title=internal_error::100%25%0A::error::forged%0D Fix: x"
