from __future__ import annotations

from pathlib import Path

import pytest

from assay.runner import RunRequest
from flows.requests import find_packs, request_for, requests_for


def make_pack(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "manifest.yaml").write_text("pack_id: p\nversion: 0.1.0\n")
    return folder


@pytest.fixture
def three(tmp_path):
    (tmp_path / "packs" / "notes").mkdir(parents=True)
    (tmp_path / "packs" / "README.md").write_text("not a pack")
    return [make_pack(tmp_path / "packs" / name) for name in ("ash", "birch", "cedar")]


def test_a_folder_of_packs_is_its_packs_by_name(three, tmp_path):
    assert find_packs([tmp_path / "packs"]) == three


def test_a_pack_is_itself_and_its_manifest_too(three):
    assert find_packs([three[0]]) == [three[0]]
    assert find_packs([three[0] / "manifest.yaml"]) == [three[0] / "manifest.yaml"]


def test_a_glob_leaves_out_what_is_no_pack(three, tmp_path):
    assert find_packs([f"{tmp_path}/packs/*"]) == three
    assert find_packs([f"{tmp_path}/packs/[ab]*"]) == three[:2]
    assert find_packs([f"{tmp_path}/**/cedar"]) == [three[2]]
    assert find_packs([f"{tmp_path}/nothing/*"]) == []


def test_a_list_file_is_relative_to_itself(three, tmp_path):
    list_file = tmp_path / "nightly.txt"
    list_file.write_text("# every night\npacks/birch   # the old one\n\npacks/a*\n")
    assert find_packs([list_file]) == [three[1], three[0]]


def test_each_pack_comes_once_where_it_is_named_first(three, tmp_path):
    assert find_packs([three[2], tmp_path / "packs"]) == [three[2], three[0], three[1]]


def test_a_path_that_is_no_pack_is_kept_so_that_proving_it_says_why(tmp_path):
    missing, empty = tmp_path / "missing", tmp_path / "empty"
    empty.mkdir()
    assert find_packs([missing, empty]) == [missing, empty]


def test_an_empty_source_is_no_source():
    assert find_packs([""]) == []


def test_relative_sources_become_absolute(three, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_packs(["packs"]) == three
    assert request_for("packs/ash", root="store").pack == str(three[0])
    assert request_for("packs/ash", root="store").root == str(tmp_path / "store")


def test_a_url_stays_a_url():
    assert request_for("/p", root="s3://bucket/store").root == "s3://bucket/store"


def test_what_a_form_leaves_empty_is_the_default():
    request = request_for("/p", config="", root=None, output_dir="", templates=None, run_id=None)
    assert request.config is None
    assert request.output_dir is None
    assert request.templates == ()
    assert request.root == RunRequest().root
    assert request.run_id


def test_packs_of_the_same_name_get_folders_of_their_own(tmp_path):
    same = [make_pack(tmp_path / each / "ash") for each in ("one", "two", "three")]
    other = make_pack(tmp_path / "ash-2")
    options = {"root": "/r", "exhaustive": True, "mutants": False}
    requests = requests_for([*same, other], output_dir=tmp_path / "out", **options)
    folders = [Path(each.output_dir).name for each in requests]
    assert folders == ["ash", "ash-2", "ash-3", "ash-2-2"]
    assert all(each.exhaustive and each.root == "/r" and not each.mutants for each in requests)
    assert len({each.run_id for each in requests}) == 4


def test_without_an_output_folder_there_are_no_views(three):
    assert [each.output_dir for each in requests_for(three, output_dir="")] == [None] * 3
