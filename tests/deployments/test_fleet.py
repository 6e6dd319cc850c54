"""A small fleet on a real site: broken, hanging and deadly packs among sound ones, in two shards on two workers.

`benchmarks/bench_fleet.py` does the same with two hundred packs, and measures.
"""

from __future__ import annotations

import json

import pytest

from assay.artifacts.ledger import Ledger
from benchmarks.fleet_packs import make_fleet, wrong_verdicts

pytestmark = pytest.mark.xdist_group("site")

PACKS = 24
SHARDS = 2
DEADLINE_S = 30
"""Long enough for sound packs on a busy machine; those that hang wait it out side by side."""


def test_every_pack_of_a_fleet_comes_to_the_right_end(site):
    fleet = make_fleet(site.folder / "fleet", PACKS)
    parameters = {"packs": [str(site.folder / "fleet")], "output_dir": str(site.folder / "fleet-reports")}
    runs = [
        site.set_off(
            "validate_batch/nightly",
            {**parameters, "shard": shard, "shards": SHARDS, "at_once": 4, "deadline_s": DEADLINE_S},
        )
        for shard in range(SHARDS)
    ]
    ended = site.wait_for(runs, 600)
    assert {each["state_name"] for each in ended} == {"Failed"}  # in each shard is a pack without a verdict
    summaries = [
        json.loads((site.folder / "fleet-reports" / f"summary-{shard + 1}-of-{SHARDS}.json").read_text())
        for shard in range(SHARDS)
    ]
    assert list(wrong_verdicts(fleet, summaries)) == []
    hanging = [each for summary in summaries for each in summary["packs"] if each["pack_id"].endswith("hangs")]
    assert len(hanging) == 3
    assert all(each["deadline_passed"] for each in hanging)
    ledger = Ledger(site.folder / "store")
    for summary in summaries:
        assert ledger.read_batch(summary["batch_id"])["totals"] == summary["totals"]
