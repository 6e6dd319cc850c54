"""The contract's cases about resuming a run.

The reference resumes from a stage that somebody names, at checkpoints that must match to the byte. Here there is one
mechanism for that and for everything else: each artifact has a key, and a run takes those whose keys still hold. The
cases show what is computed anew after each disturbance.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from assay.config import ConfigError, load_config
from assay.pipeline import PIPELINE
from assay.runner import RunRequest, carry_out
from tests.conformance.checks import drives
from tests.conformance.expectations import assert_expected
from tests.support.packs import copy_of_tiny_library

STAGES = [stage.name for stage in PIPELINE]
OURS = {"expected_trace": "trace", "executable_replay": "replay"}
CONFIG = """\
expt_name: resumed
output_dir: {output_dir}
random_seed: {seed}
oracle_pack: {{manifest_path: pack/manifest.yaml}}
{more}
"""


class Place:
    """A pack, a store and an output folder, side by side."""

    def __init__(self, root):
        self.root = root
        self.store = root / "store"
        copy_of_tiny_library(root / "pack")

    def configured(self, *, output_dir="out", seed=7, more=""):
        path = self.root / "run.yaml"
        path.write_text(CONFIG.format(output_dir=output_dir, seed=seed, more=more), encoding="utf-8")
        return path

    def run(self, **config):
        """Carry out a run; return what became of each stage."""
        references = []
        carry_out(RunRequest(config=str(self.configured(**config)), root=str(self.store)), references.append)
        return {each.stage: each for each in references}

    def file(self, stage):
        """Return the file of a stage's only artifact."""
        (found,) = [path for path in self.store.glob(f"stage={stage}/*/*.parquet") if path.name.count(".") == 1]
        return found

    def forget_from(self, stage):
        """Leave of the store what a run had made that was stopped before a stage."""
        for name in STAGES[STAGES.index(stage) :]:
            shutil.rmtree(self.store / f"stage={name}")

    def rows(self):
        """Return the rows of every table that the output folder shows."""
        shown = self.root / "out" / "resumed"
        return {path.name: pq.read_table(path).to_pylist() for path in shown.glob("*.parquet")}


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def interrupted_from(place, stage):
    place.forget_from(OURS[stage])
    return place.run()


def with_another_seed(place):
    return place.run(seed=8)


def with_a_blank_in_an_artifact(place):
    with place.file("replay").open("ab") as file:
        file.write(b" ")
    return place.run()


def with_another_readme(place):
    with (place.root / "pack" / "README.md").open("a", encoding="utf-8") as file:
        file.write("One more line.\n")
    return place.run()


def through_a_link(place):
    (place.root / "link").symlink_to(place.root / "out", target_is_directory=True)
    return place.run(output_dir="link")


CHANGES = {
    "random_seed + 1": with_another_seed,
    "append a blank to checkpoints/executable_replay/state.json": with_a_blank_in_an_artifact,
    "append a line to the pack README": with_another_readme,
    "spell output_dir through a link": through_a_link,
}


def keys(references):
    return {stage: each.key for stage, each in references.items()}


@drives("resume")
def test_resuming(given, expect, place):
    if "refused" in expect:
        with pytest.raises(ConfigError) as caught:
            load_config(place.configured(more=f"skip_until: {given['resume_from']}"))
        assert expect["refused"] in str(caught.value)
        return
    first = place.run()
    before = place.rows()
    change = CHANGES.get(given.get("change"))
    second = interrupted_from(place, given["resume_from"]) if change is None else change(place)
    kept = [stage for stage, each in second.items() if Path(each.path).exists()]
    told = {
        "rows": "identical to the first run" if place.rows() == before else "other rows",
        "checkpoint_per_enabled_stage": kept == STAGES,
        "computed": [stage for stage, each in second.items() if not each.cached],
        "configuration_hash": "same as the direct path" if keys(second) == keys(first) else "another",
    }
    assert before
    assert_expected(told, expect)
