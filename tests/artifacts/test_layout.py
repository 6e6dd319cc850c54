import pytest

from assay.artifacts.layout import file_at, list_files, place_of

KEY = "0a" * 32


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (f"stage=bind/pack_id=bank/{KEY}.parquet", "main"),
        (f"stage=bind/pack_id=bank/{KEY}.findings.parquet", "table"),
        (f"provisional/r1/stage=bind/pack_id=bank/{KEY}.parquet", "main"),
        (f"stage=bind/{KEY}.parquet", "unknown"),
        (f"stage=bind/pack_id=bank/deep/{KEY}.parquet", "unknown"),
        ("stage=bind/pack_id=bank/0a.parquet", "unknown"),
        ("provisional/r1", "unknown"),
        ("runs/r1/run.json", "record"),
        ("runs/r1/batch.json", "record"),
        ("runs/r1/stage-schema_check.json", "record"),
        ("runs/r1/notes.txt", "unknown"),
        ("runs/run.json", "unknown"),
        ("batches/b1.parquet", "record"),
        ("snapshots/0a/tools.json", "snapshot"),
        ("snapshots/0a/deep/stage-x.json", "snapshot"),
        ("snapshots/0a.json", "snapshot"),
        ("snapshots/.0a.77/tools.json", "temporary"),
        ("modules/0a.json", "modules"),
        (f"prefect/{KEY}", "prefect"),
        (f"stage=bind/pack_id=bank/.{KEY[:40]}.77.tmp", "temporary"),
        ("runs/r1/.run.json.77.tmp", "temporary"),
        ("README.md", "unknown"),
        ("snapshots", "unknown"),
    ],
)
def test_a_file_is_what_its_place_says(path, kind):
    assert file_at(path).kind == kind


def test_a_table_knows_where_it_belongs():
    found = file_at(f"provisional/r1/stage=bind/pack_id=bank/{KEY}.parquet")
    assert (found.stage, found.pack, found.key, found.run) == ("bind", "bank", KEY, "r1")


@pytest.mark.parametrize("root", ["/srv/old", "relative", "s3://bucket/prefix", ""])
@pytest.mark.parametrize(
    "place", [f"stage=a/pack_id=b/{KEY}.parquet", f"provisional/r/stage=a/pack_id=b/{KEY}.parquet"]
)
def test_an_artifact_is_found_wherever_its_store_was_when_it_was_recorded(root, place):
    assert place_of(f"{root}/{place}" if root else place) == place


def test_what_is_no_artifact_has_no_place():
    assert place_of("/srv/old/runs/r1/run.json") is None


def test_listing_follows_no_link(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("x")
    store = tmp_path / "store"
    store.mkdir()
    (store / "link").symlink_to(tmp_path / "elsewhere")
    (store / "loop").symlink_to(store)
    assert [each.path for each in list_files(store)] == []
    with pytest.raises(FileNotFoundError):
        list(list_files(tmp_path / "nothing"))
