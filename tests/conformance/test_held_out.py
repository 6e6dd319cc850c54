"""The report of what binding withheld, read back: C55."""

import json

import pytest

from assay.stages.held_out import HeldOutContract, HeldOutLeakError, verify_binding_report
from tests.conformance.checks import drives
from tests.conformance.errors import ERRORS
from tests.support import models


@drives("held_out_report")
def test_a_binding_report_is_verified(given, expect):
    contract = HeldOutContract.of(models.held_out(**given["policy"]))
    report = given["report"]
    if report is not None:
        lineage = dict(contract.lineage)
        if "version other" in report["policy"]:
            lineage["version"] = "other"
        refs = [json.dumps(ref.split("."), separators=(",", ":")) for ref in report["blocked_fixture_refs"]]
        report = json.dumps({**report, "policy": lineage, "blocked_fixture_refs": refs})
    ours = ERRORS[expect["error"]["class"], expect["error"]["about"]]
    assert ours.code == HeldOutLeakError.__name__
    with pytest.raises(HeldOutLeakError, match=ours.words):
        verify_binding_report(report, contract, given.get("expected_tasks_expanded", 1))
