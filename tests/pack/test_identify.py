"""What a pack is known by does not depend on how much of it is read."""

from pathlib import Path

import pytest

from assay.config import config_for_pack, load_config
from assay.pack.load import identify_pack, load_pack
from tests.support.pack_files import edit
from tests.support.packs import copy_of_tiny_library

PACKS = Path(__file__).parents[2] / "packs"


@pytest.mark.parametrize("name", ["tiny_library", "corner_bank"])
def test_identifying_a_pack_tells_what_loading_it_would(name, tmp_path):
    config = config_for_pack(PACKS / name)
    known = identify_pack(config, tmp_path)
    assert known == load_pack(config, tmp_path / "other").pack.known_by
    assert (tmp_path / known.fingerprint).is_dir()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("task_templates.yaml", "turn_policy: single_turn", "turn_policy: [single_turn"),
        ("tools.json", "[", ""),
        ("manifest.yaml", "tools: tools.json", "tools: nowhere.json"),
        ("manifest.yaml", 'version: "0.1.0"', "version: 1"),
    ],
)
def test_so_it_is_of_a_pack_with_faults(tmp_path, file, old, new):
    pack = copy_of_tiny_library(tmp_path / "pack")
    edit(pack / file, old, new)
    config = config_for_pack(pack)
    loaded = load_pack(config, tmp_path / "snapshots")
    assert loaded.findings
    assert identify_pack(config, tmp_path / "snapshots") == loaded.pack.known_by


def test_so_it_is_of_a_pack_of_which_a_run_config_replaces_a_file(tmp_path):
    pack = copy_of_tiny_library(tmp_path / "pack")
    (tmp_path / "other.json").write_bytes((pack / "fixtures.json").read_bytes() + b"\n")
    config_file = tmp_path / "validate.yaml"
    config_file.write_text(
        "oracle_pack: {manifest_path: pack/manifest.yaml, fixtures_path: other.json}\n"
        "oracle_runtime: {allowed_roots: ['.']}\n"
    )
    config = load_config(config_file)
    known = identify_pack(config, tmp_path / "snapshots")
    assert known == load_pack(config, tmp_path / "snapshots").pack.known_by
    assert known != identify_pack(config_for_pack(pack), tmp_path / "snapshots")


@pytest.mark.parametrize("manifest", [None, "", "pack_id: [", "- a list"])
def test_a_pack_without_a_usable_manifest_is_known_by_nothing(tmp_path, manifest):
    pack = copy_of_tiny_library(tmp_path / "pack")
    (pack / "manifest.yaml").unlink()
    if manifest is not None:
        (pack / "manifest.yaml").write_text(manifest)
    config = config_for_pack(pack)
    assert (identify_pack(config, tmp_path / "snapshots") is None) is (
        load_pack(config, tmp_path / "snapshots").pack is None
    )
