"""Hostile packs through the real command: it ends in bounded time and memory, with a report or one line, and no trace.

What each code means at its edges is tested beside the part that finds it; here stands what only the whole shows. Faults
share a pack where they cannot hide one another, because each test starts a process.
"""

import json
import os
import socket

import pytest

from tests.bad_input.command import Desk
from tests.support.packs import TINY_LIBRARY, copy_of_tiny_library

LONGEST_S = 60
"""Ten to thirty times what these packs take on an idle machine; tests share theirs with others."""

MOST_BYTES = 400 * 1024 * 1024
"""The command needs 105 MB for a small pack. A worker that runs pack code has a limit of its own, 1 GiB."""


@pytest.fixture
def desk(tmp_path):
    return Desk.set_up(tmp_path)


@pytest.fixture
def pack(desk):
    return copy_of_tiny_library(desk.packs / "pack")


def judged(desk, *arguments):
    """Validate, expect a verdict within bounds and nothing left behind, and return what was observed."""
    observed = desk.validate(*arguments)
    assert observed.exit_code in (0, 2), observed.stderr
    assert observed.report["status"] == {0: "gold", 2: "not_gold"}[observed.exit_code]
    assert observed.stderr == ""
    assert "internal_error" not in observed.codes
    assert_bounded(observed)
    return observed


def assert_bounded(observed):
    assert observed.seconds < LONGEST_S
    assert observed.peak_bytes < MOST_BYTES
    assert observed.left == ()


def files_of(observed, code):
    return sorted(each["file"] for each in observed.report["findings"] if each["code"] == code)


def edit(file, old, new):
    text = file.read_bytes()
    assert old in text
    file.write_bytes(text.replace(old, new, 1))


# Files that are too much


def test_a_hundred_megabytes_of_yaml(desk, pack):
    (pack / "task_templates.yaml").write_bytes(b"- {a: 1}\n" * (100 * 1024 * 1024 // 9))
    assert judged(desk, pack).codes == ["input_too_large"]


def test_a_pack_of_more_bytes_than_are_read(desk, pack):
    for number in range(14):
        with (pack / f"{number}.bin").open("wb") as file:
            file.truncate(10_000_000)
    assert "input_too_large" in judged(desk, pack).codes


def test_a_million_levels_in_every_file(desk, pack):
    (pack / "task_templates.yaml").write_bytes(b"[" * 10**6)
    (pack / "validation_cases.yaml").write_bytes(b"- " * 10**6 + b"x")
    (pack / "tools.json").write_bytes(b"[" * 10**6 + b"]" * 10**6)
    (pack / "fixtures.json").write_bytes(b'{"a":' * 10**6 + b"1" + b"}" * 10**6)
    (pack / "backend.py").write_bytes(b"x = " + b"(" * 10**6)
    (pack / "assertions.py").write_bytes(b"x = " + b"-" * 10**6 + b"1")
    observed = judged(desk, pack)
    deep = ["fixtures.json", "task_templates.yaml", "tools.json", "validation_cases.yaml"]
    assert files_of(observed, "input_too_deep") == deep
    assert {"list_tools_failed", "assertions_import_failed"} <= set(observed.codes)


def test_bombs_and_numbers_without_end(desk, pack):
    levels = [b"l0: &l0 [x, x, x, x, x, x, x, x, x, x]\n"]
    levels += [b"l%d: &l%d [%s]\n" % (n, n, b", ".join([b"*l%d" % (n - 1)] * 10)) for n in range(1, 12)]
    (pack / "task_templates.yaml").write_bytes(b"".join(levels))
    edit(pack / "fixtures.json", b'"copies": 2', b'"copies": ' + b"9" * 10**5)
    edit(pack / "fixtures.json", b'"copies": 1', b'"copies": 1e999')
    edit(pack / "validation_cases.yaml", b"BK-ABSENT-1", b"9" * 10**5)
    observed = judged(desk, pack)
    assert files_of(observed, "input_too_large") == ["task_templates.yaml"]
    assert files_of(observed, "number_too_long") == ["fixtures.json", "validation_cases.yaml"]
    assert files_of(observed, "non_finite_number") == ["fixtures.json"]


def test_a_tool_of_the_longest_name_with_hundreds_of_faults(desk, pack):
    tools = json.loads((pack / "tools.json").read_text())
    broken = {"type": "strin", "enum": [], "minLength": "a", "pattern": "(", "items": 3, "properties": 4}
    tools[0]["function"]["name"] = "n" * 500
    tools[0]["function"]["parameters"]["properties"] = {f"p{index}": broken for index in range(600)}
    (pack / "tools.json").write_text(json.dumps(tools))
    observed = judged(desk, pack)
    assert len(observed.stdout) < 16 * 1024 * 1024
    assert "further_findings" in observed.codes


def test_more_files_than_are_counted(desk, pack):
    for number in range(20_100):
        (pack / f"{number}").touch()
    assert "input_too_large" in judged(desk, pack).codes


def test_folders_deeper_than_a_path_can_be_long(desk, pack):
    descriptor, name = os.open(pack, os.O_RDONLY), "d" * 250
    for _ in range(20):
        os.mkdir(name, dir_fd=descriptor)
        below = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)
    assert judged(desk, pack).codes == ["unreadable_file"]


# Files that are no text


def test_every_file_damaged_in_another_way(desk, pack):
    (pack / "tools.json").write_bytes(b"\0" + (pack / "tools.json").read_bytes())
    (pack / "fixtures.json").write_bytes((pack / "fixtures.json").read_text().encode("utf-16"))
    (pack / "task_templates.yaml").write_bytes(b"\xef\xbb\xbf" + (pack / "task_templates.yaml").read_bytes())
    (pack / "validation_cases.yaml").write_bytes(b"\xff" + (pack / "validation_cases.yaml").read_bytes())
    (pack / "backend.py").write_bytes(b"\0")
    (pack / "assertions.py").write_bytes(b"# -*- coding: no-such-codec -*-\n")
    observed = judged(desk, pack)
    assert files_of(observed, "control_character") == ["tools.json"]
    assert files_of(observed, "not_utf8") == ["fixtures.json", "validation_cases.yaml"]
    assert files_of(observed, "byte_order_mark") == ["task_templates.yaml"]
    assert {"list_tools_failed", "assertions_import_failed"} <= set(observed.codes)


def test_keys_and_texts_that_are_nearly_the_same_or_no_characters(desk, pack):
    twins = '"copies": 2, "caf\u00e9": 1, "cafe\u0301": 2, "copies": 2, "\\ud800": 1, "text": "\\udfff"'
    edit(pack / "fixtures.json", b'"copies": 2', twins.encode())
    edit(pack / "task_templates.yaml", b"  intent:", b"  intent: twice\n  intent:")
    observed = judged(desk, pack)
    assert files_of(observed, "duplicate_key") == ["fixtures.json", "task_templates.yaml"]
    assert files_of(observed, "lone_surrogate") == ["fixtures.json", "fixtures.json"]


@pytest.mark.parametrize("ending", [b"\r\n", b"\r"])
def test_other_line_endings_are_gold(desk, pack, ending):
    for file in pack.iterdir():
        if ending == b"\r\n" or file.suffix in (".yaml", ".json"):
            file.write_bytes(file.read_bytes().replace(b"\n", ending))
    assert judged(desk, pack).exit_code == 0


def test_all_files_empty_but_the_manifest(desk, pack):
    for file in pack.iterdir():
        if file.name != "manifest.yaml":
            file.write_bytes(b"")
    observed = judged(desk, pack)
    assert files_of(observed, "json_syntax") == ["fixtures.json", "tools.json"]
    assert "no_templates" in observed.codes


@pytest.mark.parametrize("role", ["assertions.py", "backend.py", "task_templates.yaml", "validation_cases.yaml"])
def test_one_file_cut_short(desk, pack, role):
    file = pack / role
    file.write_bytes(file.read_bytes()[: file.stat().st_size * 2 // 3])
    assert judged(desk, pack).exit_code == 2


# Things that are no files


def test_whatever_may_stand_in_a_folder(desk, pack, monkeypatch):
    os.mkfifo(pack / "pipe")
    (pack / "loop").symlink_to("loop")
    (pack / "up").symlink_to("..")
    (pack / "two\nlines").touch()
    (pack / "e\u0301.txt").touch()
    (pack / "\u00e9.txt").touch()
    (pack / os.fsdecode(b"\xff")).touch()
    monkeypatch.chdir(pack)  # the address of a socket is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        observed = judged(desk, pack)
    assert files_of(observed, "special_file") == ["pipe", "socket"]
    assert files_of(observed, "symbolic_link") == ["loop", "up"]
    assert files_of(observed, "file_name_not_text") == ["\\xff", "two\\nlines"]
    assert observed.exit_code == 2


def test_roles_that_lead_elsewhere(desk, pack):
    (pack / "fixtures.json").unlink()
    (pack / "fixtures.json").symlink_to("/etc/passwd")
    (pack / "assertions.py").unlink()
    os.mkfifo(pack / "assertions.py")
    (pack / "validation_cases.yaml").unlink()
    (pack / "validation_cases.yaml").mkdir()
    edit(pack / "manifest.yaml", b"tools: tools.json", b"tools: /dev/zero")
    edit(pack / "manifest.yaml", b"templates: task_templates.yaml", b"templates: ../../../../../../etc/passwd")
    observed = judged(desk, pack)
    assert files_of(observed, "symbolic_link") == ["fixtures.json"]
    assert files_of(observed, "special_file") == ["assertions.py"]
    assert files_of(observed, "not_a_file") == ["manifest.yaml"]
    assert files_of(observed, "path_outside_roots") == ["manifest.yaml", "manifest.yaml"]
    assert "root:" not in observed.stdout


def without_manifest(manifest):
    pass


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (without_manifest, "missing_pack_file"),
        (lambda manifest: manifest.mkdir(), "not_a_file"),
        (os.mkfifo, "special_file"),
        (lambda manifest: manifest.symlink_to("/etc/passwd"), "symbolic_link"),
        (lambda manifest: manifest.write_bytes(b""), "wrong_type"),
        (lambda manifest: manifest.write_bytes(b"pack_id: \0"), "control_character"),
        (lambda manifest: manifest.write_bytes("pack_id: x".encode("utf-16")), "not_utf8"),
        (lambda manifest: manifest.write_bytes(b"{a: " * 10**6), "input_too_deep"),
    ],
    ids=["missing", "folder", "pipe", "link", "empty", "nul", "utf-16", "deep"],
)
def test_a_manifest_that_is_none(desk, pack, make, code):
    manifest = pack / "manifest.yaml"
    manifest.unlink()
    make(manifest)
    observed = judged(desk, pack)
    assert (observed.codes, observed.report["pack_id"]) == ([code], None)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_files_that_may_not_be_read(desk, pack):
    (pack / "tools.json").chmod(0)
    (pack / "folder").mkdir(mode=0)
    assert files_of(judged(desk, pack), "unreadable_file") == ["folder", "tools.json"]


# No verdict: one line, exit code 1


def refused(desk, *arguments):
    """Validate, expect no verdict and one line that says why; return the line."""
    observed = desk.run("validate", *arguments, "--json")
    assert observed.exit_code == 1, observed.stdout
    assert observed.report["status"] == "error"
    assert observed.stderr == f"assay: {observed.report['reason']}\n"
    assert "fault of assay" not in observed.stderr
    assert_bounded(observed)
    return observed.report["reason"]


@pytest.mark.parametrize("place", ["/dev/null", "/dev/zero", "nowhere", "x" * 5000, "a\nb"])
def test_a_pack_that_is_no_pack(desk, place):
    assert "\n" not in refused(desk, place, "--output-dir", desk.output).replace("a\nb", "")


@pytest.mark.parametrize("option", ["--output-dir", "--root"])
@pytest.mark.parametrize("place", ["packs/pack/out", "/dev/null/out", "/proc/out", "x" * 5000])
def test_a_place_for_output_that_is_none(desk, pack, option, place):
    refused(desk, pack, option, place)


CONFIGS = {
    "deep": b"[" * 10**6,
    "large": b"a: b\n" * (20 * 1024 * 1024 // 5),
    "nul": b"\0",
    "bomb": b"a: &a [" + b"x," * 100 + b"]\nb: [" + b"*a," * 10**5 + b"]",
    "endless": b"random_seed: " + b"9" * 10**5,
    "infinite": b"oracle_runtime: {tool_timeout_s: 1e999}",
    "path": b'oracle_pack: {manifest_path: "a\\0b"}',
    "long path": b"oracle_pack: {manifest_path: " + b"x" * 5000 + b"}",
    "list": b"- 1",
}


@pytest.mark.parametrize("source", CONFIGS.values(), ids=CONFIGS)
def test_a_run_config_that_cannot_be_used(desk, source):
    config = desk.packs / "run.yaml"
    config.write_bytes(source)
    lines = refused(desk, "--config", config).splitlines()
    assert len(lines) == 1 or all(line.startswith("  ") for line in lines[1:])


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_a_run_config_that_is_no_file(desk, kind):
    config = desk.packs / "run.yaml"
    if kind == "pipe":
        os.mkfifo(config)
    elif kind == "folder":
        config.mkdir()
    else:
        config.symlink_to("/dev/zero")
    assert "cannot be read" in refused(desk, "--config", config)


# What a terminal and other readers get


def test_a_pack_cannot_command_the_terminal(desk, pack):
    edit(pack / "manifest.yaml", b"pack_id: tiny_library", b'pack_id: "a\\e[31m\\u202e\\0[/red]"')
    edit(pack / "task_templates.yaml", b"turn_policy: single_turn", b'turn_policy: "[/bold]\\e[2J"')
    (pack / "\x1b[2J").touch()
    observed = desk.run("validate", pack, "--output-dir", desk.output)
    assert observed.exit_code == 2
    assert not {"\x1b", "\0", "\u202e"} & set(observed.stdout + observed.stderr)
    assert "a\u241b[31m\ufffd\u2400[/red]" in observed.stdout
    assert "\\x1b[2J" in observed.stdout
    assert_bounded(observed)


@pytest.mark.parametrize("output_format", ["sarif", "github"])
def test_annotations_of_a_hostile_pack_stay_one_line_each(desk, pack, output_format):
    (pack / "a\n::error::b").symlink_to("x")
    edit(pack / "task_templates.yaml", b"turn_policy: single_turn", b'turn_policy: "x\\n::error::y"')
    observed = desk.run("validate", pack, "--output-dir", desk.output, "--format", output_format)
    assert (observed.exit_code, observed.stderr) == (2, "")
    if output_format == "github":
        assert all(line.startswith("::error ") for line in observed.stdout.splitlines())
        assert "\n::error::" not in observed.stdout
    else:
        json.loads(observed.stdout)


def test_the_unbroken_pack_is_gold_on_the_same_desk(desk):
    assert judged(desk, TINY_LIBRARY).exit_code == 0
