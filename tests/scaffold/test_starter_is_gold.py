import pytest

from assay import validate
from assay.scaffold import scaffold


@pytest.mark.parametrize("include_held_out", [False, True])
@pytest.mark.parametrize("language", ["en", "no", "pt-BR"])
def test_unedited_starter_is_gold_without_a_finding(tmp_path, language, include_held_out):
    folder = scaffold("Harbour Pilots", tmp_path / "pack", language=language, include_held_out=include_held_out)
    report = validate(folder)
    assert [finding.message for finding in report.findings] == []
    assert report.status == "gold"
    assert report.pack_id == "harbour_pilots"


def test_its_run_config_proves_every_conversation(tmp_path):
    folder = scaffold("pilots", tmp_path / "pack")
    report = validate(config=folder / "validate.yaml", exhaustive=True)
    assert report.findings == ()
    assert report.status == "gold"


def test_equal_starters_have_one_fingerprint_wherever_they_lie(tmp_path):
    folders = [scaffold("pilots", tmp_path / name) for name in ("here", "there/else where")]
    fingerprints = {validate(folder).pack_fingerprint for folder in folders}
    assert len(fingerprints) == 1
    assert None not in fingerprints


def test_endpoint_starter_gets_a_verdict_that_is_not_gold(tmp_path):
    report = validate(scaffold("pilots", tmp_path / "pack", transport="endpoint"))
    assert report.status == "not_gold"
