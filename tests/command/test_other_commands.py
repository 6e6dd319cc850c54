import csv
import io
import json
from importlib.metadata import version

import pytest

from assay import validate
from assay.findings import REGISTRY
from flows.command import main
from tests.support.packs import TINY_LIBRARY


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    store = tmp_path_factory.mktemp("store")
    validate(TINY_LIBRARY, root=store)
    return store


def test_sql_answers_as_csv_and_json(root, capsys):
    query = "select template_id, count(*) calls from expected_calls group by all order by all"
    assert main(["sql", query, "--root", str(root), "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["template_id"]: row["calls"] for row in rows}["lib_status_parallel"] == "2"
    assert main(["sql", query, "--root", str(root), "--format", "json"]) == 0
    assert {row["template_id"]: row["calls"] for row in json.loads(capsys.readouterr().out)}["lib_status_parallel"] == 2


@pytest.mark.parametrize("name", ["findings", "probes", "verdicts", "all_verdicts", "runs", "stages", "checks"])
def test_every_table_can_be_asked(root, name, capsys):
    assert main(["sql", f"select count(*) n from {name}", "--root", str(root), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["n"] >= 0


def test_sql_shows_the_latest_run_once(root, capsys):
    validate(TINY_LIBRARY, root=root)
    assert main(["sql", "select count(*) n from verdicts", "--root", str(root), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"n": 5}]


@pytest.mark.parametrize("query", ["selec 1", "select * from no_such_table", "from read_csv('/etc/passwd')"])
def test_a_query_that_cannot_be_answered_is_one_error(root, query, capsys):
    assert main(["sql", query, "--root", str(root)]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("assay: ")
    assert captured.out == ""


def test_runs_and_show_tell_what_happened(root, capsys):
    assert main(["runs", "--root", str(root), "--json"]) == 0
    newest = json.loads(capsys.readouterr().out)["runs"][0]
    assert newest["status"] == "gold"
    assert main(["show", newest["run_id"], "--root", str(root)]) == 0
    shown = capsys.readouterr().out
    assert "tiny_library@0.1.0" in shown
    assert "5 verdicts" in shown


def test_an_unknown_run_is_refused(root, capsys):
    assert main(["show", "nothing", "--root", str(root)]) == 1
    assert "no run nothing" in capsys.readouterr().err


def test_explain_tells_meaning_reason_and_fix(capsys):
    assert main(["explain", "unknown_turn_policy"]) == 0
    shown = capsys.readouterr().out
    code = REGISTRY["unknown_turn_policy"]
    assert code.meaning in shown
    assert code.why in shown
    assert code.fix in shown


def test_explain_helps_with_a_misspelt_code(capsys):
    assert main(["explain", "unknown_turn_polcy"]) == 1
    assert "did you mean unknown_turn_policy" in capsys.readouterr().err


def test_explain_without_a_code_lists_all(capsys):
    assert main(["explain", "--json"]) == 0
    assert {each["name"] for each in json.loads(capsys.readouterr().out)["codes"]} == set(REGISTRY)


def test_scaffold_prints_the_folder_and_refuses_to_overwrite(tmp_path, capsys):
    target = tmp_path / "made"
    options = ["scaffold", "--domain", "my domain", "--target", str(target), "--language", "en", "--version", "0.1.0"]
    assert main([*options, "--transport", "python"]) == 0
    assert capsys.readouterr().out == f"{target}\n"
    assert validate(target).status == "gold"
    assert main(options) == 1
    assert capsys.readouterr().out == ""


def test_help_is_shown_when_nothing_is_asked(capsys):
    assert main([]) == 1
    assert "validate" in capsys.readouterr().err


def test_the_version_is_that_of_the_distribution(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"assay {version('assay')}\n"
