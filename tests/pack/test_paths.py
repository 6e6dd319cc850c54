import os
import socket
import tempfile
from pathlib import Path

import pytest

from assay.findings import Place
from tests.support.pack_files import BACKEND, HELD_OUT, MANIFEST, TOOLS, codes, edit, load, only, spoil, write_pack

M = "manifest.yaml"


@pytest.fixture
def folder(tmp_path):
    return write_pack(tmp_path / "pack")


@pytest.fixture
def elsewhere(tmp_path):
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / "tools.json").write_text(TOOLS)
    (folder / "oracle.py").write_text(BACKEND)
    return folder


# Which file


def test_default_names_need_no_declaration(tmp_path):
    manifest = MANIFEST[: MANIFEST.index("paths:")] + MANIFEST[MANIFEST.index("primary_keys:") :]
    result = load(write_pack(tmp_path / "pack", manifest=manifest))
    assert result.findings == ()
    assert (result.pack.paths.backend, result.pack.paths.endpoint) == ("backend.py", None)
    assert result.pack.paths.fixtures == "fixtures.json"


def test_declared_names_are_used(folder):
    (folder / "data").mkdir()
    (folder / "tools.json").rename(folder / "data" / "my tools.json")
    edit(folder / M, "tools: tools.json", "tools: data/../data/my tools.json")
    result = load(folder)
    assert result.findings == ()
    assert result.pack.paths.tools == "data/my tools.json"
    assert result.pack.tools[0].at.place("function").file == "data/my tools.json"


def test_an_absolute_path_inside_the_pack_is_the_same_as_a_relative_one(folder):
    edit(folder / M, "tools: tools.json", f"tools: {folder}/tools.json")
    assert load(folder).pack.paths.tools == "tools.json"


def test_the_run_config_comes_before_the_manifest(folder):
    (folder / "other.json").write_text(TOOLS.replace("get_record", "fetch_record"))
    result = load(folder, overrides={"tools": folder / "other.json"})
    assert result.pack.paths.tools == "other.json"
    assert result.pack.tools[0].name == "fetch_record"


@pytest.mark.parametrize("value", ["", "null"])
def test_an_empty_declaration_means_the_default(folder, value):
    edit(folder / M, "tools: tools.json", f"tools: {value}")
    assert load(folder).findings == ()


@pytest.mark.parametrize("value", ["[tools.json]", "5", "'  '", '"a\\0b"'])
def test_a_declaration_that_is_no_path(folder, value):
    place = spoil(folder, M, "tools: tools.json", f"tools: §{value}")
    result = load(folder)
    assert only(result, "wrong_type").place == place
    assert result.pack.unusable == {"tools"}


@pytest.mark.parametrize("value", ["[]", "5", "text"])
def test_paths_that_are_no_mapping(tmp_path, value):
    manifest = MANIFEST[: MANIFEST.index("paths:")] + f"paths: {value}\n" + MANIFEST[MANIFEST.index("primary_keys:") :]
    result = load(write_pack(tmp_path / "pack", manifest=manifest))
    assert codes(result) == ["wrong_type"]
    assert result.pack.paths.tools == "tools.json"


# Whether it is there


def test_a_missing_file_is_told_where_it_is_declared(folder):
    (folder / "tools.json").unlink()
    place = spoil(folder, M, "tools: tools.json", "tools: §gone.json")
    found = only(load(folder), "missing_pack_file")
    assert found.place == place
    assert '"gone.json"' in found.message


def test_a_missing_file_of_the_run_config_is_named_without_its_folder(folder, tmp_path):
    found = only(load(folder, overrides={"tools": folder / "gone.json"}), "missing_pack_file")
    assert found.message == 'The tools file "gone.json" of the run config does not exist.'


def test_a_declared_fixtures_file_must_exist_and_an_undeclared_one_need_not(folder):
    (folder / "fixtures.json").unlink()
    assert "missing_pack_file" in codes(load(folder))
    edit(folder / M, "  fixtures: fixtures.json\n", "")
    assert "missing_pack_file" not in codes(load(folder))


@pytest.mark.parametrize("value", [".", "data", "data/"])
def test_a_folder_where_a_file_belongs(folder, value):
    (folder / "data").mkdir()
    place = spoil(folder, M, "tools: tools.json", f"tools: §{value}")
    assert only(load(folder), "not_a_file").place == place


def test_a_manifest_that_is_a_folder(folder):
    (folder / M).unlink()
    (folder / M).mkdir()
    result = load(folder)
    assert result.pack is None
    assert codes(result) == ["not_a_file"]


def test_a_name_that_is_too_long(folder):
    spoil(folder, M, "tools: tools.json", f"tools: §{'x' * 5000}")
    assert "missing_pack_file" in codes(load(folder))


def test_a_file_in_an_ignored_folder_is_no_part_of_the_pack(folder):
    (folder / "__pycache__").mkdir()
    (folder / "tools.json").rename(folder / "__pycache__" / "tools.json")
    edit(folder / M, "tools: tools.json", "tools: __pycache__/tools.json")
    assert "no part of a pack" in only(load(folder), "missing_pack_file").message


# Transports


def test_both_transports_declared(folder):
    (folder / "endpoint.yaml").write_text("protocol_version: x\n")
    place = spoil(folder, M, "  backend: backend.py", "  backend: backend.py\n  §endpoint: endpoint.yaml")
    result = load(folder)
    assert only(result, "both_transports_declared").place == place
    assert (result.pack.paths.backend, result.pack.paths.endpoint) == ("backend.py", None)


def test_both_default_transport_files(folder):
    (folder / "endpoint_config.yaml").write_text("{}\n")
    edit(folder / M, "  backend: backend.py\n", "")
    result = load(folder)
    assert only(result, "transport_not_declared").place == Place(M, 6, 1)
    assert result.pack.paths.backend == "backend.py"


def test_an_endpoint_alone(folder):
    (folder / "endpoint_config.yaml").write_text("{}\n")
    edit(folder / M, "  backend: backend.py\n", "")
    (folder / "backend.py").unlink()
    result = load(folder)
    assert result.findings == ()
    assert (result.pack.paths.backend, result.pack.paths.endpoint) == (None, "endpoint_config.yaml")


def test_no_transport_at_all_is_left_to_the_check_of_the_oracle(folder):
    edit(folder / M, "  backend: backend.py\n", "")
    (folder / "backend.py").unlink()
    result = load(folder)
    assert result.findings == ()
    assert (result.pack.paths.backend, result.pack.paths.endpoint) == (None, None)


def test_the_run_config_may_name_the_other_transport(folder):
    (folder / "endpoint.yaml").write_text("{}\n")
    result = load(folder, overrides={"endpoint": folder / "endpoint.yaml"})
    assert result.findings == ()
    assert (result.pack.paths.backend, result.pack.paths.endpoint) == (None, "endpoint.yaml")


def test_an_endpoint_file_that_is_no_mapping(folder):
    (folder / "endpoint.yaml").write_text("[]\n")
    edit(folder / M, "backend: backend.py", "endpoint: endpoint.yaml")
    result = load(folder)
    assert only(result, "wrong_type").place == Place("endpoint.yaml", 1, 1)
    assert result.pack.unusable == {"endpoint"}


# System prompt, held-out policy


def test_the_system_prompt_of_a_file(folder):
    (folder / "prompt.txt").write_text("You answer.\n")
    edit(folder / M, "clock:", "system_prompt_path: prompt.txt\nclock:")
    loaded = load(folder).pack
    assert loaded.manifest.system_prompt == "You answer.\n"
    assert loaded.paths.system_prompt == "prompt.txt"


def test_an_inline_prompt_beats_a_file_and_says_so(folder):
    (folder / "prompt.txt").write_text("file")
    place = spoil(folder, M, "clock:", "system_prompt: inline\n§system_prompt_path: prompt.txt\nclock:")
    result = load(folder)
    assert only(result, "ignored_field").place == place
    assert result.pack.manifest.system_prompt == "inline"


def test_a_blank_prompt_file_is_no_prompt(folder):
    (folder / "prompt.txt").write_text(" \n")
    edit(folder / M, "clock:", "system_prompt_path: prompt.txt\nclock:")
    result = load(folder)
    assert only(result, "blank_text").place == Place("prompt.txt", 1, 1)
    assert result.pack.manifest.system_prompt is None


def test_a_prompt_file_that_is_no_text(folder):
    (folder / "prompt.txt").write_bytes(b"\xff")
    edit(folder / M, "clock:", "system_prompt_path: prompt.txt\nclock:")
    result = load(folder)
    assert codes(result) == ["not_utf8"]
    assert result.pack.unusable == {"system_prompt"}


@pytest.mark.parametrize("value", ["''", "0", "false", "[]"])
def test_a_held_out_declaration_that_is_no_path(tmp_path, value):
    manifest = MANIFEST + f"held_out: {value}\n"
    result = load(write_pack(tmp_path / "pack", manifest=manifest))
    assert only(result, "wrong_type").place.line == MANIFEST.count("\n") + 1
    assert result.pack.held_out is None


def test_the_source_of_a_policy_has_forward_slashes(tmp_path):
    manifest = MANIFEST + "held_out: ./held_out.yaml\n"
    loaded = load(write_pack(tmp_path / "pack", manifest=manifest, held_out=HELD_OUT)).pack
    assert loaded.held_out.source == "./held_out.yaml"


# Links and roots


def test_a_file_outside_the_pack_is_refused(folder, elsewhere):
    place = spoil(folder, M, "tools: tools.json", "tools: §../shared/tools.json")
    result = load(folder)
    assert only(result, "path_outside_roots").place == place
    assert result.pack.unusable == {"tools"}


def test_a_file_in_an_allowed_root_is_read_and_gets_a_name_of_its_own(folder, elsewhere):
    edit(folder / M, "tools: tools.json", "tools: ../shared/tools.json")
    result = load(folder, allowed_roots=(elsewhere,))
    assert result.findings == ()
    assert result.pack.paths.tools == ".declared/tools/tools.json"
    assert (result.pack.root / result.pack.paths.tools).read_text() == TOOLS


def test_an_allowed_root_may_be_reached_through_a_link_above_it(folder, elsewhere, tmp_path):
    (tmp_path / "alias").symlink_to(elsewhere)
    edit(folder / M, "tools: tools.json", "tools: ../alias/tools.json")
    assert load(folder, allowed_roots=(tmp_path / "alias",)).findings == ()


def test_a_link_in_an_allowed_root_is_refused(folder, elsewhere):
    (elsewhere / "link.json").symlink_to(elsewhere / "tools.json")
    place = spoil(folder, M, "tools: tools.json", "tools: §../shared/link.json")
    assert only(load(folder, allowed_roots=(elsewhere,)), "symbolic_link").place == place


@pytest.mark.parametrize("name", ["gone.json", "."])
def test_what_is_no_file_in_an_allowed_root(folder, elsewhere, name):
    edit(folder / M, "tools: tools.json", f"tools: ../shared/{name}")
    expected = "missing_pack_file" if name == "gone.json" else "not_a_file"
    assert expected in codes(load(folder, allowed_roots=(elsewhere,)))


def test_links_are_refused_wherever_they_stand(folder):
    (folder / "notes").mkdir()
    (folder / "notes" / "link").symlink_to("../tools.json")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "hidden").symlink_to("..")
    result = load(folder)
    assert [(found.code, found.place.file) for found in result.findings] == [
        ("symbolic_link", "__pycache__/hidden"),
        ("symbolic_link", "dangling"),
        ("symbolic_link", "notes/link"),
    ]
    assert not (result.pack.root / "dangling").is_symlink()


def test_a_linked_role_file_is_one_finding(folder, tmp_path):
    (folder / "tools.json").rename(tmp_path / "real.json")
    (folder / "tools.json").symlink_to(tmp_path / "real.json")
    result = load(folder)
    assert codes(result) == ["symbolic_link"]
    assert result.pack.unusable == {"tools"}


def test_a_linked_folder_is_not_followed(folder, elsewhere):
    (folder / "data").symlink_to(elsewhere)
    edit(folder / M, "tools: tools.json", "tools: data/tools.json")
    result = load(folder)
    assert codes(result) == ["symbolic_link"]
    assert result.pack.unusable == {"tools"}


def test_a_linked_manifest_gives_no_pack(folder, tmp_path):
    (folder / M).rename(tmp_path / "real.yaml")
    (folder / M).symlink_to(tmp_path / "real.yaml")
    result = load(folder)
    assert result.pack is None
    assert codes(result) == ["symbolic_link"]


def test_a_pack_folder_may_itself_be_reached_through_a_link(folder, tmp_path):
    direct = load(folder)
    (tmp_path / "alias").symlink_to(folder)
    through = load(tmp_path / "alias")
    assert through.findings == ()
    assert through.pack.fingerprint == direct.pack.fingerprint


def test_pipes_and_sockets_are_left_out_and_never_opened(folder, monkeypatch):
    os.mkfifo(folder / "pipe")
    monkeypatch.chdir(folder)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        result = load(folder)
    assert [(each.code, each.severity, each.place) for each in result.findings] == [
        ("special_file", "warning", Place("pipe", 1, 1)),
        ("special_file", "warning", Place("socket", 1, 1)),
    ]
    assert not (result.pack.root / "pipe").exists()


def test_a_pipe_as_a_role_file(folder):
    (folder / "tools.json").unlink()
    os.mkfifo(folder / "tools.json")
    result = load(folder)
    assert result.pack.unusable == {"tools"}


def test_a_reserved_name(folder):
    (folder / ".declared").mkdir()
    (folder / ".declared" / "x").write_text("x")
    result = load(folder)
    assert only(result, "reserved_name").place == Place(".declared", 1, 1)
    assert not (result.pack.root / ".declared").exists()


def test_a_file_name_that_is_no_text(folder):
    (folder / os.fsdecode(b"\xff.txt")).write_text("x")
    result = load(folder)
    assert codes(result) == ["file_name_not_text"]
    assert result.findings[0].place == Place("\\xff.txt", 1, 1)


@pytest.fixture
def without_privileges():
    """A folder that nobody in particular may use, and a process that is nobody in particular."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        yield folder
        if is_root:
            os.seteuid(0)


def test_what_cannot_be_read_is_reported(without_privileges):
    folder = write_pack(without_privileges / "pack")
    (folder / "secret").mkdir()
    (folder / "secret").chmod(0)
    (folder / "tools.json").chmod(0)
    result = load(folder)
    (folder / "secret").chmod(0o700)
    assert [(found.code, found.place.file) for found in result.findings] == [
        ("unreadable_file", "secret"),
        ("unreadable_file", "tools.json"),
    ]
    assert result.pack.unusable == {"tools"}


def test_a_file_in_an_allowed_root_that_cannot_be_read(without_privileges):
    folder = write_pack(without_privileges / "pack")
    (without_privileges / "tools.json").write_text(TOOLS)
    (without_privileges / "tools.json").chmod(0)
    place = spoil(folder, M, "tools: tools.json", "tools: §../tools.json")
    assert only(load(folder, allowed_roots=(without_privileges,)), "unreadable_file").place == place
