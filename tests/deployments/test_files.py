"""What can be said of the files for operators without running anything."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

DEPLOYMENTS = Path(__file__).parents[2] / "deployments"
FILES = [path for path in DEPLOYMENTS.rglob("*") if path.is_file()]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_nothing_of_this_machine_is_in_the_files_that_are_shipped(file):
    text = file.read_text(encoding="utf-8")
    assert str(Path.home()) not in text
    assert str(DEPLOYMENTS.parent) not in text


def test_the_compose_file_holds_together():
    compose = yaml.safe_load((DEPLOYMENTS / "compose.yaml").read_text())
    services = compose["services"]
    assert set(services) == {"database", "server", "worker"}
    for service in services.values():
        assert set(service.get("depends_on", {})) <= set(services)
        named = [str(volume).partition(":")[0] for volume in service.get("volumes", [])]
        assert {each for each in named if re.fullmatch(r"\w+", each)} <= set(compose["volumes"])
        assert ("image" in service) != ("build" in service)
    assert "healthcheck" in services["database"]
    assert "healthcheck" in services["server"]
    assert "127.0.0.1:4200:4200" in services["server"]["ports"]


@pytest.mark.parametrize("kind", ["docker", "kubernetes"])
def test_a_template_uses_all_its_variables_and_no_others(kind):
    template = json.loads((DEPLOYMENTS / "pools" / f"{kind}.json").read_text())
    used = set(re.findall(r"\{\{ (\w+) \}\}", json.dumps(template["job_configuration"])))
    assert used == set(template["variables"]["properties"])


def test_every_file_is_in_the_guide():
    guide = (DEPLOYMENTS / "README.md").read_text(encoding="utf-8")
    missing = [file.name for file in FILES if file.name != "README.md" and file.name not in guide]
    assert missing == []


def test_what_is_not_run_is_labelled_so():
    guide = (DEPLOYMENTS / "README.md").read_text(encoding="utf-8")
    assert "**Not run by assay's tests**" in guide
    assert "**no container is started there**" in guide
    assert "NOT RUN" in (DEPLOYMENTS / "compose.yaml").read_text(encoding="utf-8")
