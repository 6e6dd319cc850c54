from __future__ import annotations

import importlib
from pathlib import Path

import cloudpickle
import pytest

from assay.pipeline import PIPELINE
from tasks.begin import begin
from tasks.cache import ContentKey, records_below
from tasks.catalogue import STAGE_TASKS, stage_tasks_for
from tasks.finish import finish
from tasks.retries import BACK_OFF, is_fault_of_the_machine


def test_every_stage_of_the_pipeline_has_its_task_in_its_order():
    assert list(STAGE_TASKS) == [stage.name for stage in PIPELINE]


@pytest.mark.parametrize("stage", [stage.name for stage in PIPELINE])
def test_a_stage_task_lives_in_a_module_of_its_own_and_says_what_it_does(stage):
    task = STAGE_TASKS[stage]
    module = importlib.import_module(task.fn.__module__)
    assert module.__name__ == f"tasks.{'assertions' if stage == 'assert' else stage}"
    assert task.description.endswith(".")
    assert task.version == str(next(each.version for each in PIPELINE if each.name == stage))


@pytest.mark.parametrize("task", [begin, finish, *STAGE_TASKS.values()], ids=lambda task: task.name)
def test_every_task_is_tried_again_for_faults_of_the_machine_only(task):
    assert task.retries == len(BACK_OFF)
    assert task.retry_condition_fn is is_fault_of_the_machine
    assert not task.tags


@pytest.mark.parametrize("task", STAGE_TASKS.values(), ids=lambda task: task.name)
def test_every_stage_task_is_cached_by_content_in_the_store(task):
    assert isinstance(task.cache_policy, ContentKey)
    assert task.persist_result
    assert (
        stage_tasks_for("/srv/store")[task.name].result_storage
        == records_below("/srv/store")
        == Path("/srv/store/prefect")
    )


def test_a_task_can_travel_to_another_process():
    for task in stage_tasks_for("/srv/store").values():
        assert cloudpickle.loads(cloudpickle.dumps(task)).name == task.name
