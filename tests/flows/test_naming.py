from __future__ import annotations

import pytest

from assay.runner import RunRequest
from flows.naming import PackName, name_of
from tests.support.packs import TINY_LIBRARY


def test_a_pack_is_called_by_the_id_and_version_of_its_manifest():
    assert str(name_of(RunRequest(pack=str(TINY_LIBRARY)))).startswith("tiny_library@")
    assert name_of(RunRequest(pack=str(TINY_LIBRARY / "manifest.yaml"))).pack_id == "tiny_library"


@pytest.mark.parametrize(
    ("manifest", "name"),
    [
        ("pack_id: 'ash'\nversion: \"1.2\"\n", "ash@1.2"),
        ("version: 1.2\n", "folder@1.2"),
        ("pack_id: ash\n", "ash"),
        ("tools:\n  pack_id: inner\n", "folder"),
        ("", "folder"),
        ("\x00\xff not yaml: [", "folder"),
        ("pack_id: " + "a" * 500, "a" * 80),
    ],
)
def test_what_the_manifest_does_not_say_is_the_folders_name(tmp_path, manifest, name):
    pack = tmp_path / "folder"
    pack.mkdir()
    (pack / "manifest.yaml").write_text(manifest, encoding="latin-1")
    assert str(name_of(RunRequest(pack=str(pack)))) == name


def test_there_is_always_a_name(tmp_path):
    assert str(name_of(RunRequest(pack=str(tmp_path / "gone")))) == "gone"
    assert str(name_of(RunRequest(config=str(tmp_path / "ash" / "validate.yaml")))) == "ash"
    assert str(name_of(RunRequest())) == "pack"


@pytest.mark.parametrize(("pack_id", "slug"), [("Tiny_Library", "tiny-library"), ("__", "pack"), ("ö-ß", "pack")])
def test_a_slug_holds_only_what_prefect_allows(pack_id, slug):
    assert PackName(pack_id, None).slug == slug
