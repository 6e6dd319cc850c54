"""`assay validate` as an author and a script see it: a real process, its exit code, its two streams."""

import json
import subprocess
import sys

import pytest

from tests.support.pack_files import edit
from tests.support.packs import TINY_LIBRARY, copy_of_tiny_library


def assay(*arguments, **options):
    command = [sys.executable, "-c", "import sys; from flows.command import main; sys.exit(main())"]
    return subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False, **options
    )


@pytest.fixture
def broken(tmp_path):
    folder = copy_of_tiny_library(tmp_path / "pack")
    edit(folder / "task_templates.yaml", "turn_policy: single_turn", "turn_policy: single_trun")
    return folder


def test_a_gold_pack_exits_with_0_and_says_so(tmp_path):
    done = assay("validate", TINY_LIBRARY, "--output-dir", tmp_path / "out")
    assert done.returncode == 0
    assert "GOLD  tiny_library 0.1.0: 5 of 5 tasks proven, 0 errors" in done.stdout
    assert done.stderr == ""
    assert str(tmp_path / "out") in done.stdout


def test_a_pack_that_is_not_gold_exits_with_2_and_shows_place_source_and_fix(broken, tmp_path):
    done = assay("validate", broken, "--root", tmp_path / "store")
    assert done.returncode == 2
    lines = done.stdout.splitlines()
    head = next(index for index, line in enumerate(lines) if "unknown_turn_policy" in line)
    assert lines[head - 1] == "task_templates.yaml"
    assert lines[head].split()[:2] == ["6:16", "error"]
    assert "Did you mean `single_turn`?" in lines[head + 1]
    assert lines[head + 2].endswith("turn_policy: single_trun")
    assert lines[head + 3].index("^") == lines[head + 2].index("single_trun")
    assert "NOT GOLD" in lines[-4:][0] or any(line.startswith("NOT GOLD") for line in lines)


@pytest.mark.parametrize(("pack", "code", "status"), [("gold", 0, "gold"), ("broken", 2, "not_gold")])
def test_json_is_one_object_of_the_stable_surface(pack, code, status, broken, tmp_path):
    folder = TINY_LIBRARY if pack == "gold" else broken
    done = assay("validate", folder, "--json", "--output-dir", tmp_path / "out")
    assert done.returncode == code
    report = json.loads(done.stdout)
    assert report["status"] == status
    assert {
        "schema_version",
        "pack_id",
        "pack_version",
        "pack_fingerprint",
        "tier",
        "gold_eligible",
        "checks",
        "findings",
        "stats",
        "isolation",
        "artifacts",
    } <= set(report)
    assert [each["id"] for each in report["checks"]] == [1, 2, 3, 4, 5, 6, 7, "M1", "D1", "D2", "T1", "I1"]
    for finding in report["findings"]:
        assert {"code", "severity", "message", "fix", "file", "line", "column", "root", "detail"} <= set(finding)
    assert set(report["artifacts"]) == {
        "load",
        "probe",
        "bind",
        "plan",
        "render",
        "trace",
        "schema_check",
        "replay",
        "assert",
        "strength",
        "compare",
        "report",
    }


def test_mutants_are_left_out_when_told_so_and_the_report_says_it(tmp_path):
    store = tmp_path / "store"
    measured = assay("validate", TINY_LIBRARY, "--root", store)
    assert "assertion strength: 54 of 62 wrong replays (mutants) killed" in measured.stdout
    left_out = assay("validate", TINY_LIBRARY, "--root", store, "--no-mutants")
    assert "assertion strength: not measured, mutants were left out" in left_out.stdout
    assert (measured.returncode, left_out.returncode) == (0, 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["validate"], "name a pack folder"),
        (["validate", "/no/such/pack"], "nothing at"),
        (["validate", TINY_LIBRARY, "--config", "x.yaml"], "one of the two"),
        (["validate", TINY_LIBRARY, "--no-such-option"], "No such option"),
        (["no-such-command"], "No such command"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_no_verdict_exits_with_1_and_one_line(arguments, said, as_json):
    done = assay(*arguments, *(["--json"] if as_json else []))
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    if as_json:
        told = json.loads(done.stdout)
        assert (told["status"], said in told["reason"]) == ("error", True)
    else:
        assert done.stdout == ""


def test_a_config_with_faults_lists_them_all_and_exits_with_1(tmp_path):
    config = tmp_path / "run.yaml"
    config.write_text("family: mcq\nexpt_name: ../x\nno_such_key: 1\n")
    done = assay("validate", "--config", config, "--json")
    assert done.returncode == 1
    reason = json.loads(done.stdout)["reason"]
    for word in ("family", "expt_name", "no_such_key"):
        assert word in reason


def test_two_runs_write_the_same_bytes(tmp_path, broken):
    outputs = []
    for name in ("first", "second"):
        done = assay("validate", broken, "--output-dir", tmp_path / name)
        assert done.returncode == 2
        view = tmp_path / name / "validation"
        outputs.append({path.name: path.read_bytes() for path in sorted(view.iterdir())})
    assert outputs[0] == outputs[1]
    assert {"report.json", "run_manifest.json", "findings.parquet", "expected_calls.parquet"} <= set(outputs[0])


def test_an_output_folder_keeps_everything_inside_itself(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    done = assay("validate", TINY_LIBRARY, "--output-dir", tmp_path / "out", env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(home.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "out"]


def test_neither_prefect_nor_pandas_is_imported(tmp_path):
    script = (
        "import sys; from flows.command import main; code = main(); "
        "sys.stderr.write(' '.join({'prefect', 'pandas', 'duckdb', 'httpx'} & set(sys.modules))); sys.exit(code)"
    )
    command = [sys.executable, "-c", script, "validate", str(TINY_LIBRARY), "--root", str(tmp_path / "store")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_one_template_alone_is_proven_and_never_gold(tmp_path):
    done = assay("validate", TINY_LIBRARY, "--template", "lib_irrelevant_renew", "--json", "--root", tmp_path / "s")
    report = json.loads(done.stdout)
    assert (done.returncode, report["stats"]["n_proven"]) == (2, 1)
    assert "only lib_irrelevant_renew was asked for" in report["checks"][6]["reason"]


@pytest.mark.parametrize("option", ["--root", "--output-dir"])
def test_nothing_is_ever_written_into_the_pack(tmp_path, option):
    folder = copy_of_tiny_library(tmp_path / "pack")
    before = sorted(path.name for path in folder.iterdir())
    done = assay("validate", folder, option, folder / "out")
    assert done.returncode == 1
    assert "lies in the pack folder" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == before
