"""What pack code cannot reach, with each protection and without, and that the report says which is which.

The tests run as root as well as for an ordinary user; where the kernel offers less, they say what is missing.
"""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

import pytest

from assay.oracle.evidence import Reset
from assay.oracle.spec import Confinement
from tests.oracle import running
from tests.oracle.running import at_work, backend, call, run_call

TRY = """
def attempt(code):
    try:
        return {"value": eval(code, globals())}
    except BaseException as problem:
        return {"error": type(problem).__name__}
"""
INSIDE = Path(__file__).parents[1] / "hostile" / "desk" / "inside.py"
NOTHING = Confinement(namespaces=False, landlock=False, seccomp=False)
SECCOMP = Confinement(namespaces=False, landlock=False)
LANDLOCK = Confinement(namespaces=False, seccomp=False)


def attempt(engine, code, modules="os, sys, socket, signal, subprocess, pathlib"):
    evidence = run_call(engine, {"code": code})
    assert evidence.completed, evidence.failure
    return evidence.results[1]


@pytest.fixture
def trying(engine_of):
    top = f"import ctypes, os, sys, socket, signal, subprocess, pathlib, threading\n{TRY}"
    return lambda **spec: engine_of(backend("return attempt(arguments['code'])", top=top), **spec)


def refused(result):
    return result.get("error") in ("PermissionError", "OSError", "BlockingIOError")


class TestReport:
    def test_nothing_is_claimed_before_a_worker_ran(self, trying):
        assert trying().isolation == {}

    def test_everything_that_this_kernel_offers(self, trying):
        engine = trying()
        attempt(engine, "1")
        isolation = engine.isolation
        assert isolation["own_session"]
        assert isolation["empty_environment"]
        assert set(isolation["unavailable"]) <= {"namespaces", "private_mounts", "landlock", "seccomp"}
        assert (isolation["landlock_abi"] > 0) is isolation["landlock"]
        assert {"address_space", "core", "cpu", "file_size", "open_files"} <= set(isolation["resource_limits"])

    def test_what_is_switched_off_is_said_to_be_missing(self, trying):
        engine = trying(confinement=NOTHING)
        attempt(engine, "1")
        isolation = engine.isolation
        assert isolation["unavailable"] == {
            "landlock": "switched off",
            "namespaces": "switched off",
            "seccomp": "switched off",
        }
        assert (isolation["network"], isolation["files"], isolation["new_processes"]) == ("host", "host", "allowed")
        assert (isolation["landlock_abi"], isolation["private_mounts"]) == (0, False)

    def test_it_is_the_same_in_two_runs(self, trying):
        first, second = trying(), trying()
        attempt(first, "1")
        attempt(second, "1")
        assert first.isolation == second.isolation


class TestEnvironment:
    def test_it_is_ours_from_exec_on(self, trying, monkeypatch):
        monkeypatch.setenv("PORT_SECRET", "hidden")
        engine = trying(confinement=NOTHING)
        environment = attempt(engine, "pathlib.Path('/proc/self/environ').read_text()")["value"]
        names = {each.partition("=")[0] for each in environment.split("\0") if each}
        assert names == {"PYTHONHASHSEED", "TZ", "LC_ALL", "LANG", "TMPDIR"}

    def test_it_is_ours_at_import_already(self, engine_of, monkeypatch):
        monkeypatch.setenv("PORT_SECRET", "hidden")
        engine = engine_of(backend("return SEEN", top="import os\nSEEN = sorted(os.environ)"))
        assert run_call(engine).results[1] == ["LANG", "LC_ALL", "TMPDIR", "TZ"]

    def test_its_home_is_not_that_of_the_user(self, trying):
        assert attempt(trying(), "os.environ.get('HOME')") == {"value": None}


class TestSearchPath:
    def test_the_pack_comes_first_and_nothing_of_ours_is_on_it(self, trying):
        path = attempt(trying(), "sys.path")["value"]
        assert path[0].endswith("pack-0")
        assert not any("oracle/worker" in each for each in path)
        assert len(path) == len(set(path))

    @pytest.mark.parametrize(
        "name", ["_assay_worker", "assertion_server", "confinement", "channel", "protocol", "main"]
    )
    def test_our_modules_cannot_be_imported(self, engine_of, name):
        failure = run_call(engine_of(backend(f"import {name}\nreturn {{}}"))).failure
        assert failure is not None
        assert failure.message == f"ModuleNotFoundError: No module named '{name}'"

    @pytest.mark.parametrize(
        "name", ["channel", "faults", "main", "protocol", "json", "struct", "_assay_worker", "signatures"]
    )
    def test_a_module_of_the_pack_that_is_called_like_one_of_ours_is_the_packs(self, engine_of, name):
        files = {f"{name}.py": "MINE = True\n", "backend.py": backend(f"import {name}\nreturn {{'mine': {name}.MINE}}")}
        evidence = run_call(engine_of(files))
        if name in ("json", "struct"):
            # Loaded before the pack: Python itself finds it in sys.modules, as in any program that runs a pack.
            assert evidence.failure is not None
            assert evidence.failure.message.startswith("AttributeError")
        else:
            assert evidence.results[1] == {"mine": True}

    def test_byte_code_beside_a_source_is_neither_written_nor_read(self, engine_of, tmp_path):
        files = {"backend.py": backend("import helper\nreturn {'v': helper.V}"), "helper.py": "V = 1\n"}
        assert run_call(engine_of(files)).results[1] == {"v": 1}
        assert not list(tmp_path.rglob("*.pyc"))

    def test_installed_packages_come_without_their_hooks(self, trying):
        assert attempt(trying(), "'site' in sys.modules or 'sitecustomize' in sys.modules") == {"value": False}
        assert "value" in attempt(trying(), "__import__('yaml').__name__")


class TestDescriptors:
    def test_low_numbers_are_the_packs_own(self, trying):
        assert attempt(trying(), "os.open('/dev/null', os.O_RDONLY)") == {"value": 3}

    def test_those_of_our_process_are_closed(self, trying, tmp_path):
        with (tmp_path / "open.txt").open("w") as file:
            os.set_inheritable(file.fileno(), True)
            code = f"os.readlink('/proc/self/fd/{file.fileno()}')"
            assert attempt(trying(confinement=NOTHING), code)["error"] in ("FileNotFoundError", "OSError")


class TestFiles:
    PLACES = (
        "/etc/passwd",
        "/proc/self/environ",
        f"/proc/{os.getpid()}/environ",
        str(Path(__file__)),
        "/root/.profile",
    )

    @pytest.mark.parametrize("confinement", [Confinement(), LANDLOCK])
    def test_nothing_outside_can_be_read(self, trying, confinement):
        engine = trying(confinement=confinement)
        _require(engine, "landlock")
        for place in self.PLACES:
            if Path(place).exists():
                assert attempt(engine, f"pathlib.Path({place!r}).read_bytes()[:1]") == {"error": "PermissionError"}, (
                    place
                )
        assert attempt(engine, "os.listdir('/')") == {"error": "PermissionError"}
        assert attempt(engine, "os.listdir('/proc')") == {"error": "PermissionError"}

    def test_files_cannot_be_leased_or_watched(self, trying):
        engine = trying()
        _require(engine, "seccomp")
        for code in (
            "__import__('fcntl').fcntl(open(__file__), 1024, 1)",
            "__import__('fcntl').fcntl(os.open('.', os.O_RDONLY), 1026, 1)",
        ):
            assert attempt(engine, code) == {"error": "PermissionError"}, code
        assert attempt(engine, "ctypes.CDLL(None).inotify_init1(0)") == {"value": -1}

    def test_the_pack_can(self, trying):
        assert attempt(trying(), "pathlib.Path(__file__).read_text()[:6]") == {"value": "import"}

    @pytest.mark.parametrize("confinement", [Confinement(), LANDLOCK])
    def test_nothing_can_be_written_but_the_scratch_folder(self, trying, confinement, tmp_path):
        engine = trying(confinement=confinement)
        _require(engine, "landlock")
        outside = tmp_path / "outside.txt"
        outside.write_text("as it was")
        before = outside.stat()
        for code in (
            f"pathlib.Path({str(outside)!r}).write_text('changed')",
            f"os.remove({str(outside)!r})",
            f"os.rename({str(outside)!r}, 'here')",
            f"os.symlink('/etc', {str(tmp_path / 'link')!r})",
            f"os.mkdir({str(tmp_path / 'folder')!r})",
            "pathlib.Path(__file__).write_text('changed')",
            f"os.truncate({str(outside)!r}, 0)",
        ):
            assert "error" in attempt(engine, code), code
        assert attempt(engine, "pathlib.Path('mine.txt').write_text('mine')") == {"value": 4}
        assert outside.stat() == before
        assert sorted(each.name for each in tmp_path.iterdir()) == ["outside.txt", "pack-0"]

    @pytest.mark.parametrize("confinement", [Confinement(), SECCOMP])
    def test_facts_of_files_outside_cannot_be_changed(self, trying, confinement, tmp_path):
        engine = trying(confinement=confinement)
        outside = tmp_path / "outside.txt"
        outside.write_text("as it was")
        before = outside.stat()
        for code in (
            f"os.chmod({str(outside)!r}, 0o777)",
            f"os.chown({str(outside)!r}, 1, 1)",
            f"os.utime({str(outside)!r}, (1, 1))",
            f"os.setxattr({str(outside)!r}, 'user.x', b'1')",
            "os.chmod(__file__, 0o777)",
        ):
            assert refused(attempt(engine, code)), code
        assert outside.stat() == before

    def test_the_scratch_folder_is_empty_at_first_and_gone_afterwards(self, trying, tmp_path):
        engine = trying()
        assert attempt(engine, "os.listdir('.')") == {"value": []}
        attempt(engine, "pathlib.Path('left.txt').write_text('x')")
        folder = Path(attempt(engine, "os.getcwd()")["value"])
        engine.close()
        assert not (folder / "left.txt").exists()

    def test_a_scratch_folder_is_bounded(self, trying):
        engine = trying(limits={"scratch_bytes": 1_000_000, "file_bytes": 64_000_000})
        _require(engine, "private_mounts")
        assert attempt(engine, "pathlib.Path('big').write_bytes(bytes(3_000_000))") == {"error": "OSError"}

    def test_a_folder_that_pack_code_closed_is_removed_all_the_same(self, engine_of, tmp_path, monkeypatch):
        import tempfile

        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        code = "os.makedirs('a/b')\nopen('a/b/c', 'w').close()\nos.chmod('a/b', 0)\nos.chmod('a', 0)\nreturn {}"
        engine = engine_of(backend(code, top="import os"), confinement=NOTHING)
        assert run_call(engine).completed
        engine.close()
        assert not [
            each
            for each in tmp_path.iterdir()
            if each.name.startswith("assay-") and each.name != f"assay-{os.geteuid()}"
        ]


def test_the_name_of_the_host_is_the_same_everywhere(trying):
    engine = trying()
    _require(engine, "namespaces")
    assert attempt(engine, "(os.uname().nodename, socket.gethostname())") == {"value": ["worker", "worker"]}


def test_folders_a_thousand_deep_are_removed_all_the_same(engine_of, tmp_path, monkeypatch):
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = "for _ in range(1500):\n    os.mkdir('d')\n    os.chdir('d')\nreturn {}"
    engine = engine_of(backend(code, top="import os"), confinement=NOTHING)
    assert run_call(engine).completed
    engine.close()
    assert not list(tmp_path.glob("assay-*/*/d"))


class TestNetwork:
    @pytest.mark.parametrize(
        "confinement",
        [Confinement(), SECCOMP, Confinement(landlock=False, seccomp=False)],
        ids=["all", "seccomp", "namespaces"],
    )
    def test_there_is_none(self, trying, confinement):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            engine = trying(confinement=confinement)
            for code in (
                f"socket.create_connection(('127.0.0.1', {port}), 0.5)",
                f"socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {port}))",
            ):
                assert refused(attempt(engine, code))
            assert engine.isolation["network"] == "none"

    def test_sockets_with_a_path_are_out_of_reach_too(self, trying, tmp_path):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(tmp_path / "s"))
            server.listen()
            engine = trying()
            _require(engine, "seccomp")
            code = f"socket.socket(socket.AF_UNIX).connect({str(tmp_path / 's')!r})"
            assert attempt(engine, code) == {"error": "PermissionError"}

    def test_event_loops_work(self, engine_of):
        code = "import asyncio\nreturn {'slept': asyncio.run(asyncio.sleep(0.001, 'well'))}"
        assert run_call(engine_of(backend(code))).results[1] == {"slept": "well"}


class TestProcesses:
    def test_no_new_ones_not_even_for_root(self, trying):
        engine = trying()
        _require(engine, "seccomp")
        for code in ("os.fork()", "subprocess.run(['/bin/true'])", "os.posix_spawn('/bin/true', ['true'], {})"):
            assert "error" in attempt(engine, code), code
        assert attempt(engine, "os.system('true') == 0") == {"value": False}
        assert attempt(engine, "os.execv('/bin/true', ['true'])") == {"error": "PermissionError"}

    def test_threads_pass(self, engine_of):
        code = "import threading\nt = threading.Thread(target=seen.append, args=(1,))\nt.start(); t.join()\nreturn seen"
        assert run_call(engine_of(backend(code, top="seen = []"))).results[1] == [1]

    @pytest.mark.parametrize("confinement", [Confinement(), SECCOMP, LANDLOCK], ids=["all", "seccomp", "landlock"])
    def test_our_process_cannot_be_signalled(self, trying, confinement):
        engine = trying(confinement=confinement)
        assert refused(attempt(engine, f"os.kill({os.getpid()}, {signal.SIGURG.value})"))
        assert refused(attempt(engine, f"os.kill({os.getpid()}, 0)"))

    def test_its_limits_and_priority_cannot_be_changed(self, trying):
        import resource

        engine = trying()
        _require(engine, "seccomp")
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        code = f"__import__('resource').prlimit({os.getpid()}, 7, (50, 50))"
        assert refused(attempt(engine, code))
        assert refused(attempt(engine, f"os.setpriority(os.PRIO_PROCESS, {os.getpid()}, 10)"))
        assert refused(attempt(engine, f"os.sched_setaffinity({os.getpid()}, [0])"))
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == before

    @pytest.mark.parametrize("confinement", [Confinement(), SECCOMP], ids=["all", "seccomp"])
    def test_the_kernel_does_not_signal_it_either(self, trying, confinement):
        engine = trying(confinement=confinement)
        _require(engine, "seccomp")
        for code in (
            f"__import__('fcntl').fcntl(os.pipe()[0], 8, {os.getpid()})",
            "__import__('fcntl').fcntl(os.pipe()[0], 10, signal.SIGURG)",
            f"__import__('fcntl').fcntl(os.pipe()[0], 15, bytes(ctypes.c_int(1)) + bytes(ctypes.c_int({os.getpid()})))",
            f"__import__('fcntl').ioctl(socket.socketpair()[0], 0x8901, bytes(ctypes.c_int({os.getpid()})))",
            f"__import__('fcntl').ioctl(socket.socketpair()[0], 0x8902, bytes(ctypes.c_int({os.getpid()})))",
        ):
            assert attempt(engine, code) == {"error": "PermissionError"}, code

    @pytest.mark.parametrize("confinement", [Confinement(), SECCOMP], ids=["all", "seccomp"])
    def test_the_lifeline_cannot_be_cut(self, engine_of, confinement):
        code = """
            (lifeline,) = inside.others()
            calls = (f"os.close({lifeline})", f"os.dup({lifeline})", f"os.dup2(0, {lifeline})")
            return {call: attempt(call) for call in calls}
        """
        source = backend(code, top=f"import os\nimport inside\n{TRY}")
        engine = engine_of({"backend.py": source, "inside.py": INSIDE.read_text()}, confinement=confinement)
        evidence = run_call(engine)
        assert evidence.completed, evidence.failure
        if not engine.isolation["seccomp"]:
            pytest.skip("no seccomp here")
        assert list(evidence.results[1].values()) == [{"error": "PermissionError"}] * 3

    def test_its_memory_cannot_be_read(self, trying):
        engine = trying()
        code = f"pathlib.Path('/proc/{os.getpid()}/mem').open('rb')"
        assert "error" in attempt(engine, code)
        assert attempt(engine, f"ctypes.CDLL(None).ptrace(16, {os.getpid()}, 0, 0)") == {"value": -1}


class TestPrivileges:
    def test_they_are_gone(self, trying):
        with at_work(trying(), Reset(), call({"code": "os.getpid()"})) as evidence:
            status = Path(f"/proc/{evidence.results[1]['value']}/status").read_text()
        facts = dict(line.split(":\t") for line in status.splitlines() if ":\t" in line)
        assert int(facts["CapEff"], 16) in (0, 1 << 2)
        assert int(facts["CapPrm"], 16) in (0, 1 << 2)
        assert facts["NoNewPrivs"] == "1"

    def test_mounts_cannot_be_changed_back(self, trying):
        code = "ctypes.CDLL(None).mount(b'none', b'/', None, 0x20 | 4096, None)"
        assert attempt(trying(), code) == {"value": -1}


def _require(engine, protection):
    """Skip a test where the kernel does not offer a protection: its absence is reported, not assumed away."""
    attempt(engine, "1")
    if not engine.isolation.get(protection):
        pytest.skip(f"no {protection} here: {engine.isolation['unavailable']}")


def test_workers_are_in_a_session_of_their_own(trying):
    assert attempt(trying(), "(os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid())") == {"value": [True, True]}


def test_the_search_for_workers_sees_them(trying):
    engine = trying()
    with at_work(engine, Reset()):
        assert len(running.workers_of(engine)) == 1
    assert not running.workers_of(engine)
