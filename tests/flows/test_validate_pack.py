from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey

from assay.artifacts.ledger import Ledger
from assay.pipeline import PIPELINE
from assay.runner import RunRequest
from flows.validate_pack import validate_pack
from tasks.begin import begin
from tasks.cache import records_below
from tests.support.packs import TINY_LIBRARY, UNKNOWN_POLICY, copy_of_tiny_library
from tests.support.prefect_runs import log_of, recorded_run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.xdist_group("prefect"), pytest.mark.usefixtures("prefect_api")]

STAGES = [stage.name for stage in PIPELINE]
STEPS = len(STAGES) + 2


def prove(pack: Path, root: Path, **options):
    request = RunRequest(pack=str(pack), root=str(root), **options)
    return request, validate_pack(**request.to_json(), return_state=True)


def stages_of(recorded, state_name: str) -> list[str]:
    states = recorded.state_names()
    return [stage for stage in STAGES if states[f"{stage} tiny_library"] == state_name]


def artifact_of(root: Path, stage: str) -> Path:
    (path,) = [each for each in (root / f"stage={stage}").rglob("*.parquet") if each.stem.count(".") == 0]
    return path


@pytest.fixture(scope="module")
def first_run(prefect_api, tmp_path_factory):
    root = tmp_path_factory.mktemp("first") / "store"
    request, state = prove(TINY_LIBRARY, root)
    return root, request, state, recorded_run(state, tasks=STEPS)


@pytest.fixture
def warm_store(first_run, tmp_path):
    """Give a store that holds the artifacts of a run, without Prefect's records: those name paths elsewhere."""
    root = tmp_path / "store"
    shutil.copytree(first_run[0], root)
    shutil.rmtree(records_below(str(root)))
    return root


def test_a_gold_pack_ends_in_the_state_gold_with_every_stage_computed(first_run):
    _, _, state, recorded = first_run
    assert (state.type.value, state.name) == ("COMPLETED", "Gold")
    assert state.result()["status"] == "gold"
    assert stages_of(recorded, "Completed") == STAGES


def test_runs_have_names_and_tags_that_people_can_read(first_run):
    _, _, state, recorded = first_run
    version = state.result()["pack_version"]
    assert recorded.flow_run.name == f"tiny_library@{version}"
    assert set(recorded.flow_run.tags) == {"assay", "pack:tiny_library"}
    assert recorded.tasks.keys() == {f"{step} tiny_library" for step in ("begin", *STAGES, "finish")}


def test_the_arrows_between_task_runs_lead_to_all_that_the_pipeline_puts_before_a_stage_and_no_further(first_run):
    recorded = first_run[3]
    names = {run.id: name.partition(" ")[0] for name, run in recorded.tasks.items()}
    reached, before = {"begin": set()}, {"begin": set()}
    for stage in PIPELINE:
        arrows = {names[each.id] for each in recorded.tasks[f"{stage.name} tiny_library"].task_inputs["wait_for"]}
        after = set(stage.after or ("begin",))
        assert arrows <= after
        assert not any(arrows & reached[each] for each in arrows)  # none repeats what others say
        reached[stage.name] = arrows.union(*(reached[each] for each in arrows))
        before[stage.name] = after.union(*(before[each] for each in after))
        assert reached[stage.name] == before[stage.name]


def test_the_findings_are_on_prefects_page(first_run):
    with get_client(sync_client=True) as client:
        key = ArtifactFilter(key=ArtifactFilterKey(any_=["pack-tiny-library"]))
        flow_run_id = first_run[3].flow_run.id
        (text,) = [
            str(each.data) for each in client.read_artifacts(artifact_filter=key) if each.flow_run_id == flow_run_id
        ]
    assert text.startswith("# tiny_library: Gold")
    assert "| template_tool_names | pass |" in text


def test_the_log_of_a_stage_says_what_came_of_it(first_run):
    log = log_of(first_run[3].tasks["load tiny_library"])
    assert "load: 1 packs; findings: none" in log


def test_parameters_and_results_are_json(first_run):
    _, request, state, recorded = first_run
    assert RunRequest.from_json(json.loads(json.dumps(request.to_json()))) == request
    assert json.loads(json.dumps(recorded.flow_run.parameters)) == request.to_json()
    assert json.loads(json.dumps(state.result())) == state.result()


def test_a_second_run_of_an_unchanged_pack_shows_every_stage_cached(first_run):
    root, first, state, _ = first_run
    second, again = prove(TINY_LIBRARY, root)
    recorded = recorded_run(again, tasks=STEPS)
    assert stages_of(recorded, "Cached") == STAGES
    assert again.result() == state.result()
    ledger = Ledger(root)
    assert {each["status"] for each in ledger.read_stages(first.run_id).values()} == {"computed"}
    cached = ledger.read_stages(second.run_id)
    assert {stage: each["status"] for stage, each in cached.items()} == dict.fromkeys(STAGES, "cached")


def test_a_store_filled_without_prefect_is_served_as_cached_too(warm_store):
    _, state = prove(TINY_LIBRARY, warm_store)
    assert stages_of(recorded_run(state, tasks=STEPS), "Cached") == STAGES


@pytest.mark.parametrize("harm", ["deleted", "torn"])
def test_a_lost_artifact_is_recomputed_and_nothing_else(warm_store, harm):
    prove(TINY_LIBRARY, warm_store)
    artifact = artifact_of(warm_store, "render")
    whole = artifact.read_bytes()
    artifact.unlink() if harm == "deleted" else artifact.write_bytes(whole[: len(whole) // 2])

    _, state = prove(TINY_LIBRARY, warm_store)
    recorded = recorded_run(state, tasks=STEPS)
    assert stages_of(recorded, "Completed") == ["render"]
    assert stages_of(recorded, "Cached") == [stage for stage in STAGES if stage != "render"]
    assert artifact.read_bytes() == whole


def test_not_gold_is_a_completed_run_that_is_not_tried_again(tmp_path):
    pack = copy_of_tiny_library(tmp_path / "pack", UNKNOWN_POLICY)
    _, state = prove(pack, tmp_path / "store")
    assert (state.type.value, state.name) == ("COMPLETED", "NotGold")
    assert "unknown_turn_policy" in {each["code"] for each in state.result()["findings"]}
    recorded = recorded_run(state, tasks=STEPS)
    assert {run.run_count for run in recorded.tasks.values()} == {1}


def test_a_pack_that_is_not_there_comes_to_a_verdict_or_says_why_not(tmp_path):
    _, state = prove(tmp_path / "gone", tmp_path / "store")
    assert state.name in {"NotGold", "Failed"}
    assert state.is_completed() or "gone" in state.message


def test_a_fault_of_the_machine_fails_the_run_after_the_retries_of_the_policy(tmp_path, monkeypatch):
    monkeypatch.setattr(begin, "retry_delay_seconds", [0, 0])
    store = tmp_path / "store"
    store.write_text("a file where the folder of the store should be")
    request, state = prove(TINY_LIBRARY, store)
    assert (state.type.value, state.name) == ("FAILED", "Failed")
    assert "the run ledger cannot be written" in state.message
    assert f"assay retry {request.run_id}" in state.message
    recorded = recorded_run(state, tasks=1)
    assert recorded.state_names() == {"begin tiny_library": "Failed"}
    assert recorded.tasks["begin tiny_library"].run_count == 3


def test_a_config_that_cannot_be_used_fails_at_once(tmp_path):
    config = tmp_path / "validate.yaml"
    config.write_text("no_such_setting: 1\n")
    _, state = prove(TINY_LIBRARY, tmp_path / "store", config=str(config))
    assert state.name == "Failed"
    assert "no_such_setting" in state.message
    recorded = recorded_run(state, tasks=1)
    assert recorded.state_names() == {"begin tiny_library": "Failed"}
    assert recorded.tasks["begin tiny_library"].run_count == 1


def test_the_report_and_the_tables_are_where_they_were_asked_for(first_run, tmp_path):
    prove(TINY_LIBRARY, first_run[0], output_dir=str(tmp_path / "out"))
    (manifest,) = (tmp_path / "out").rglob("run_manifest.json")
    assert (manifest.parent / "report.json").is_file()
    assert (manifest.parent / "replays.parquet").is_file()
