"""Runs that were killed or crashed, and the command that takes them up."""

import json
import shlex
import signal
import subprocess
import time

import pytest

from assay.artifacts.keys import KeyParts
from assay.artifacts.ledger import Ledger
from assay.artifacts.store import Store, read_artifact, read_parts, read_table
from assay.artifacts.upkeep.checking import check_store
from assay.pipeline import PIPELINE, stages_from
from flows.command import main
from tests.support.killing import COMMAND, REPOSITORY, command, kill_after
from tests.support.packs import TINY_LIBRARY, copy_of_tiny_library
from tests.support.stores import main_file, run_once, tables_of

STAGES = {stage.name for stage in PIPELINE}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Give what a run leaves that nothing disturbs: path -> bytes."""
    root = tmp_path_factory.mktemp("undisturbed")
    run_once(TINY_LIBRARY, root)
    return tables_of(root)


def whole_stages(root):
    """Return the stages of which there is a whole artifact."""
    found = (read_artifact(path) for path in root.glob("stage=*/*/*.parquet"))
    return {each.stage for each in found if each is not None}


def computed_by(root, run_id):
    return {stage for stage, record in Ledger(root).read_stages(run_id).items() if record["status"] == "computed"}


def retry_of(root, run_id):
    """Return the run that took another up."""
    (found,) = [each for each in Ledger(root).runs() if each["request"].get("retry_of") == run_id]
    return found


@pytest.mark.parametrize("stage", ["load", "trace", "replay"])
def test_a_killed_validation_is_taken_up_where_it_was(tmp_path, stage, undisturbed):
    root = tmp_path / "store"
    run_id = kill_after(stage, root, "validate", str(TINY_LIBRARY), "--root", str(root))
    done = whole_stages(root)
    assert stage in done
    assert "report" not in done
    before = tables_of(root)

    assert main(["retry", run_id, "--root", str(root)]) == 0
    taken_up = retry_of(root, run_id)
    assert taken_up["status"] == "gold"
    assert taken_up["road"] == "direct"
    assert computed_by(root, taken_up["run_id"]) == STAGES - done
    assert tables_of(root) == undisturbed
    assert before.items() <= undisturbed.items()
    assert not check_store(root).harm


@pytest.mark.xdist_group("prefect")
def test_a_killed_run_through_prefect_is_taken_up_through_prefect(tmp_path, prefect_api, undisturbed):
    root = tmp_path / "store"
    run_id = kill_after("bind", root, "run", str(TINY_LIBRARY), "--root", str(root), PREFECT_API_URL=prefect_api)
    done = whole_stages(root)
    assert {"load", "bind"} <= done

    shown = command("retry", run_id, "--root", str(root), "--json", PREFECT_API_URL=prefect_api)
    assert shown.returncode == 0, shown.stderr
    (entry,) = json.loads(shown.stdout)["packs"]
    assert (entry["status"], entry["resume"]) == ("gold", None)
    taken_up = retry_of(root, run_id)
    assert taken_up["road"] == "prefect"
    assert taken_up["run_id"] == entry["run_id"]
    assert computed_by(root, taken_up["run_id"]) == STAGES - done
    assert tables_of(root) == undisturbed


@pytest.fixture
def blocked(tmp_path):
    """Give a store in which one stage of any pack cannot be written."""
    root = tmp_path / "store"
    root.mkdir()
    (root / "stage=replay").write_text("in the way")
    return root


def test_a_crash_ends_with_the_command_that_resumes_it(blocked, capsys, undisturbed):
    assert main(["validate", str(TINY_LIBRARY), "--root", str(blocked)]) == 1
    error, resume = capsys.readouterr().err.splitlines()
    assert error.startswith("assay: stage replay could not finish: ")
    (blocked / "stage=replay").unlink()

    assert resume.startswith("next: assay retry ")
    assert main(shlex.split(resume.removeprefix("next: assay "))) == 0
    newest = next(iter(Ledger(blocked).runs()))
    assert computed_by(blocked, newest["run_id"]) == stages_from("replay")
    assert tables_of(blocked) == undisturbed


def test_the_command_is_in_the_json_and_in_the_history(blocked, capsys):
    assert main(["validate", str(TINY_LIBRARY), "--root", str(blocked), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    run = next(iter(Ledger(blocked).runs()))
    resume = f"assay retry {run['run_id']} --root {blocked}"
    assert (told["status"], told["error_type"], told["resume"]) == ("error", "infrastructure", resume)
    assert run["error"] == told["reason"]

    for asked in (["runs"], ["show", run["run_id"]]):
        assert main([*asked, "--root", str(blocked)]) == 0
        assert f"next: {resume}" in capsys.readouterr().out
    assert main(["show", run["run_id"], "--root", str(blocked), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["resume"] == resume


def test_a_store_that_knows_nothing_of_the_run_offers_no_retry(tmp_path, capsys):
    blocked = tmp_path / "store"
    blocked.write_text("a file where the store should be")
    assert main(["validate", str(TINY_LIBRARY), "--root", str(blocked), "--json"]) == 1
    assert "resume" not in json.loads(capsys.readouterr().out)


def test_a_run_that_was_killed_is_told_to_have_broken_off(tmp_path, capsys):
    root = tmp_path / "store"
    run_id = kill_after("load", root, "validate", str(TINY_LIBRARY), "--root", str(root))
    assert main(["runs", "--root", str(root)]) == 0
    shown = capsys.readouterr().out
    assert "broken off" in shown
    assert f"assay retry {run_id}" in shown


def test_an_interrupted_validation_says_how_to_go_on(tmp_path):
    root = tmp_path / "store"
    arguments = [*COMMAND, "validate", str(TINY_LIBRARY), "--root", str(root)]
    with subprocess.Popen(arguments, cwd=REPOSITORY, stderr=subprocess.PIPE, text=True) as process:
        while not list(root.glob("runs/*/stage-load.json")):
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    (run,) = Ledger(root).runs()
    assert (run["status"], run["error"]) == ("error", "interrupted")
    assert errors.splitlines()[-1] == f"next: assay retry {run['run_id']} --root {root}"


def test_a_run_with_a_verdict_is_served_whole(tmp_path, capsys):
    root = tmp_path / "store"
    run_id, _ = run_once(TINY_LIBRARY, root, exhaustive=True, output_dir=str(tmp_path / "out"))
    assert main(["retry", run_id, "--root", str(root)]) == 0
    assert f"{len(STAGES)} from the cache" in capsys.readouterr().out
    taken_up = retry_of(root, run_id)
    assert taken_up["request"]["exhaustive"] is True
    assert taken_up["request"]["output_dir"] == str(tmp_path / "out")


def test_from_a_stage_on_all_is_computed_and_compared(tmp_path, capsys, undisturbed):
    root = tmp_path / "store"
    run_id, _ = run_once(TINY_LIBRARY, root)
    assert main(["retry", run_id, "--from", "assert", "--root", str(root), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "gold"
    assert computed_by(root, retry_of(root, run_id)["run_id"]) == stages_from("assert")
    assert tables_of(root) == undisturbed


def test_what_does_not_come_out_the_same_is_an_error_of_ours(tmp_path, capsys):
    root = tmp_path / "store"
    run_id, _ = run_once(TINY_LIBRARY, root)
    kept = read_artifact(main_file(root, "schema_check"))
    fewer = {kept.main: read_table(kept, kept.main).slice(1)}
    Store(root).write(KeyParts(**read_parts(kept.path)), "tiny_library", fewer)
    assert main(["retry", run_id, "--from", "schema_check", "--root", str(root), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["error_type"] == "not_reproducible"
    assert told["reason"].count("sha256 ") == 2
    assert read_artifact(kept.path).rows == {kept.main: kept.rows[kept.main] - 1}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(["nothing"], "no run nothing"), (["nothing", "--from", "repaly"], "there is no stage repaly; there are load, ")],
)
def test_what_is_not_there_cannot_be_taken_up(tmp_path, capsys, arguments, error):
    assert main(["retry", *arguments, "--root", str(tmp_path)]) == 1
    assert error in capsys.readouterr().err


@pytest.mark.xdist_group("prefect")
def test_of_a_batch_only_what_has_no_verdict_is_run_again(tmp_path, prefect_api, monkeypatch, capsys):
    monkeypatch.setenv("PREFECT_API_URL", prefect_api)
    root, out = tmp_path / "store", tmp_path / "out"
    for name in ("ash", "birch"):
        copy_of_tiny_library(tmp_path / "packs" / name, ("manifest.yaml", "pack_id: tiny_library", f"pack_id: {name}"))
    (root / "stage=bind").mkdir(parents=True)
    (root / "stage=bind" / "pack_id=birch").write_text("in the way")
    places = ["--root", str(root), "--output-dir", str(out)]
    assert main(["batch", str(tmp_path / "packs"), *places, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    ash, birch = told["packs"]
    assert (ash["status"], birch["status"]) == ("gold", "error")
    assert (ash["resume"], birch["resume"]) == (None, f"assay retry {birch['run_id']} --root {root}")

    (root / "stage=bind" / "pack_id=birch").unlink()
    runs_before = {each["run_id"] for each in Ledger(root).runs()}
    assert main(["retry", told["batch_id"], "--root", str(root), "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    (again,) = {each["run_id"] for each in Ledger(root).runs()} - runs_before
    assert [(each["pack_id"], each["status"], each["run_id"]) for each in whole["packs"]] == [
        ("ash", "gold", ash["run_id"]),
        ("birch", "gold", again),
    ]
    assert whole["totals"] == {"gold": 2, "not_gold": 0, "error": 0}
    assert json.loads((out / "summary.json").read_text()) == whole
    assert "load" not in computed_by(root, again)
    assert whole["packs"][0].keys() == ash.keys()

    assert main(["retry", told["batch_id"], "--root", str(root)]) == 0
    assert "2 packs have their verdict, 0 are run again" in capsys.readouterr().err
    assert {each["run_id"] for each in Ledger(root).runs()} == {*runs_before, again}
