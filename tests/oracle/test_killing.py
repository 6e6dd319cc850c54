"""Nothing that pack code starts survives its worker, and no worker survives us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from assay.oracle import hung_call, process_family
from assay.oracle.evidence import FailureKind, Reset
from assay.oracle.scratch import sweep
from assay.oracle.spec import Confinement
from tests.oracle.running import backend, call, episode, is_alive, run_call, run_one, workers_of

MAY_FORK = Confinement(processes=True)
BARE = Confinement(processes=True, namespaces=False, landlock=False, seccomp=False)

DAEMON = """
    import os, sys, time


    def daemon():
        "Fork twice, leave session and group, and live on."
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.write(writing, b"%d" % os.getpid())
                os.close(1)
                os.close(2)
                time.sleep(300)
            os._exit(0)
        os.wait()
        print("child", int(os.read(reading, 20)))
"""


def printed_children(engine):
    text = "".join(output.text for output in engine.output)
    return [int(line.split()[1]) for line in text.splitlines() if line.startswith("child")]


def gone(pid):
    deadline = time.monotonic() + 2
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_alive(pid)


@pytest.mark.parametrize("confinement", [MAY_FORK, BARE], ids=["confined", "bare"])
@pytest.mark.parametrize(
    "ending",
    [
        "time.sleep(60)",
        "while True: pass",
        "raise ValueError",
        "os._exit(1)",
        "os.kill(os.getpid(), 9)",
        "return {1}",
        "return {}",
    ],
)
def test_a_daemon_dies_with_its_worker_however_that_ends(engine_of, confinement, ending):
    engine = engine_of(backend(f"daemon()\n{ending}", top=DAEMON), confinement=confinement, limits={"tool_s": 1.0})
    run_call(engine)
    engine.close()
    (child,) = printed_children(engine)
    assert gone(child)


def test_a_daemon_started_by_an_import_dies_too(engine_of):
    engine = engine_of(f"{textwrap.dedent(DAEMON)}\ndaemon()\nraise SystemExit\n", confinement=MAY_FORK)
    assert run_call(engine).failure is not None
    (child,) = printed_children(engine)
    assert gone(child)


def test_a_swarm_of_children_dies(engine_of):
    code = """
        for _ in range(20):
            if os.fork() == 0:
                os.setpgid(0, 0)
                while True:
                    time.sleep(300)
        time.sleep(60)
    """
    engine = engine_of(backend(code, top="import os, time"), confinement=MAY_FORK, limits={"tool_s": 1.0})
    failure = run_call(engine).failure
    assert failure is not None
    assert failure.kind is FailureKind.TIMEOUT
    assert not workers_of(engine)


def test_threads_of_the_pack_do_not_delay_its_end(engine_of):
    code = "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nreturn {}"
    engine = engine_of(backend(code))
    started = time.monotonic()
    assert run_call(engine).completed
    engine.close()
    assert time.monotonic() - started < 2


def test_ignoring_every_signal_does_not_help(engine_of):
    top = "import signal\nfor n in set(signal.Signals) - {9, 19}: signal.signal(n, signal.SIG_IGN)"
    engine = engine_of(backend("while True: pass", top=top), limits={"tool_s": 0.3})
    started = time.monotonic()
    assert run_call(engine).failure is not None
    assert time.monotonic() - started < 2


def test_a_hung_tool_call_is_killed_with_its_child(engine_of):
    engine = engine_of(backend())
    started = time.monotonic()
    assert engine.kill_hung_call() is None
    assert 0.05 <= time.monotonic() - started < 2.5
    assert engine.isolation == {}


class TestWhenTheProbeOfHungCallsCannotTell:
    """The probe itself must be able to fail: each of its ways, by a shipped oracle that behaves otherwise."""

    def probe(self, engine_of, tmp_path, monkeypatch, code, **spec):
        (tmp_path / "backend.py").write_text(textwrap.dedent(code))
        monkeypatch.setattr(hung_call, "_SHIPPED", tmp_path)
        monkeypatch.setattr(hung_call, "_PATIENT_TOOL_S", 1.0)
        return engine_of(backend(), **spec).kill_hung_call()

    def test_the_call_came_back(self, engine_of, tmp_path, monkeypatch):
        failure = self.probe(engine_of, tmp_path, monkeypatch, "def call_tool(name, arguments, *, ctx): return {}")
        assert failure is not None
        assert (failure.op, failure.message) == ("call_tool", "the call that never returns came back")

    def test_the_import_failed(self, engine_of, tmp_path, monkeypatch):
        failure = self.probe(engine_of, tmp_path, monkeypatch, "raise ValueError")
        assert failure is not None
        assert failure.op == "import"

    def test_there_was_no_child(self, engine_of, tmp_path, monkeypatch):
        code = "import time\ndef call_tool(name, arguments, *, ctx): time.sleep(60)"
        failure = self.probe(engine_of, tmp_path, monkeypatch, code)
        assert failure is not None
        assert (failure.op, failure.kind) == ("start_child", FailureKind.BAD_REPLY)

    def test_the_call_broke(self, engine_of, tmp_path, monkeypatch):
        failure = self.probe(engine_of, tmp_path, monkeypatch, "def call_tool(name, arguments, *, ctx): 1 / 0")
        assert failure is not None
        assert (failure.op, failure.kind) == ("start_child", FailureKind.RAISED)

    def test_the_child_survived(self, engine_of, tmp_path, monkeypatch):
        with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as survivor:
            code = (
                f"import time\ndef call_tool(name, arguments, *, ctx):\n    print({survivor.pid})\n    time.sleep(60)"
            )
            failure = self.probe(engine_of, tmp_path, monkeypatch, code)
            survivor.kill()
        assert failure is not None
        assert (failure.op, failure.message) == ("call_tool", "a process that the hung call had started survived it")

    def test_a_slow_machine_gets_a_second_chance(self, engine_of, tmp_path, monkeypatch):
        shipped = hung_call._SHIPPED.joinpath("backend.py").read_text()
        slow = shipped.replace("    child = os.fork()", "    time.sleep(0.4)\n    child = os.fork()")
        assert slow != shipped
        assert self.probe(engine_of, tmp_path, monkeypatch, slow) is None

    def test_it_was_ended_too_late(self, engine_of, monkeypatch):
        monkeypatch.setattr(hung_call, "_PATIENT_TOOL_S", 0.3)
        monkeypatch.setattr(hung_call, "_BUDGET", 0.1)
        failure = engine_of(backend()).kill_hung_call()
        assert failure is not None
        assert (failure.op, failure.kind) == ("budget", FailureKind.TIMEOUT)


HANGING = """
    import sys
    from pathlib import Path
    from assay.oracle import hung_call
    from assay.oracle.process_engine import ProcessEngine
    from assay.oracle.spec import OracleSpec

    hung_call._TOOL_S = 600.0
    engine = ProcessEngine(OracleSpec(root=Path(sys.argv[1]), backend="backend.py", assertions=None, fixtures=None))
    print(engine._scratch.base, flush=True)
    engine.kill_hung_call()
"""


def test_nothing_of_the_probe_outlives_us_when_we_are_killed_meanwhile(tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(HANGING), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        engine = SimpleNamespace(_scratch=SimpleNamespace(base=owner.stdout.readline().strip()))
        wait_until(lambda: len({os.getsid(pid) for pid in workers_of(engine)}) == 2)
        owner.kill()
    wait_until(lambda: not workers_of(engine))


def wait_until(condition, patience_s=30):
    """Wait until something holds; fail when it does not come to hold."""
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


OWNER = """
    import os, sys, threading
    from pathlib import Path
    from assay.oracle.evidence import *
    from assay.oracle.process_engine import ProcessEngine
    from assay.oracle.spec import OracleSpec

    context = EpisodeContext(clock="2026-01-01T00:00:00+00:00", seed=0, timeout_s=60.0, task_id="t")
    engine = ProcessEngine(OracleSpec(root=Path(sys.argv[1]), backend="backend.py", assertions=None, fixtures=None))
    episode = Episode(context=context, steps=(Reset(), CallTool("probe", {"first": True})))
    evidence = engine.run([episode] * 500)


    def start():
        print(next(evidence).results[1]["pid"], flush=True)


    if sys.argv[2] == "thread":
        thread = threading.Thread(target=start)
        thread.start()
        thread.join()
    else:
        start()
"""


class TestWhenWeDie:
    CODE = backend("if arguments: return {'pid': os.getpid()}\nwhile True: pass", top="import os")

    def owner(self, tmp_path, how, rest):
        (tmp_path / "backend.py").write_text(self.CODE)
        command = [sys.executable, "-c", textwrap.dedent(OWNER) + textwrap.dedent(rest), str(tmp_path), how]
        folders = os.environ | {"TMPDIR": str(tmp_path)}
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=folders)

    @pytest.mark.parametrize("how", ["kill", "exit"])
    def test_a_worker_dies_in_the_middle_of_a_loop(self, tmp_path, how):
        ending = {"kill": "os.kill(os.getpid(), 9)", "exit": "os._exit(0)"}[how]
        rest = f"""
            threading.Timer(0.3, lambda: {ending}).start()
            list(engine.run([Episode(context=context, steps=(Reset(), CallTool("probe", {{}})))]))
        """
        with self.owner(tmp_path, how, rest) as owner:
            worker = int(owner.stdout.readline())
            assert is_alive(worker)
            owner.wait(10)
        assert gone(worker)

    def test_an_idle_worker_dies(self, tmp_path):
        with self.owner(tmp_path, "main", "sys.stdin.read()") as owner:
            worker = int(owner.stdout.readline())
            owner.kill()
        assert gone(worker)

    def test_it_does_not_die_with_the_thread_that_started_it(self, tmp_path):
        rest = """
            import time
            time.sleep(0.3)
            print(list(evidence)[-1].results[1]["pid"], flush=True)
            engine.close()
        """
        with self.owner(tmp_path, "thread", rest) as owner:
            first, second = owner.stdout.read().split()
        assert first == second
        assert gone(int(first))


def test_a_generator_that_is_dropped_leaves_no_worker_at_work(engine_of):
    engine = engine_of(backend("import time\ntime.sleep(0.2)\nreturn {}"))
    evidence = engine.run(episode(Reset(), call()) for _ in range(50))
    next(evidence)
    evidence.close()
    assert not workers_of(engine)


def test_an_exception_of_the_consumer_leaves_no_worker_at_work(engine_of):
    engine = engine_of(backend())

    def broken():
        yield episode(Reset(), call())
        raise RuntimeError("in the source")

    with pytest.raises(RuntimeError, match="in the source"):
        list(engine.run(broken()))
    engine.close()
    assert not workers_of(engine)


class TestProcessFamily:
    def test_it_is_empty_for_a_process_that_is_gone(self):
        with subprocess.Popen(["/bin/true"]) as process:
            process.wait()
        assert process_family.family(process.pid, "no-such-mark") == set()
        assert not process_family.is_alive(process.pid)

    def test_it_holds_descendants_and_session_mates(self):
        script = "sleep 100 & setsid sleep 100 & wait"
        with subprocess.Popen(["/bin/sh", "-c", script], start_new_session=True) as process:
            deadline = time.monotonic() + 2
            while len(process_family.family(process.pid, "no-such-mark")) < 3 and time.monotonic() < deadline:
                time.sleep(0.01)
            members = process_family.family(process.pid, "no-such-mark")
            assert len(members) == 3
            process_family.kill_family(process.pid, "no-such-mark")
            assert process.wait() == -signal.SIGKILL
        assert all(gone(pid) for pid in members)

    def test_it_holds_what_carries_the_mark(self):
        with subprocess.Popen([sys.executable, "-c", "input()", "mark-4711"], stdin=subprocess.PIPE) as process:
            members = process_family.family(2**22, "mark-4711")
            process.kill()
        assert members == {process.pid}

    def test_this_process_is_alive(self):
        assert process_family.is_alive(os.getpid())


def test_scratch_folders_are_gone_after_the_end(engine_of, tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    engine = engine_of(backend("open('x', 'w').write('x')\nreturn {}"))
    run_call(engine)
    assert [each for each in tmp_path.glob("assay-*/*")]
    engine.close()
    left = {each.name for each in Path(tmp_path).iterdir() if not each.name.startswith("pack-")}
    assert left == {f"assay-{os.geteuid()}"}


class TestLeftBehind:
    """What a killed process leaves in the temporary folder is removed by the next engine, and nothing else is."""

    def folders(self, tmp_path):
        return {each.name for each in tmp_path.glob("assay-run-*")}

    def owner(self, tmp_path):
        (tmp_path / "backend.py").write_text(TestWhenWeDie.CODE)
        command = [sys.executable, "-c", f"{textwrap.dedent(OWNER)}\nsys.stdin.read()", str(tmp_path), "main"]
        started = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"TMPDIR": str(tmp_path)},
        )
        started.stdout.readline()
        return started

    def test_the_folder_of_a_killed_process_is_removed(self, engine_of, tmp_path, monkeypatch):
        import tempfile

        with self.owner(tmp_path) as killed:
            killed.kill()
        (left,) = self.folders(tmp_path)
        (tmp_path / left / "1").mkdir(exist_ok=True)
        (tmp_path / left / "1" / "closed").mkdir(mode=0)
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        engine = engine_of(backend())
        run_call(engine)
        assert left not in self.folders(tmp_path)
        engine.close()
        assert self.folders(tmp_path) == set()

    def test_that_of_a_living_one_stays(self, engine_of, tmp_path, monkeypatch):
        import tempfile

        with self.owner(tmp_path) as living:
            before = self.folders(tmp_path)
            monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
            engine = engine_of(backend())
            run_call(engine)
            engine.close()
            assert self.folders(tmp_path) == before != set()
            living.kill()

    def test_what_only_looks_like_one_stays(self, tmp_path):
        others = ["assay-run-0", "assay-run-0123456789abcdeg", "assay-0123456789abcdef"]
        for name in others:
            (tmp_path / name).mkdir()
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "assay-run-0123456789abcdef").symlink_to(tmp_path / "elsewhere")
        (tmp_path / "assay-run-0123456789abcdee").write_text("a file")
        (tmp_path / "assay-run-0123456789abcded").mkdir()
        before = {each.name for each in tmp_path.iterdir()}
        sweep(tmp_path)
        assert before - {each.name for each in tmp_path.iterdir()} == {"assay-run-0123456789abcded"}


def test_descriptors_of_ours_are_closed(engine_of):
    def count():
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    engine = engine_of(backend("if arguments: raise ValueError\nreturn {}"))
    list(engine.run(episode(Reset(), call({"x": 1} if number % 2 else {})) for number in range(10)))
    run_one(engine, Reset(), attempt=2)
    engine.close()
    assert count() == before
