"""Why a stage was computed or served, from the ledger and the artifacts alone."""

import shutil

import pytest

from assay.artifacts.ledger import Ledger
from assay.pipeline import PIPELINE
from assay.runner import RunRequest, StageCrash, carry_out
from assay.runner.why import explain_run
from tests.support.pack_files import edit
from tests.support.packs import copy_of_tiny_library
from tests.support.stores import main_file, run_once

STAGES = [stage.name for stage in PIPELINE]


@pytest.fixture(scope="module")
def proven(tmp_path_factory):
    folder = tmp_path_factory.mktemp("proven")
    pack = copy_of_tiny_library(folder / "pack")
    run_id, _ = run_once(pack, folder / "store")
    return folder / "store", pack, run_id


@pytest.fixture
def store(proven, tmp_path):
    shutil.copytree(proven[0], tmp_path / "store")
    return tmp_path / "store"


@pytest.fixture
def pack(proven, tmp_path):
    return shutil.copytree(proven[1], tmp_path / "pack")


def why(root, run_id):
    return {each.stage: each for each in explain_run(root, run_id)}


def test_a_first_run_is_one(proven):
    reasons = why(proven[0], proven[2])
    assert list(reasons) == STAGES
    assert {(each.cause, each.status, each.compared_with) for each in reasons.values()} == {
        ("first_run", "computed", None)
    }


def test_nothing_changed(store, pack, proven):
    run_id, _ = run_once(pack, store)
    reasons = why(store, run_id)
    assert {(each.cause, each.status) for each in reasons.values()} == {("same", "cached")}
    assert {each.compared_with for each in reasons.values()} == {proven[2]}


def test_the_files_that_changed_are_named(store, pack):
    edit(pack / "task_templates.yaml", "Could you extend", "Could you prolong")
    (pack / "new.py").write_text("")
    (pack / "README.md").unlink()
    run_id, _ = run_once(pack, store)
    reasons = why(store, run_id)
    assert {each.cause for each in reasons.values()} == {"changed"}
    assert reasons["bind"].text == "README.md removed; new.py added; task_templates.yaml changed"
    assert {(each.part, each.name) for each in reasons["plan"].changes} == {
        ("pack", "README.md"),
        ("pack", "new.py"),
        ("pack", "task_templates.yaml"),
        ("input", "bind"),
    }


def test_a_setting_is_named_and_what_follows_from_it_is_told_as_such(store, pack):
    run_id, _ = run_once(pack, store, exhaustive=True)
    reasons = why(store, run_id)
    assert reasons["bind"].cause == "same"
    assert reasons["plan"].text == "setting exhaustive: false -> true"
    assert reasons["report"].text.startswith("what it reads changed: ")


def test_a_run_is_compared_with_the_last_one_of_the_same_options(store, pack, proven):
    run_once(pack, store, exhaustive=True)
    run_id, _ = run_once(pack, store)
    assert {(each.cause, each.compared_with) for each in why(store, run_id).values()} == {("same", proven[2])}


def test_going_back_is_served_by_an_older_run(store, pack):
    edit(pack / "task_templates.yaml", "Could you extend", "Could you prolong")
    run_once(pack, store)
    edit(pack / "task_templates.yaml", "Could you prolong", "Could you extend")
    run_id, _ = run_once(pack, store)
    assert why(store, run_id)["bind"].text == "an older run left it; task_templates.yaml changed"


@pytest.mark.parametrize(("harm", "cause"), [("deleted", "missing"), ("torn", "damaged")])
def test_a_lost_artifact_is_the_reason_for_one_stage(store, pack, harm, cause):
    path = main_file(store, "render")
    path.unlink() if harm == "deleted" else path.write_bytes(path.read_bytes()[:100])
    run_id, computed = run_once(pack, store)
    assert computed == {"render"}
    reasons = why(store, run_id)
    assert reasons["render"].cause == cause
    assert {each.cause for each in reasons.values() if each.stage != "render"} == {"same"}


def test_a_stage_that_was_asked_for(store, pack):
    run_id, computed = run_once(pack, store, recompute_from="compare")
    assert computed == {"compare", "report"}
    reasons = why(store, run_id)
    assert {each.stage for each in reasons.values() if each.cause == "asked"} == computed


def test_a_crash_and_what_came_after_it(store, pack, proven):
    (store / "stage=render").rename(store / "aside")
    (store / "stage=render").write_text("in the way")
    request = RunRequest(pack=str(pack), root=str(store))
    with pytest.raises(StageCrash):
        carry_out(request)
    reasons = why(store, request.run_id)
    assert (reasons["render"].cause, reasons["render"].status) == ("crashed", "crashed")
    assert "Not a directory" in reasons["render"].text
    assert reasons["report"].cause == "not_reached"
    assert reasons["plan"].cause == "same"
    assert Ledger(store).read_run(request.run_id)["status"] == "error"

    (store / "stage=render").unlink()
    (store / "aside").rename(store / "stage=render")
    run_id, _ = run_once(pack, store)
    assert why(store, run_id)["render"].compared_with == proven[2], "the run between hides nothing"


def test_a_result_that_rests_on_a_deadline(tmp_path):
    pack = copy_of_tiny_library(tmp_path / "slow")
    lookup = '    book = _find("books", "book_id", arguments["book_id"])\n    return'
    edit(pack / "backend.py", lookup, f"    __import__('time').sleep(60)\n{lookup}")
    config = pack / "fast.yaml"
    text = (pack / "validate.yaml").read_text().replace("oracle_runtime:", "oracle_runtime:\n  tool_timeout_s: 0.3", 1)
    config.write_text(text.replace("output_dir: ../../.demo/tiny_library", f"output_dir: {tmp_path}/out"))
    root = tmp_path / "store"
    runs = [RunRequest(config=str(config), root=str(root)) for _ in range(2)]
    for request in runs:
        carry_out(request)
    first, second = (why(root, request.run_id) for request in runs)
    assert first["replay"].final is False
    assert "rests on a deadline or a dead worker, so" in first["replay"].text
    assert "as replay does" in first["assert"].text
    assert second["replay"].cause == second["assert"].cause == "provisional"
    assert second["bind"].cause == "same"


def test_what_is_gone_is_said_to_be_gone(store, pack):
    edit(pack / "task_templates.yaml", "Could you extend", "Could you prolong")
    before = main_file(store, "plan")
    run_id, _ = run_once(pack, store)
    before.unlink()
    assert why(store, run_id)["plan"].cause == "unknown"


def test_a_store_that_was_moved_still_knows(store, pack, tmp_path):
    run_id, _ = run_once(pack, store, exhaustive=True)
    store.rename(tmp_path / "moved")
    assert why(tmp_path / "moved", run_id)["plan"].text == "setting exhaustive: false -> true"


def test_an_unknown_run_is_refused(store):
    with pytest.raises(KeyError):
        explain_run(store, "nothing")
