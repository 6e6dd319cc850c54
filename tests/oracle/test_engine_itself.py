"""The engine and the machine: what is not the pack's fault, several threads, users of all kinds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from assay.oracle import interpreter
from assay.oracle.engine import EngineUnavailable
from assay.oracle.evidence import Reset
from tests.oracle.running import backend, call, episode, judgement, run_call, run_one


class TestWhenAWorkerCannotBeSetUp:
    """That is no finding about the pack: the stage fails, and retry is the answer (ruling 40)."""

    def run_with(self, engine_of, monkeypatch, command, **limits):
        monkeypatch.setattr(interpreter, "command", lambda *arguments: [*command, *arguments])
        engine = engine_of(backend(), limits=limits)
        with pytest.raises(EngineUnavailable) as caught:
            run_call(engine)
        return str(caught.value)

    def test_there_is_no_such_program(self, engine_of, monkeypatch):
        told = self.run_with(engine_of, monkeypatch, ["/no/such/python"])
        assert told == "a worker process cannot be started: No such file or directory"

    def test_the_program_ends(self, engine_of, monkeypatch):
        told = self.run_with(engine_of, monkeypatch, ["/bin/false"])
        assert told == "a worker process ended while it was set up (exit code 1)"

    def test_the_program_does_not_answer(self, engine_of, monkeypatch):
        told = self.run_with(engine_of, monkeypatch, ["/bin/sh", "-c", "sleep 60"], import_s=0.3)
        assert told == "a worker process could not be set up: it was not ready within 0.3 s"

    def test_the_program_answers_something_else(self, engine_of, monkeypatch):
        script = 'eval "printf %0100d 0 >&$2"; sleep 60'
        told = self.run_with(engine_of, monkeypatch, ["/bin/sh", "-c", script, "sh"], import_s=2.0)
        assert told.startswith("a worker process ended while it was set up")

    def test_its_own_setting_up_fails(self, engine_of):
        engine = engine_of(backend(), limits={"cpu_s": "plenty"})
        with pytest.raises(EngineUnavailable, match="could not be set up: TypeError"):
            run_call(engine)


def test_several_threads_share_an_engine(engine_of):
    engine = engine_of(
        {
            "backend.py": backend("return {'n': arguments['n']}"),
            "assertions.py": "def assert_it(*, state, trace, task, ctx):\n    assert state['n'] % 2, str(state['n'])\n",
        }
    )
    seen: dict[int, list[object]] = {}

    def replay(number: int) -> None:
        work = [episode(Reset(), call({"n": 1000 * number + n})) for n in range(100)]
        seen[number] = [evidence.results[1] for evidence in engine.run(work, attempt=1 + number % 2)]

    def judge() -> None:
        asked = [judgement("assert_it", state={"n": n}) for n in range(100)]
        seen[-1] = [outcome.status for (outcome,) in engine.judge(asked)]

    threads = [threading.Thread(target=replay, args=(number,)) for number in range(4)]
    threads.append(threading.Thread(target=judge))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert all(seen[number] == [{"n": 1000 * number + n} for n in range(100)] for number in range(4))
    assert seen[-1] == ["failed", "passed"] * 50


PROBE = """
    import json, sys
    from pathlib import Path
    from assay.oracle.evidence import *
    from assay.oracle.process_engine import ProcessEngine
    from assay.oracle.spec import OracleSpec

    context = EpisodeContext(clock="2026-01-01T00:00:00+00:00", seed=0, timeout_s=5.0, task_id="t")
    spec = OracleSpec(root=Path(sys.argv[1]), backend="backend.py", assertions=None, fixtures={"a": 1})
    with ProcessEngine(spec) as engine:
        (evidence,) = engine.run([Episode(context=context, steps=(Reset(), CallTool("probe", {})))])
        hung = engine.kill_hung_call()
        print(json.dumps([evidence.results[1:], str(evidence.failure), engine.isolation, str(hung)]))
"""


def as_ordinary_user(*command: str) -> list[str]:
    """Run as a user without privileges who owns what this one owns: in a user namespace of his own."""
    return ["unshare", "-U", "--map-user=1000", "--map-group=1000", *command]


def _can_become_an_ordinary_user() -> bool:
    return shutil.which("unshare") is not None and subprocess.run(as_ordinary_user("true"), check=False).returncode == 0


@pytest.mark.skipif(not _can_become_an_ordinary_user(), reason="no user namespaces here")
def test_an_ordinary_user_gets_the_same_protections_as_root(tmp_path, engine_of):
    code = "import os\nreturn {'root': os.geteuid() == 0, 'cwd': os.getcwd()[-2:]}"
    (tmp_path / "backend.py").write_text(backend(code))
    command = as_ordinary_user(sys.executable, "-c", textwrap.dedent(PROBE), str(tmp_path))
    told = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    results, failure, theirs, hung = json.loads(told.stdout)
    assert (results, failure, hung) == ([{"root": False, "cwd": "/a"}], "None", "None")
    engine = engine_of(backend(code))
    run_call(engine)
    ours = dict(engine.isolation)
    for limits in (ours, theirs):
        limits["resource_limits"] = [name for name in limits["resource_limits"] if name != "processes"]
    assert theirs == ours


@pytest.mark.skipif(os.geteuid() != 0, reason="only root reads what others have closed")
def test_root_runs_a_pack_that_another_user_has_closed(engine_of, tmp_path):
    engine = engine_of(
        {"backend.py": backend("return {'deep': helper.X}", top="import helper"), "helper.py": "X = 1\n"}
    )
    root = tmp_path / "pack-0"
    for path in (root / "helper.py", root / "backend.py", root):
        os.chown(path, 12345, 12345)
        path.chmod(0o700 if path.is_dir() else 0o600)
    assert run_call(engine).results[1] == {"deep": 1}


def test_a_pack_without_a_steady_scratch_folder_runs_all_the_same(engine_of, tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / f"assay-{os.geteuid()}").symlink_to("/")
    engine = engine_of(backend("import os\nopen('x', 'w').close()\nreturn {'files': os.listdir('.')}"))
    assert run_call(engine).results[1] == {"files": ["x"]}
    assert engine.isolation["unavailable"] == {"private_mounts": "no folder to mount on"}


def test_a_module_deep_in_a_folder_whose_name_is_not_ascii(engine_of):
    files = {"động/cơ/backend.py": backend("return {'lá': 'cờ'}"), "hỗ_trợ.py": ""}
    evidence = run_one(engine_of(files, backend="động/cơ/backend.py"), Reset(), call())
    assert evidence.results[1] == {"lá": "cờ"}


@pytest.mark.parametrize("line", ["# -*- coding: latin-1 -*-\nX = '\xe9'\n", "\ufeffX = 'é'\n"])
def test_sources_are_read_as_python_reads_them(engine_of, tmp_path, line):
    engine = engine_of({"backend.py": backend("return {'x': text.X}", top="import text"), "text.py": ""})
    encoding = "latin-1" if "latin-1" in line else "utf-8"
    (tmp_path / "pack-0" / "text.py").write_bytes(line.encode(encoding))
    assert run_call(engine).results[1] == {"x": "é"}
