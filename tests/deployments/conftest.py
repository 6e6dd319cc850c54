"""A site of an operator's: PostgreSQL, a Prefect server with its pages, two process workers, as the guide says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.fleet_database import database_programs
from benchmarks.fleet_site import DEPLOYMENTS, Site
from tests.support.packs import UNKNOWN_POLICY, copy_of_tiny_library

if TYPE_CHECKING:
    from collections.abc import Iterator

GUIDE = DEPLOYMENTS / "README.md"
PATIENCE_S = 300


def commands_of_the_guide() -> str:
    """Return what the guide tells operators to run in blocks marked `sh`, in its order.

    What needs a run that is there already, retrying and care of the store, is run by `test_store_care.py`.
    """
    blocks = re.findall(r"^( *)```sh\n(.*?)^\1```", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    told = [textwrap.dedent(block) for _, block in blocks]
    return "\n".join(block for block in told if "assay retry" not in block and "assay store" not in block)


@pytest.fixture(scope="session")
def packs_of_the_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a good pack and a red one."""
    folder = tmp_path_factory.mktemp("site") / "packs"
    copy_of_tiny_library(folder / "tiny_library")
    red = ("manifest.yaml", "pack_id: tiny_library", "pack_id: red_library")
    copy_of_tiny_library(folder / "red_library", UNKNOWN_POLICY, red)
    return folder


@pytest.fixture(scope="session")
def site(packs_of_the_site: Path) -> Iterator[Site]:
    """Run a site on which every command of the guide has been run; its workers are busy with what was set off."""
    if database_programs() is None:
        pytest.skip("there is no PostgreSQL; on Debian: apt-get install postgresql")
    with Site(packs_of_the_site, pages=True) as running:
        (running.folder / "store").mkdir()
        script = commands_of_the_guide()
        for named, here in (
            ("http://127.0.0.1:4200/api", running.api),
            ("/srv/packs", str(packs_of_the_site)),
            ("/srv/assay", str(running.folder)),
        ):
            script = script.replace(named, here)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        shown = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=DEPLOYMENTS.parent,
            env={**running.environment, "PATH": path},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert shown.returncode == 0, shown.stdout[-2000:] + shown.stderr[-2000:]
        for number in range(2):
            running.start_worker(f"worker-{number}")
        yield running
