"""The contract's cases about what an assertions module offers."""

from __future__ import annotations

from assay.checks.capabilities import read_capabilities
from assay.oracle.process_engine import ProcessEngine
from assay.oracle.spec import OracleSpec
from assay.stages.python_source import parse_python
from tests.conformance.checks import drives
from tests.conformance.expectations import assert_expected
from tests.oracle.running import write_files

FIELDS = ("trace", "executable", "category")


@drives("inspect_assertions")
def test_inspection(given, expect, tmp_path):
    write_files(tmp_path, {"assertions.py": given["assertions_py"]})
    spec = OracleSpec(root=tmp_path, backend=None, assertions="assertions.py", fixtures=None)
    with ProcessEngine(spec) as engine:
        module = engine.inspect_assertions()
    tree = parse_python(tmp_path, "assertions.py")
    capabilities = read_capabilities(tree, "assertions.py", [*module.assertions], bound=module.has_capabilities)
    for name, facts in expect.items():
        found = module.assertions[name]
        declared = capabilities.of(name)
        reasons = [each.message for each in capabilities.findings if each.assertion in (name, None)]
        assert {each.code for each in capabilities.findings} <= {"invalid_assertion_capability"}
        told = {
            "valid": found.valid,
            "reason": found.reason,
            "capabilities": None if declared is None else {field: getattr(declared, field) for field in FIELDS},
            "capability_reason": reasons[0] if reasons else None,
        }
        wanted = {**facts}
        mentioned = wanted.pop("capability_reason_mentions", None)
        assert mentioned is None or mentioned in told["capability_reason"]
        assert_expected(told, wanted)
