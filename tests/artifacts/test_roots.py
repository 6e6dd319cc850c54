from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.artifacts.roots import RootError, is_shared, normal_root
from tests.support.packs import TINY_LIBRARY


def test_a_folder_becomes_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert normal_root("store") == str(tmp_path / "store")
    assert normal_root(Path("store")) == str(tmp_path / "store")


@pytest.mark.parametrize("url", ["file:///srv/a%20store", "file://localhost/srv/a%20store"])
def test_a_file_url_is_a_folder(url):
    assert normal_root(url) == "/srv/a store"
    assert not is_shared(normal_root(url))


@pytest.mark.parametrize(
    "url", ["s3://bucket", "s3://bucket/a/b", "s3://bucket/a?endpoint_override=10.0.0.7:9000&scheme=http&region=x"]
)
def test_an_s3_url_stays_what_it_is(url):
    assert normal_root(url) == url
    assert is_shared(url)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("gs://bucket/store", "gs:// is none of these"),
        ("file://elsewhere/srv", "not on elsewhere"),
        ("s3://", "s3://BUCKET/PREFIX"),
        ("s3:///store", "s3://BUCKET/PREFIX"),
        ("s3://bucket/store#part", "s3://BUCKET/PREFIX"),
        ("s3://key:hush@bucket/store", "no credentials"),
        ("s3://bucket/store?secret_key=hush", "not secret_key"),
        ("s3://bucket/store?region=x&access_key=hush", "not access_key"),
    ],
)
def test_what_cannot_be_a_root_is_refused_and_no_secret_is_repeated(url, why):
    with pytest.raises(RootError, match=why) as refused:
        normal_root(url)
    assert "hush" not in str(refused.value)


def test_a_local_root_imports_nothing_of_an_object_store(tmp_path):
    code = (
        "import sys; from assay import validate;"
        f"assert validate({str(TINY_LIBRARY)!r}, root={str(tmp_path)!r}).status == 'gold';"
        "print([each for each in sys.modules if 'artifacts.shared' in each])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"
