import json
from pathlib import Path

import pytest
import yaml

from .second_opinion import run_cases

PACKS = Path(__file__).parents[2] / "packs"
NAMES = ("tiny_library", "corner_bank", "bfcl_ticket")


class PackFiles:
    """A bundled pack as plain data, read without assay."""

    def __init__(self, folder):
        self.folder = folder
        self.manifest = self.yaml("manifest.yaml")
        self.templates = self.yaml("task_templates.yaml")
        self.cases = self.yaml("validation_cases.yaml")
        self.tools = json.loads((folder / "tools.json").read_text(encoding="utf-8"))
        self.fixtures = json.loads((folder / "fixtures.json").read_text(encoding="utf-8"))

    def yaml(self, name):
        return yaml.safe_load((self.folder / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="session", params=NAMES)
def pack(request):
    return PackFiles(PACKS / request.param)


@pytest.fixture(scope="session")
def corner_bank():
    return PackFiles(PACKS / "corner_bank")


@pytest.fixture(scope="session")
def outcomes(pack):
    return json.loads(run_cases(pack.folder))
