import json
import os
import stat

import pytest
import yaml

from assay.scaffold import ScaffoldError, scaffold
from tests.packs.second_opinion import run_cases, run_templates

COMMON = {
    "README.md",
    "assertions.py",
    "fixtures.json",
    "manifest.yaml",
    "task_templates.yaml",
    "tools.json",
    "validate.yaml",
    "validation_cases.yaml",
}


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def read_yaml(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_python_starter_with_held_out_has_exactly_ten_files(tmp_path):
    folder = scaffold("Harbour Pilots", tmp_path / "pack", include_held_out=True)
    assert set(contents(folder)) == COMMON | {"backend.py", "held_out.yaml"}
    manifest = read_yaml(folder / "manifest.yaml")
    assert manifest["pack_id"] == "harbour_pilots"
    assert manifest["held_out"] == "held_out.yaml"
    assert manifest["paths"]["backend"] == "backend.py"
    assert not {"held_out", "endpoint"} & manifest["paths"].keys()
    records = json.loads((folder / "fixtures.json").read_text())["records"]
    assert [record["record_id"] for record in records] == ["REC-001", "REC-HELD-OUT-1"]
    assert read_yaml(folder / "held_out.yaml")["fixtures"] == {"records": ["REC-HELD-OUT-1"]}


def test_plain_python_starter_reserves_nothing(tmp_path):
    folder = scaffold("pilots", tmp_path / "pack")
    assert set(contents(folder)) == COMMON | {"backend.py"}
    assert "held_out" not in read_yaml(folder / "manifest.yaml")
    assert "held_out" not in (folder / "README.md").read_text()
    assert len(json.loads((folder / "fixtures.json").read_text())["records"]) == 1


def test_endpoint_starter_points_to_a_placeholder_and_has_no_backend(tmp_path):
    folder = scaffold("Harbour Pilots", tmp_path / "pack", transport="endpoint", version="2.10")
    assert set(contents(folder)) == COMMON | {"endpoint_config.yaml"}
    paths = read_yaml(folder / "manifest.yaml")["paths"]
    assert paths["endpoint"] == "endpoint_config.yaml"
    assert "backend" not in paths
    endpoint = read_yaml(folder / "endpoint_config.yaml")
    assert endpoint["protocol_version"] == "bfcl-oracle-http-v1"
    assert endpoint["base_url"].startswith("https://")
    assert endpoint["base_url"].endswith(".invalid")
    assert endpoint["auth"] == {"bearer_token_env": "BFCL_ORACLE_TOKEN"}
    assert endpoint["expected"] == {
        "oracle_id": "harbour_pilots",
        "oracle_version": "2.10",
        "content_digest": "sha256:" + 64 * "0",
    }
    assert (endpoint["max_request_bytes"], endpoint["max_response_bytes"]) == (2**20, 2**20)


@pytest.mark.parametrize("transport", ["python", "endpoint"])
@pytest.mark.parametrize("include_held_out", [True, False])
@pytest.mark.parametrize("language", ["en", "no", "pt-BR", "zh_Hant"])
def test_every_starter_can_be_read_back_in_its_language(tmp_path, transport, include_held_out, language):
    folder = scaffold(
        "pilots", tmp_path / "pack", language=language, transport=transport, include_held_out=include_held_out
    )
    for path in folder.glob("*.yaml"):
        assert read_yaml(path), path.name
    manifest = read_yaml(folder / "manifest.yaml")
    assert manifest["languages"] == [manifest["default_language"]] == [language]
    assert [*manifest["assistant_turn_templates"]] == ["ask_for_slot", "ask_confirm", "decline", "final_answer"]
    assert all([*wording] == [language] for wording in manifest["assistant_turn_templates"].values())
    for template in read_yaml(folder / "task_templates.yaml"):
        assert [*template["user_turn_templates"]] == [language]
    assert read_yaml(folder / "validate.yaml")["surface_generation"]["language"] == language
    assert b"${" not in b"".join(contents(folder).values())


@pytest.mark.parametrize(("language", "ships"), [("en", False), ("en-GB", True), ("vi", True)])
def test_starter_brings_a_system_prompt_unless_the_built_in_one_will_do(tmp_path, language, ships):
    folder = scaffold("pilots", tmp_path / "pack", language=language)
    assert ("system_prompt" in read_yaml(folder / "manifest.yaml")) is ships


def test_starter_keeps_the_names_of_the_contract(tmp_path):
    folder = scaffold("pilots", tmp_path / "pack")
    templates = read_yaml(folder / "task_templates.yaml")
    assert [(t["template_id"], t["turn_policy"], t["success_assertions"]) for t in templates] == [
        ("starter_get_record", "single_turn", ["assert_record_reported"]),
        ("starter_missing_record", "negative_path", ["assert_record_not_found"]),
        ("starter_irrelevant", "irrelevant", ["assert_no_tool_called"]),
    ]
    assert {t["category"] for t in templates} == {"records"}
    assert read_yaml(folder / "manifest.yaml")["absent_ids"] == {"records": ["REC-ABSENT-1"]}


def test_equal_options_give_equal_bytes_wherever_the_folder_lies(tmp_path):
    first = scaffold("Harbour Pilots", tmp_path / "a" / "one", include_held_out=True)
    second = scaffold("harbour-pilots", tmp_path / "b" / "deeper" / "other name", include_held_out=True)
    assert contents(first) == contents(second)


def test_no_file_holds_a_path_of_this_machine(tmp_path):
    folder = scaffold("pilots", tmp_path / "pack")
    everything = b"".join(contents(folder).values())
    assert os.fsencode(tmp_path) not in everything
    config = read_yaml(folder / "validate.yaml")
    assert config["oracle_pack"]["manifest_path"] == "manifest.yaml"
    assert config["oracle_runtime"]["allowed_roots"] == ["."]
    assert config["output_dir"] == "../pilots_output"


@pytest.mark.parametrize(
    ("domain", "pack_id"),
    [
        ("Harbour Pilots", "harbour_pilots"),
        ("  Cafe -- 24/7  ", "cafe_24_7"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("café society", "caf_society"),
        ("x", "x"),
    ],
)
def test_domain_becomes_the_pack_id(tmp_path, domain, pack_id):
    folder = scaffold(domain, tmp_path / "pack")
    assert read_yaml(folder / "manifest.yaml")["pack_id"] == pack_id


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"domain": "24 hours"}, "24 hours"),
        ({"domain": "日本"}, "日本"),
        ({"domain": ""}, "domain ''"),
        ({"version": "  "}, "version"),
        ({"language": ""}, "language ''"),
        ({"language": "e:n"}, "e:n"),
        ({"language": "en\n"}, "language"),
        ({"transport": "pigeon"}, "pigeon"),
    ],
)
def test_option_that_does_not_do_is_named_and_nothing_is_written(tmp_path, options, named):
    with pytest.raises(ScaffoldError, match=named):
        scaffold(**{"domain": "pilots", "target": tmp_path / "pack", **options})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("version", ['0.1.0"', "1: 2", "0.10", "ß"])
def test_any_version_text_survives_yaml(tmp_path, version):
    folder = scaffold("pilots", tmp_path / "pack", version=version, transport="endpoint")
    assert read_yaml(folder / "manifest.yaml")["version"] == version
    assert read_yaml(folder / "endpoint_config.yaml")["expected"]["oracle_version"] == version


def test_existing_folder_is_refused_and_left_alone(tmp_path):
    target = tmp_path / "pack"
    target.mkdir()
    (target / "owner-note.txt").write_text("keep")
    with pytest.raises(ScaffoldError, match="already there"):
        scaffold("pilots", target)
    assert contents(target) == {"owner-note.txt": b"keep"}
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("make", ["empty_folder", "file", "dangling_link"])
def test_whatever_already_has_the_name_is_refused(tmp_path, make):
    target = tmp_path / "pack"
    if make == "empty_folder":
        target.mkdir()
    elif make == "file":
        target.touch()
    else:
        target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(ScaffoldError, match="already there"):
        scaffold("pilots", target)
    assert not (tmp_path / "nowhere").exists()


def test_unwritable_place_is_an_error_with_its_reason_and_leaves_nothing(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ScaffoldError, match=r"cannot write .*pack"):
        scaffold("pilots", tmp_path / "file" / "pack")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_result_is_the_absolute_path_and_parents_are_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert scaffold("pilots", "deep/er/pack") == tmp_path / "deep" / "er" / "pack"
    assert [path.name for path in (tmp_path / "deep" / "er").iterdir()] == ["pack"]


def test_home_folder_is_expanded(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert scaffold("pilots", "~/pack") == tmp_path / "pack"


def test_starter_has_the_permissions_of_any_new_folder(tmp_path):
    (tmp_path / "plain").mkdir()
    folder = scaffold("pilots", tmp_path / "pack")
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_starter_holds_in_the_eyes_of_a_reader_that_is_not_assay(tmp_path):
    folder = scaffold("pilots", tmp_path / "pack", language="vi", include_held_out=True)
    cases = json.loads(run_cases(folder))["cases"]
    assert [case["id"] for case in cases if case["unmet"]] == []
    assert {case["class"] for case in cases} == {"success", "structured_error"}
    for template, seen in json.loads(run_templates(folder)).items():
        assert seen["instances"] == 1, template
        assert seen["refused"] + seen["unchanged"] + seen["survivors"] == [], template
