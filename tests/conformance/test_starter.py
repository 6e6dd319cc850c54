"""The contract's cases about the starter that `assay scaffold` writes."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest
import yaml

import assay.scaffold
from assay.scaffold import scaffold
from flows.command import main
from tests.conformance.checks import drives
from tests.conformance.errors import ERRORS
from tests.conformance.expectations import assert_expected, assert_mentions


def read_yaml(path):
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}


def value_at(data, dotted):
    """Return what stands under a dotted key; None when nothing does."""
    for name in dotted.split("."):
        data = data.get(name) if isinstance(data, dict) else None
    return data


def starter_told(folder, expect):
    """Tell what a starter holds; of the manifest, only what is asked about."""
    manifest = read_yaml(folder / "manifest.yaml")
    endpoint = read_yaml(folder / "endpoint_config.yaml")
    host = urlsplit(endpoint.get("base_url", "")).hostname or ""
    fixtures = json.loads((folder / "fixtures.json").read_text(encoding="utf-8"))
    return {
        "files": [path.name for path in folder.iterdir()],
        "files_absent": [name for name in expect.get("files_absent", ()) if not (folder / name).exists()],
        "manifest": {name: value_at(manifest, name) for name in expect.get("manifest", ())},
        "manifest_keys_absent": [
            name for name in expect.get("manifest_keys_absent", ()) if value_at(manifest, name) is None
        ],
        "fixture_rows": sum(map(len, fixtures.values())),
        "endpoint": {
            "oracle_id": value_at(endpoint, "expected.oracle_id"),
            "base_url_host_suffix": host[host.rfind(".") :],
        },
    }


def refused(given, target, expect):
    """Scaffold over what exists already."""
    target.mkdir()
    for name, text in given["existing"].items():
        (target / name).write_text(text, encoding="utf-8")
    ours = ERRORS[expect["error"]["class"], expect["error"]["about"]]
    with pytest.raises(getattr(assay.scaffold, ours.code), match=ours.words) as caught:
        scaffold(given["domain"], target)
    assert_mentions(str(caught.value), expect["error"])
    kept = {path.name: path.read_text(encoding="utf-8") for path in target.iterdir()}
    assert kept == given["existing"]
    return {"error": expect["error"], "existing_file_kept": next(iter(kept))}


def from_the_command_line(given, target, capsys):
    code = main(["scaffold", "--domain", given["domain"], "--target", str(target), "--transport", given["transport"]])
    written = [path.name for path in target.iterdir()]
    return {
        "exit_code": code,
        "stdout_is_target_path": capsys.readouterr().out == f"{target}\n",
        "file_present": "backend.py" if "backend.py" in written else None,
    }


@drives("scaffold")
def test_starters(given, expect, tmp_path, capsys):
    target = tmp_path / "starter"
    if "existing" in given:
        told = refused(given, target, expect)
    elif given.get("via") == "command line":
        told = from_the_command_line(given, target, capsys)
    else:
        options = {name: given[name] for name in ("transport", "include_held_out") if name in given}
        told = starter_told(scaffold(given["domain"], target, **options), expect)
    assert_expected(told, expect)
