import importlib.util
import json
import subprocess
import sys

import pytest

from .conftest import PACKS


@pytest.fixture(scope="module")
def derive_tools():
    spec = importlib.util.spec_from_file_location("derive_tools", PACKS / "derive_tools.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["derive_tools"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["derive_tools"]


def test_bundled_tools_are_what_the_installed_docs_give():
    finished = subprocess.run(
        [sys.executable, "-B", str(PACKS / "derive_tools.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert (finished.returncode, finished.stderr) == (0, "")


def test_check_names_a_stale_file_and_leaves_it_alone(derive_tools, monkeypatch, tmp_path, capsys):
    (tmp_path / "bfcl_ticket").mkdir()
    (tmp_path / "bfcl_ticket" / "tools.json").write_text("[]")
    monkeypatch.setattr(derive_tools, "PACKS", tmp_path)
    assert derive_tools.main(["--check"]) == 1
    assert "bfcl_ticket/tools.json is stale" in capsys.readouterr().err
    assert (tmp_path / "bfcl_ticket" / "tools.json").read_text() == "[]"


def test_writing_makes_a_stale_file_current(derive_tools, monkeypatch, tmp_path):
    (tmp_path / "bfcl_ticket").mkdir()
    monkeypatch.setattr(derive_tools, "PACKS", tmp_path)
    assert derive_tools.main([]) == 0
    assert derive_tools.main(["--check"]) == 0
    written = json.loads((tmp_path / "bfcl_ticket" / "tools.json").read_text())
    assert len(written) == 9


def test_python_types_become_json_schema_types_at_every_depth(derive_tools):
    docs = {
        "type": "dict",
        "properties": {
            "price": {"type": "float", "description": "Per piece. "},
            "tags": {"type": "array", "items": {"type": "dict", "properties": {"weight": {"type": "float"}}}},
        },
        "required": ["price"],
    }
    assert derive_tools.mend(docs) == {
        "type": "object",
        "properties": {
            "price": {"type": "number", "description": "Per piece."},
            "tags": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"weight": {"type": "number"}},
                    "additionalProperties": False,
                },
            },
        },
        "required": ["price"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(("default", "kept"), [("None", False), ("", True), (0, True), (False, True)])
def test_only_the_text_none_is_no_default(derive_tools, default, kept):
    assert ("default" in derive_tools.mend({"type": "string", "default": default})) is kept


def test_unknown_keyword_is_refused_by_name(derive_tools):
    with pytest.raises(ValueError, match="oneOf"):
        derive_tools.mend({"type": "string", "oneOf": []})


def test_mutating_tool_that_the_docs_lack_is_refused_by_name(derive_tools):
    source = derive_tools.Source(docs="some.json", mutating=frozenset({"vanish"}))
    with pytest.raises(ValueError, match="vanish"):
        derive_tools.derive(source, [])


def test_all_shipped_docs_can_be_mended(derive_tools):
    types = set()

    def collect(schema):
        types.add(schema["type"])
        for value in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
            collect(value)

    for path in sorted(derive_tools.docs_folder().glob("*.json")):
        for doc in derive_tools.read_docs(path):
            collect(derive_tools.mend(doc["parameters"]))
    assert types == {"object", "array", "string", "number", "integer", "boolean"}
