"""An artifact that is not what it was is computed again; what rests on it is not, because the same bytes come out."""

from __future__ import annotations

import pytest

from tests.faults.driver import require_recovery, undisturbed_run, whole_stages


@pytest.mark.parametrize("part", ["main", "sibling"])
@pytest.mark.parametrize("harm", ["truncated", "deleted", "replaced"])
@pytest.mark.parametrize("stage", ["bind", "replay"])
def test_damage_costs_one_stage(undisturbed, tmp_path, stage, harm, part):
    for name, data in undisturbed.tables.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    files = sorted((tmp_path / f"stage={stage}").rglob("*.parquet"))
    victim = next(file for file in files if (file.stem.count(".") == 0) == (part == "main"))
    if harm == "truncated":
        victim.write_bytes(victim.read_bytes()[:-64])
    elif harm == "deleted":
        victim.unlink()
    else:
        other = next((tmp_path / "stage=load").rglob("*.parquet"))
        victim.write_bytes(other.read_bytes())
    assert stage not in whole_stages(tmp_path)
    assert require_recovery(tmp_path, undisturbed) == {stage}


def test_an_empty_store_is_only_work(undisturbed, tmp_path):
    assert undisturbed_run(tmp_path).tables == undisturbed.tables
