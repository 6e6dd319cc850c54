"""What a process imports that has nothing to compute. The list may shrink; it grows only with a reason."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.packs import TINY_LIBRARY

pytestmark = pytest.mark.xdist_group("startup")

MODULES = (
    "import json, sys; {run}; print(json.dumps({{n: getattr(m, '__file__', None) for n, m in sys.modules.items()}}))"
)
COMMAND = "from flows.command import main; main()"

LIBRARIES = {"click", "rich", "yaml"}
"""Packages of others that a warm `assay validate` imports, besides those that pyarrow brings along."""

OURS = {
    "assay.checks": {"report", "strength"},
    "assay.oracle": {"engine", "limits"},
    "assay.pipeline": {"declaration", "stage"},
    "assay.reporting": {"pictures", "strength", "text"},
    "assay.schema": set(),
    "assay.stages": {"mutation", "records"},
}
"""Package -> those of its modules that it imports: no stage, no check, nothing that starts a worker."""


def modules_of(run, *arguments):
    """Return module -> file of all modules in a process that has run some code."""
    done = subprocess.run(
        [sys.executable, "-c", MODULES.format(run=run), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    arguments = ("validate", TINY_LIBRARY, "--root", tmp_path_factory.mktemp("store"))
    modules_of(COMMAND, *arguments)
    return modules_of(COMMAND, *arguments)


def test_no_further_library_is_imported(warm):
    bare = modules_of("import pyarrow.parquet")
    added = {name.partition(".")[0] for name, file in warm.items() if name not in bare and is_installed(file)}
    assert added <= LIBRARIES


def is_installed(file):
    return file is not None and "site-packages" in Path(file).parts


@pytest.mark.parametrize("package", OURS)
def test_nothing_is_imported_that_computes(warm, package):
    inside = {name.removeprefix(f"{package}.") for name in warm if name.startswith(f"{package}.")}
    assert inside <= OURS[package]


def test_a_stage_is_imported_when_it_is_computed(tmp_path):
    cold = modules_of(COMMAND, "validate", TINY_LIBRARY, "--root", tmp_path)
    assert {"assay.stages.replay", "assay.checks.probe", "assay.oracle.process_engine"} <= set(cold)
