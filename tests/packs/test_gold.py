import pytest

from assay import validate

from .conftest import PACKS

CONFIGS = sorted(path.relative_to(PACKS) for path in PACKS.glob("*/validate*.yaml"))


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_every_instance_that_a_run_config_draws_is_proven_without_a_finding(config):
    report = validate(config=PACKS / config, exhaustive=True)
    assert [finding.message for finding in report.findings] == []
    assert report.status == "gold"


def test_pack_folder_alone_is_gold(pack):
    assert validate(pack.folder).status == "gold"


def test_backend_from_a_package_is_recorded_with_its_version():
    modules = validate(PACKS / "bfcl_ticket").modules
    assert list(modules) == ["bfcl_eval"]
    assert modules["bfcl_eval"]
