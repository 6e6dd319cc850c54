from __future__ import annotations

from dataclasses import replace

import pytest

from assay.config import DEFAULT_CLOCK
from assay.oracle.limits import Limits
from assay.stages.context import episode_context, run_clock
from tests.support.quay import Quay, config_of, load

MANIFEST_CLOCK = "2026-03-02T09:00:00+07:00"
RUN_CLOCK = "2031-05-06T07:08:09-03:30"


@pytest.fixture
def quay(tmp_path):
    return Quay(tmp_path)


def test_the_run_config_decides_then_the_manifest_then_the_default(quay):
    pack = load(quay)
    without = replace(pack, manifest=replace(pack.manifest, clock=None))
    assert run_clock(pack, config_of(quay, clock=RUN_CLOCK)) == RUN_CLOCK
    assert run_clock(pack, config_of(quay)) == MANIFEST_CLOCK
    assert run_clock(without, config_of(quay)) == DEFAULT_CLOCK


@pytest.mark.parametrize("clock", ["noon", "2026-03-02T09:00:00", "", "2026-03-02", 20260302, None])
def test_a_clock_that_is_no_moment_with_an_offset_counts_as_absent(quay, clock):
    pack = load(quay)
    odd = replace(pack, manifest=replace(pack.manifest, clock=clock))
    assert run_clock(odd, config_of(quay)) == DEFAULT_CLOCK


def test_the_context_carries_task_seed_and_the_tool_limit(quay):
    config = config_of(quay, limits=Limits(tool_s=3.5))
    context = episode_context(load(quay), config, task_id="x", seed=2**64 - 1)
    assert (context.task_id, context.seed, context.timeout_s, context.clock) == ("x", 2**64 - 1, 3.5, MANIFEST_CLOCK)
