import json
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from assay.pack import load as loading
from assay.pack import tree as trees
from assay.pack.fingerprint import fingerprint
from assay.pack.snapshot import holds_its_identity, remove_snapshot, take_snapshot, worker_root
from tests.support.pack_files import BACKEND, FILES, HELD_OUT, TOOLS, codes, edit, load, write_pack


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def entries(folder):
    return sorted(path.name for path in folder.iterdir())


# Fingerprint


def test_it_is_the_same_wherever_the_pack_lies(tmp_path):
    for host in ("here", "there"):
        (tmp_path / host / "shared").mkdir(parents=True)
        (tmp_path / host / "shared" / "oracle.py").write_text(BACKEND)
        folder = write_pack(tmp_path / host / "pack")
        edit(folder / "manifest.yaml", "backend: backend.py", "backend: ../shared/oracle.py")
    first, second = (
        load(tmp_path / host / "pack", allowed_roots=(tmp_path / host / "shared",)).pack for host in ("here", "there")
    )
    assert first.fingerprint == second.fingerprint
    assert first.part_digests == second.part_digests
    assert len(first.fingerprint) == 64


def test_every_file_counts_and_caches_do_not(tmp_path):
    folder = write_pack(tmp_path / "pack")
    before = load(folder).pack.fingerprint
    for ignored in ("__pycache__/a.txt", ".git/HEAD", ".ipynb_checkpoints/x", "deep/__pycache__/y", "stray.pyc"):
        (folder / ignored).parent.mkdir(parents=True, exist_ok=True)
        (folder / ignored).write_text("x")
    assert load(folder).pack.fingerprint == before
    (folder / "deep" / "data.txt").write_text("x")
    added = load(folder).pack.fingerprint
    assert added != before
    (folder / "deep" / "data.txt").write_text("y")
    assert load(folder).pack.fingerprint not in (before, added)


def test_which_file_plays_which_role_counts(tmp_path):
    folder = write_pack(tmp_path / "pack")
    (folder / "other.json").write_text(TOOLS)
    plain = load(folder).pack
    swapped = load(folder, overrides={"tools": folder / "other.json"}).pack
    assert plain.fingerprint != swapped.fingerprint
    assert plain.part_digests["tools"] != swapped.part_digests["tools"]
    assert plain.part_digests["templates"] == swapped.part_digests["templates"]


def test_one_edit_moves_one_part(tmp_path):
    folder = write_pack(tmp_path / "pack")
    before = load(folder).pack.part_digests
    edit(folder / "fixtures.json", "first", "1st")
    after = load(folder).pack.part_digests
    assert {role for role in before if before[role] != after[role]} == {"fixtures", "tree"}


def test_what_was_left_out_counts(tmp_path):
    folder = write_pack(tmp_path / "pack")
    before = load(folder).pack.fingerprint
    (folder / "link").symlink_to("tools.json")
    assert load(folder).pack.fingerprint != before


def test_why_a_role_has_no_file_counts(tmp_path):
    folder = write_pack(tmp_path / "pack")
    edit(folder / "manifest.yaml", "tools: tools.json", "tools: ../shared/tools.json")
    outside = load(folder).pack
    missing = load(folder, allowed_roots=(tmp_path / "shared",)).pack
    assert outside.unusable == missing.unusable == {"tools"}
    assert outside.fingerprint != missing.fingerprint


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": b"xb\0y"}, {"a": b"x", "b": b"y"}),
        ({"ab": b"c"}, {"a": b"bc"}),
        ({"a": b"", "b": b""}, {"a": b"b"}),
        ({}, {"": b""}),
    ],
)
def test_contents_cannot_run_together(one, other):
    assert fingerprint(one, {}, []) != fingerprint(other, {}, [])


def test_a_role_is_no_file():
    assert fingerprint({"tools": b"x"}, {}, []) != fingerprint({}, {"tools": "x"}, [])
    assert fingerprint({}, {"tools": "x"}, []) != fingerprint({}, {}, [("x", "tools")])


def test_the_order_of_files_does_not_count():
    assert fingerprint({"a": b"1", "b": b"2"}, {}, []) == fingerprint({"b": b"2", "a": b"1"}, {}, [])


# Snapshot


def test_it_holds_the_pack_read_only(tmp_path):
    pack = load(write_pack(tmp_path / "pack")).pack
    assert pack.root == tmp_path / "snapshots" / pack.fingerprint
    assert names(pack.root) == sorted(FILES)
    for path in [pack.root, *pack.root.rglob("*")]:
        assert not stat.S_IMODE(path.stat().st_mode) & 0o222
    assert entries(pack.root.parent) == [pack.fingerprint, f"{pack.fingerprint}.json"]


def test_a_complete_one_is_used_again(tmp_path):
    folder = write_pack(tmp_path / "pack")
    root = load(folder).pack.root
    written = (root / "backend.py").stat()
    assert (load(folder).pack.root / "backend.py").stat().st_ino == written.st_ino


@pytest.mark.parametrize("damage", ["changed", "missing", "added", "linked", "file", "empty"])
def test_a_damaged_one_is_replaced(tmp_path, damage):
    folder = write_pack(tmp_path / "pack")
    root = load(folder).pack.root
    root.chmod(0o755)
    target = root / "backend.py"
    if damage == "changed":
        target.chmod(0o644)
        target.write_text(BACKEND.replace("copy", "ypoc"))
    elif damage in ("file", "empty"):
        for path in root.iterdir():
            path.unlink()
        root.rmdir()
        root.touch() if damage == "file" else root.mkdir()
    else:
        if damage != "added":
            target.unlink()
        if damage == "linked":
            target.symlink_to(folder / "backend.py")
        if damage == "added":
            (root / "more.py").write_text("x")
    again = load(folder).pack.root
    assert again == root
    assert names(again) == sorted(FILES)
    assert target.read_text() == BACKEND
    assert not target.is_symlink()
    assert entries(root.parent) == [root.name, f"{root.name}.json"]


def test_many_may_take_the_same_one_at_once(tmp_path):
    files = {f"deep/{number}.txt": b"x" * number for number in range(50)}
    with ThreadPoolExecutor(8) as pool:
        taken = list(pool.map(lambda _: take_snapshot(tmp_path / "s", "name", files), range(24)))
    assert set(taken) == {tmp_path / "s" / "name"}
    assert [path.name for path in (tmp_path / "s").iterdir()] == ["name"]


def test_a_store_that_cannot_be_written_is_no_finding(tmp_path):
    (tmp_path / "snapshots").write_text("a file where the folder should be")
    with pytest.raises(OSError, match="snapshots"):
        load(write_pack(tmp_path / "pack"))


# What workers see


def test_workers_see_the_snapshot_itself(tmp_path):
    pack = load(write_pack(tmp_path / "pack")).pack
    assert worker_root(pack, tmp_path / "snapshots") == pack.root


def test_workers_do_not_see_withheld_rows(tmp_path):
    pack = load(write_pack(tmp_path / "pack", held_out=HELD_OUT)).pack
    root = worker_root(pack, tmp_path / "snapshots")
    assert root == tmp_path / "snapshots" / f"{pack.fingerprint}-visible"
    assert [row["record_id"] for row in json.loads((root / "fixtures.json").read_text())["records"]] == ["REC-001"]
    assert (root / "backend.py").read_bytes() == (pack.root / "backend.py").read_bytes()
    assert names(root) == names(pack.root)
    assert worker_root(pack, tmp_path / "snapshots") == root
    assert "REC-002" in (pack.root / "fixtures.json").read_text()


# Bounds


def test_a_pack_of_too_many_bytes(tmp_path, monkeypatch):
    folder = write_pack(tmp_path / "pack")
    (folder / "big.bin").write_bytes(b"x" * 5000)
    monkeypatch.setattr(trees, "MAX_PACK_BYTES", sum(len(text) for text in FILES.values()) + 5000)
    assert load(folder).findings == ()
    monkeypatch.setattr(trees, "MAX_PACK_BYTES", 5000)
    result = load(folder)
    assert codes(result) == ["input_too_large"]
    assert names(result.pack.root) == sorted(FILES)
    assert result.pack.unusable == loading.CODE_ROLES
    assert len(result.pack.templates) == 4


# Checking and removing


@pytest.mark.parametrize("odd", ["nothing", "refused", "surrogate", "outside"])
def test_a_snapshot_holds_its_identity_whatever_the_pack_was_like(tmp_path, odd):
    folder = write_pack(tmp_path / "pack")
    (tmp_path / "shared").mkdir()
    match odd:
        case "refused":
            (folder / "link").symlink_to("tools.json")
        case "surrogate":
            (folder / "\udc80.txt").write_text("x")
        case "outside":
            edit(folder / "manifest.yaml", "tools: tools.json", "tools: ../shared/tools.json")
            (tmp_path / "shared" / "tools.json").write_text(json.dumps(TOOLS))
    pack = load(folder, allowed_roots=(tmp_path / "shared",)).pack
    assert holds_its_identity(pack.root) is True
    (pack.root / "backend.py").chmod(0o644)
    (pack.root / "backend.py").write_text(f"{BACKEND}\n")
    assert holds_its_identity(pack.root) is False


@pytest.mark.parametrize("note", [None, "torn", "{}", '{"roles": [], "refused": [1]}'])
def test_without_its_note_nobody_can_say(tmp_path, note):
    root = load(write_pack(tmp_path / "pack")).pack.root
    file = root.with_name(f"{root.name}.json")
    file.unlink() if note is None else file.write_text(note)
    assert holds_its_identity(root) is None


def test_a_copy_without_withheld_rows_is_its_packs_in_all_but_the_fixtures(tmp_path):
    pack = load(write_pack(tmp_path / "pack", held_out=HELD_OUT)).pack
    visible = worker_root(pack, pack.root.parent)
    assert visible != pack.root
    assert holds_its_identity(visible) is True
    (visible / "backend.py").chmod(0o644)
    (visible / "backend.py").write_text("")
    assert holds_its_identity(visible) is False


def test_a_removed_snapshot_takes_its_note_along(tmp_path):
    root = load(write_pack(tmp_path / "pack")).pack.root
    remove_snapshot(root)
    assert entries(root.parent) == []
    remove_snapshot(root)


def test_a_pack_of_too_many_entries(tmp_path, monkeypatch):
    folder = write_pack(tmp_path / "pack")
    (folder / ".git").mkdir()
    for number in range(20):
        (folder / ".git" / str(number)).touch()
    monkeypatch.setattr(trees, "MAX_PACK_ENTRIES", len(FILES))
    assert load(folder).findings == ()
    (folder / "one more").touch()
    assert codes(load(folder)) == ["input_too_large"]


def test_the_manifest_of_a_pack_that_is_too_large_is_still_read(tmp_path, monkeypatch):
    folder = write_pack(tmp_path / "pack", tools=None)
    monkeypatch.setattr(trees, "MAX_PACK_ENTRIES", 2)
    result = load(folder)
    assert codes(result) == ["input_too_large", "missing_pack_file"]
    assert result.pack.manifest.pack_id == "records_desk"
