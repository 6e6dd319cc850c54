"""A clock that is set back: times are in the ledger only, so nothing else may change."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from assay.artifacts.ledger import Ledger
from tests.faults.driver import run_again
from tests.support.packs import TINY_LIBRARY
from tests.support.tables import tables_below

pytestmark = pytest.mark.skipif(shutil.which("faketime") is None, reason="faketime is not installed")

TWO_DAYS_BACK = ["faketime", "-f", "-2d"]
PROVE = """
import sys
from assay.runner import RunRequest, carry_out
print(carry_out(RunRequest(pack=sys.argv[1], root=sys.argv[2])).status)
"""


def prove_two_days_ago(root):
    command = [*TWO_DAYS_BACK, sys.executable, "-c", PROVE, str(TINY_LIBRARY), str(root)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert shown.stdout == "gold\n"


def test_a_run_in_the_past_leaves_the_same_tables(undisturbed, tmp_path):
    prove_two_days_ago(tmp_path)
    assert tables_below(tmp_path) == undisturbed.tables
    assert set(run_again(tmp_path).values()) == {"cached"}


def test_a_clock_set_back_between_two_runs_costs_nothing(undisturbed, tmp_path):
    run_again(tmp_path)
    prove_two_days_ago(tmp_path)
    assert tables_below(tmp_path) == undisturbed.tables
    later, earlier = Ledger(tmp_path).runs()
    assert later["started"] > earlier["started"]
    assert {each["status"] for each in Ledger(tmp_path).read_stages(earlier["run_id"]).values()} == {"cached"}
